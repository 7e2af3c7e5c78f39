import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Names of the ways in which bytes are packed, as Accept-Encoding has them. */
export type Encoding = 'br' | 'gzip';

/** JSON of fewer bytes fits into one packet of the network: packing it costs more time than it saves. */
const packedFromBytes = 1_400;

/**
 * The better of the two encodings that a client takes (RFC 9110 12.5.3); none when it names neither, or refuses them
 * with a weight of 0.
 */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight));
  }
  const accepts = (name: Encoding): boolean => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  return (['br', 'gzip'] as const).find(accepts);
}

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Packs a text on another thread, at the level where a list of devices costs a few milliseconds. */
const pack = (text: string, encoding: Encoding): Promise<Buffer> =>
  encoding === 'gzip'
    ? gzip(text, { level: 5 })
    : brotli(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4, [zlib.constants.BROTLI_PARAM_MODE]: 1 } });

/**
 * Packs JSON for clients that take it so. Files, ranges and events go another way and are never packed; neither is what
 * has an ETag, which is that of the bytes as they are.
 */
export function packJson(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < packedFromBytes) return done(null, payload);
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    if (!isJson || reply.hasHeader('etag') || reply.hasHeader('content-encoding')) return done(null, payload);
    // Also where it is not packed: a cache has to keep the two apart.
    reply.header('vary', 'accept-encoding');
    const encoding = acceptedEncoding(request.headers['accept-encoding']);
    if (!encoding) return done(null, payload);
    pack(payload, encoding).then((packed) => {
      reply.removeHeader('content-length').header('content-encoding', encoding);
      done(null, packed);
    }, done);
  });
}
