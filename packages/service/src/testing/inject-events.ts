import { type EndpointShape, isBinary } from '@moorage/api';
import type { FastifyInstance, InjectOptions } from 'fastify';

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly payload: string;
}

/** Calls a server in this process. Of events, which come without an end, it is the head that counts. */
export async function injectAny(app: FastifyInstance, shape: EndpointShape, request: InjectOptions): Promise<Answer> {
  if (!isBinary(shape.reply) || shape.reply.mediaType !== 'text/event-stream') return app.inject(request);
  const reply = await app.inject({ ...request, payloadAsStream: true });
  const { statusCode, headers } = reply;
  const stream = reply.stream();
  if (String(headers['content-type']).startsWith('text/event-stream')) {
    stream.destroy();
    return { statusCode, headers, payload: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { statusCode, headers, payload: Buffer.concat(chunks).toString() };
}
