/** Saves bytes in the browser, as a file of this name. */
export function saveFile(bytes: Uint8Array, name: string, mime: string): void {
  // Safe: the client reads answers into memory of their own.
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
