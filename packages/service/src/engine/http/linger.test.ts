import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binary, endpoint, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rawConnection, rawReply } from '../../testing/raw-http.ts';
import { diskBlobs } from '../blobs/backends/disk-blobs.ts';
import { statusOf } from './errors.ts';
import { mountContract } from './mount.ts';
import { buildServer } from './server.ts';
import type { Upload } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-linger-'));
/** More than the buffers of both sides take. */
const bodyBytes = 48 * 1024 * 1024;
const usual = {
  method: 'POST',
  spec: [],
  tag: 'Test',
  summary: 'Bytes in',
  auth: 'none',
  reply: Type.Object({}),
  errors: [],
} as const;
const contract = {
  json: endpoint({ ...usual, path: '/json', body: Type.Object({ a: Type.String() }) }),
  file: endpoint({ ...usual, path: '/file', body: binary() }),
  inspected: endpoint({ ...usual, path: '/inspected', body: binary() }),
  unread: endpoint({ ...usual, path: '/unread', body: binary() }),
  stranger: endpoint({ ...usual, path: '/stranger', body: binary(), auth: 'door' }),
};

let app: FastifyInstance;
let port: number;

beforeAll(async () => {
  const blobs = await diskBlobs(folder);
  app = buildServer({ statusOf, logLevel: 'silent', endpoints: Object.values(contract) });
  const store = async (upload: Upload, limits: Partial<Parameters<Upload['store']>[0]> = {}) => {
    const stored = await upload.store({ maxBytes: 1_000_000, ...limits });
    return stored.ok ? success({}) : stored;
  };
  const noImage = () => refusal('NOT_AN_IMAGE', {}, { source: 'body', keys: [] });
  mountContract(
    app,
    contract,
    {
      json: async () => success({}),
      file: ({ upload }) => store(upload),
      inspected: ({ upload }) => store(upload, { maxBytes: 2 * bodyBytes, headBytes: 4, inspect: noImage }),
      unread: async () => failure(refusal('NOT_FOUND', { what: 'Place' })),
      stranger: async () => success({}),
    },
    { blobs, statusOf, authenticate: { door: async () => failure(refusal('DOOR_UNAUTHORISED')) } },
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = Number(new URL(app.listeningOrigin).port);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const length = `content-length: ${bodyBytes}\r\n`;
const chunked = 'transfer-encoding: chunked\r\n';
const octets = 'content-type: application/octet-stream\r\n';
const json = 'content-type: application/json\r\n';

it.each([
  ['a JSON body that is too long', '/json', json + length, 413],
  ['one that does not say how long it is', '/json', json + chunked, 413],
  ['a body of another type', '/json', `content-type: text/plain\r\n${length}`, 415],
  ['a packed body', '/json', `content-encoding: gzip\r\n${json}${length}`, 415],
  ['a file that is too long', '/file', octets + length, 413],
  ['one that does not say how long it is', '/file', octets + chunked, 413],
  ['a file that is none', '/inspected', octets + length, 400],
  ['a file for which there is no place', '/unread', octets + length, 404],
  ['a form that is none', '/file', `content-type: multipart/form-data; boundary=x\r\n${length}`, 400],
  ['a file of a stranger', '/stranger', octets + length, 401],
  ['a body on an unknown path', '/nowhere', octets + length, 404],
  ['a body for another method', '/json', octets + length, 405, 'PATCH'],
] as const)(
  '%s is refused to a client that reads nothing before it has sent all',
  async (_, path, head, status, method: string = 'POST') => {
    const socket = await rawConnection(port);
    const broken: unknown[] = [];
    socket.on('error', (error) => broken.push(error));
    socket.pause();
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head}\r\n`);
    const piece = Buffer.alloc(64 * 1024, 'x');
    const isChunked = head.includes('chunked');
    for (let sent = 0; sent < bodyBytes && broken.length === 0; sent += piece.length) {
      if (isChunked) socket.write(`${piece.length.toString(16)}\r\n`);
      const isTaken = socket.write(piece);
      if (isChunked) socket.write('\r\n');
      if (!isTaken) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    }
    if (isChunked) socket.write('0\r\n\r\n');
    const reply = rawReply(socket);
    socket.resume();
    const { status: got, text } = await reply;
    expect([broken, got]).toEqual([[], status]);
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4))).toMatchObject({ statusCode: status });
    expect(readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())).toEqual([]);
  },
);
