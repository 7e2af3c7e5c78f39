import { t } from '../texts/ui.ts';
/** The bytes of a file as standard base64, as JSON bodies carry them. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // A data URL: everything behind its comma.
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error ?? new Error(t.fileCouldNotBeRead));
    reader.readAsDataURL(file);
  });
}
