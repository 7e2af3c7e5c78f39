import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { refusal } from '@moorage/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptedEncoding, type Encoding } from './compression.ts';
import { etagOf, isNotModified } from './conditions.ts';
import { type StatusOf, sendRefusal } from './errors.ts';
import type { Validators } from './types.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Endings of the packed files that the build puts beside a file, by the names that HTTP has for them. */
const packedEndings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * Scripts come from the service alone, pictures also from where maps get theirs. The reader of codes is compiled: what
 * comes as a file of WebAssembly may be, text may not. The component library writes its colours into a style element.
 */
const policyWith = (mapTiles: string | undefined): string =>
  [
    "default-src 'self'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: blob:${mapTiles === undefined ? '' : ` ${new URL(mapTiles).origin}`}`,
    "font-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const securityHeaders = (mapTiles: string | undefined) => ({
  'content-security-policy': policyWith(mapTiles),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
});

/** Names of files under here carry a hash of their content. */
const hashedPrefix = '/assets/';
/** What is not for the console, whatever its pages are called, in any letter case: a mistyped call gets no page. */
const servicePaths = /^(api|docs|device|healthz|readyz|metrics|openapi\.json)(\/|$)/i;

/** Newer than any time that a client may have: when a build was unpacked says nothing of its files. */
const lastModifiedMs = Number.POSITIVE_INFINITY;

/** Bytes in one encoding: other bytes have another ETag, so that no cache completes the one with the other. */
interface Form extends Validators {
  readonly bytes: Buffer;
}

interface ConsoleFile {
  readonly mime: string;
  readonly plain: Form;
  readonly packed: ReadonlyMap<Encoding, Form>;
}

function readForm(path: string): Form {
  const bytes = readFileSync(path);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex'), lastModifiedMs };
}

function readConsoleFile(path: string): ConsoleFile {
  const mime = mediaTypes[extname(path)] ?? 'application/octet-stream';
  const there = packedEndings.filter(([, ending]) => existsSync(path + ending));
  const packed = new Map(there.map(([encoding, ending]) => [encoding, readForm(path + ending)] as const));
  return { mime, plain: readForm(path), packed };
}

/** Every file of the built console, by its path on the service. */
const readConsole = (folder: string): Map<string, ConsoleFile> =>
  new Map(
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [`/${relative(folder, path).split(sep).join('/')}`, readConsoleFile(path)];
      }),
  );

type Headers = ReturnType<typeof securityHeaders>;

function sendConsoleFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, file, headers }: { readonly path: string; readonly file: ConsoleFile; readonly headers: Headers },
): FastifyReply {
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  const packed = encoding && file.packed.get(encoding);
  const form = packed ?? file.plain;
  reply.headers({
    ...headers,
    etag: etagOf(form),
    vary: 'accept-encoding',
    'cache-control': path.startsWith(hashedPrefix) ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  if (isNotModified(request.headers, form)) return reply.code(304).send();
  if (packed) reply.header('content-encoding', encoding);
  return reply.header('content-type', file.mime).send(form.bytes);
}

/**
 * Serves the built console at `/`: its files from memory, and its first page for every address that has no file, since
 * the console itself knows what to show there. The paths of the service stay the service's.
 *
 * @param folder what the build has written; it must have an `index.html`
 * @param mapTiles where maps get their pictures, when they do
 * @throws {Error} when the folder cannot be read
 */
export function serveConsole(app: FastifyInstance, folder: string, statusOf: StatusOf, mapTiles?: string): void {
  const files = readConsole(folder);
  const headers = securityHeaders(mapTiles);
  const index = files.get('/index.html');
  if (!index) throw new Error(`The console in ${folder} has no index.html`);
  app.get('/*', (request, reply) => {
    const path = request.url.split('?')[0] ?? '/';
    // Safe: the router makes this object, with the path percent-decoded.
    const { '*': decoded } = request.params as { readonly '*': string };
    if (servicePaths.test(decoded)) return reply.callNotFound();
    const file = files.get(path);
    if (file) return sendConsoleFile(request, reply, { path, file, headers });
    // A missing file belongs to an older build: its page must hear that, not be given a page as a script.
    if (extname(path) !== '') {
      const missing = refusal('NOT_FOUND', { what: 'Path' });
      return sendRefusal(reply, missing, statusOf(missing.code));
    }
    return sendConsoleFile(request, reply, { path: '/index.html', file: index, headers });
  });
}
