import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** A page that the firmware brings along, in one of its forms. */
interface PageForm {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** Clients that do not offer to unpack it get the page as it is. */
export interface Page {
  readonly plain: PageForm;
  readonly packed: PageForm;
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
    const bytes = readFileSync(new URL(`pages/${source}`, import.meta.url));
    page = { plain: formOf(bytes), packed: formOf(gzipSync(bytes, { level: 9 })) };
    pages.set(source, page);
  }
  return page;
}

const formOf = (bytes: Uint8Array): PageForm => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 16)}"`,
});

/** Whether an `Accept-Encoding` header has gzip in it, with a weight above 0; a client without one does not offer it. */
export function offersGzip(header: string | undefined): boolean {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0) > 0;
}
