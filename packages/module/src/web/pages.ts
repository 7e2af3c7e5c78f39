import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** A page that the firmware brings along, compressed. */
export interface Page {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/**
 * Names that web pages of the firmware have in flash, and where ours lie. They are served when the flash has no file of
 * that name, so that installing one takes their place and deleting it brings them back.
 * Reference: flash 3.2.
 */
const sources: Readonly<Record<string, string>> = {
  'webapp/index.html': 'status.html',
  'webapp/app.js': 'app.js',
  'webapp/app.css': 'app.css',
  'setup/index.html': 'setup.html',
  'setup/index.js': 'setup.js',
  'setup/index.css': 'app.css',
};

/** Read once for all modules of the process. */
const pages = new Map<string, Page>();

/** The page of that name, without a first slash. */
export function builtInPage(name: string): Page | undefined {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (source === undefined) return undefined;
  let page = pages.get(source);
  if (!page) {
    const bytes = gzipSync(readFileSync(new URL(`pages/${source}`, import.meta.url)), { level: 9 });
    page = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"` };
    pages.set(source, page);
  }
  return page;
}
