/** File-type bytes of the module by the names that the service uses. Reference: records 1.4, flash 2.1. */
export const moduleFileTypes: ReadonlyMap<string, number> = new Map([
  ['UPGRADE_APP', 0x00],
  ['WIFI_FW', 0x01],
  ['REGULAR_APP', 0x81],
  ['TEMPORARY', 0xf9],
  ['GPIO_CONFIG', 0xfa],
  ['COMMAND_HELP', 0xfb],
  ['SETUP_SCRIPT', 0xfd],
  ['MISC_FIX_LEN', 0xfe],
]);

/** The byte of a file type: a hex byte as it stands, a known name by the table, any other name as MISC_FIX_LEN. */
export const moduleFileType = (type: string): number =>
  /^[0-9a-f]{2}$/i.test(type) ? Number.parseInt(type, 16) : (moduleFileTypes.get(type) ?? 0xfe);

const mimeTypes: ReadonlyMap<string, string> = new Map([
  ['bin', 'application/octet-stream'],
  ['css', 'text/css'],
  ['csv', 'text/csv'],
  ['gif', 'image/gif'],
  ['gz', 'application/gzip'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['ico', 'image/x-icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['md', 'text/markdown'],
  ['pdf', 'application/pdf'],
  ['pem', 'application/x-pem-file'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['wasm', 'application/wasm'],
  ['xml', 'application/xml'],
  ['zip', 'application/zip'],
]);

/** The media type that a file's extension says, in any letter case; bytes when it says none. */
export const mimeOfFilename = (filename: string): string =>
  mimeTypes.get(/\.([^./]+)$/.exec(filename)?.[1]?.toLowerCase() ?? '') ?? 'application/octet-stream';
