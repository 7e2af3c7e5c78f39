import { jsonBodyLimitBytes } from '@moorage/api';
import { t } from '../../texts/bundles.ts';

/** Bytes of a request that are not the content of its file: names, types and the JSON around them. */
const aroundContentBytes = 4_096;

/** Largest file of a bundle, in bytes: as base64, four letters for three bytes, it has to fit into one JSON body. */
export const bundleFileLimitBytes = Math.floor((jsonBodyLimitBytes - aroundContentBytes) / 4) * 3;

/** The content in a data URL, as base64. */
export const contentOf = (dataUrl: string): string => dataUrl.slice(dataUrl.indexOf(',') + 1);

/**
 * A file as base64, read and encoded by the browser itself while the page stays usable.
 *
 * @throws {DOMException} when the file cannot be read, or `signal` has ended it
 */
export function readBase64(file: Blob, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    const abort = (): void => reader.abort();
    reader.onload = () => resolve(contentOf(String(reader.result)));
    reader.onerror = () => reject(reader.error ?? new Error(t.fileCannotBeRead));
    reader.onabort = () => reject(new DOMException(t.uploadWasCancelled, 'AbortError'));
    reader.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    reader.readAsDataURL(file);
    if (signal.aborted) abort();
  });
}

/** Whether a module can keep a file of this name: printable ASCII, up to 95 characters. */
export const isModuleFilename = (name: string): boolean => /^[\x20-\x7e]{1,95}$/.test(name);
