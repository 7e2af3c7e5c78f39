import type { FileInfo } from '../device/flash.ts';

/** Reference: http-server 2.2. */
const typesByExtension: Readonly<Record<string, string>> = {
  html: 'text/html',
  htm: 'text/html',
  css: 'text/css',
  js: 'application/javascript',
  json: 'application/json',
  txt: 'text/plain',
  csv: 'text/plain',
  script: 'text/plain',
  xml: 'text/xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  svg: 'image/svg+xml',
  ico: 'image/x-icon',
  pem: 'application/x-pem-file',
};

/** For names that say nothing: what the type that the file was stored with stands for. */
const typesByFileType: ReadonlyMap<number, string> = new Map([
  [0x03, 'application/x-pem-file'],
  [0xfa, 'text/plain'],
  [0xfb, 'text/plain'],
  [0xfc, 'application/json'],
  [0xfd, 'text/plain'],
]);

/** Content type of a file under the name by which it is asked for, without an ending `.gz` that stands for its coding. */
export function contentType(name: string, file?: Pick<FileInfo, 'type'>): string {
  const extension = /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const byName = Object.hasOwn(typesByExtension, extension) ? typesByExtension[extension] : undefined;
  return byName ?? typesByFileType.get(file?.type ?? -1) ?? 'application/octet-stream';
}
