import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { binary, endpoint, refusal } from '@moorage/api';
import { success, VirtualClock } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rawConnection, rawReply, rawRequest } from '../../testing/raw-http.ts';
import { diskBlobs } from '../blobs/backends/disk-blobs.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { statusOf } from './errors.ts';
import { mountContract } from './mount.ts';
import { buildServer } from './server.ts';
import { stallTimeoutMs } from './upload.ts';

const maxBytes = 10 * 1024 * 1024;
const shape = endpoint({
  method: 'POST',
  path: '/upload/{kind}',
  spec: [],
  tag: 'Test',
  summary: 'Bytes in',
  auth: 'none',
  params: Type.Object({ kind: Type.Enum(['any', 'letters']) }),
  body: binary(),
  reply: Type.Object({ size: Type.Integer(), sha256: Type.String(), mime: Type.String() }),
  errors: [],
});

const folder = mkdtempSync(join(tmpdir(), 'moorage-upload-'));
let app: FastifyInstance;
let clock: VirtualClock;
let port = 0;
let disk: BlobStore;
/** What the store does with a source before it writes it. */
let through: (source: Readable) => Readable = (source) => source;
/** Called when the store is handed a source. */
let began: () => void = () => {};
/** What the handlers have asked for: done when the store has finished with it. */
const handled: Promise<unknown>[] = [];
const connections: Socket[] = [];

beforeAll(async () => {
  disk = await diskBlobs(folder);
  clock = new VirtualClock();
  const blobs: BlobStore = {
    put: (source, limit) => {
      began();
      return disk.put(source instanceof Uint8Array ? source : through(Readable.from(source)), limit);
    },
    open: (name) => disk.open(name),
    remove: (name) => disk.remove(name),
    check: () => disk.check(),
    list: () => disk.list(),
  };
  app = buildServer({ statusOf, logLevel: 'silent', endpoints: [shape] });
  mountContract(
    app,
    { shape },
    {
      shape: async ({ upload, params }) => {
        const storing = upload.store({
          maxBytes,
          ...(params.kind === 'letters' && {
            headBytes: 4,
            inspect: (head) =>
              /^[a-z]*$/.test(Buffer.from(head).toString())
                ? undefined
                : refusal('NOT_AN_IMAGE', {}, { source: 'body', keys: [] }),
          }),
        });
        handled.push(storing);
        const stored = await storing;
        return stored.ok ? success({ ...stored.value.blob, mime: stored.value.mime ?? 'none' }) : stored;
      },
    },
    { blobs, statusOf, clock, authenticate: {} },
  );
  app.server.on('connection', (socket: Socket) => connections.push(socket));
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = Number(new URL(app.listeningOrigin).port);
});

beforeEach(() => {
  through = (source) => source;
  began = () => {};
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const stored = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const codeOf = async (reply: Response): Promise<unknown> => Object(await reply.json()).code;

const post = (body: NonNullable<RequestInit['body']>, kind = 'any', headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}/upload/${kind}`, { method: 'POST', body, headers });

const form = (...parts: [name: string, value: Blob | string, filename?: string][]): FormData => {
  const made = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') made.append(name, value);
    else made.append(name, value, filename);
  }
  return made;
};

// API-RULE-files-6
describe('upload', () => {
  it('of raw bytes keeps their media type', async () => {
    const reply = await post('hello', 'any', { 'content-type': 'text/x-test' });
    expect(await reply.json()).toMatchObject({ size: 5, mime: 'text/x-test' });
    expect(await (await post(Buffer.from('hello'))).json()).toMatchObject({ size: 5, mime: 'none' });
  });

  it('within the process leaves its bytes to the caller', async () => {
    const bytes = Buffer.allocUnsafeSlow(100_000).fill('own');
    const reply = await app.inject({ method: 'POST', url: '/upload/any', payload: bytes });
    expect(reply.json()).toMatchObject({ size: 100_000 });
    expect(bytes.equals(Buffer.alloc(100_000, 'own'))).toBe(true);
  });

  it('by form takes the part "file" and its media type, with a file name or without', async () => {
    const bytes = Buffer.alloc(3_000_000, 'a form with much in it. ');
    const reply = await post(form(['file', new Blob([bytes], { type: 'image/x-test' }), 'a.bin']));
    expect(await reply.json()).toMatchObject({ size: bytes.length, mime: 'image/x-test' });
    expect(await (await post(form(['file', 'text']))).json()).toMatchObject({ size: 4, mime: 'text/plain' });
    const empty = await post(form(['file', new Blob([]), 'a.bin']));
    expect(await empty.json()).toMatchObject({ size: 0, mime: 'application/octet-stream' });
  });

  const formType = { 'content-type': 'multipart/form-data; boundary=x' };
  it.each<[string, FormData | string, Record<string, string>?]>([
    ['no part', form()],
    ['a part of another name', form(['data', new Blob(['other'])])],
    ['a part before the file', form(['title', 'x'], ['file', new Blob(['after a part'])])],
    ['a part after the file', form(['file', new Blob(['before a part'])], ['title', 'x'])],
    ['two files', form(['file', new Blob(['first file'])], ['file', new Blob(['second file'])])],
    ['a name that objects have', form(['__proto__', new Blob(['proto'])])],
    ['no boundary', 'x', { 'content-type': 'multipart/form-data' }],
    ['nothing in it', '', formType],
    ['no end', '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nendless', formType],
    ['no beginning', 'garbage', formType],
  ])('by form with %s is refused and leaves nothing', async (_, body, headers = {}) => {
    const before = stored();
    const reply = await post(body, 'any', headers);
    expect([reply.status, await codeOf(reply)]).toEqual([400, 'INVALID_REQUEST']);
    expect(stored()).toEqual(before);
  });

  it.each([
    ['letters', 200],
    ['abcD', 400],
    ['abc', 200],
    ['1', 400],
    ['', 200],
  ])('whose first bytes are looked at: %j gets %d', async (text, status) => {
    const before = stored();
    for (const body of [text, form(['file', new Blob([text])])]) {
      expect((await post(body, 'letters')).status).toBe(status);
    }
    if (status === 400) expect(stored()).toEqual(before);
  });

  it('that comes byte by byte is looked at and stored the same', async () => {
    const socket = await rawConnection(port);
    const reply = rawReply(socket);
    socket.setNoDelay(true);
    socket.write('POST /upload/letters HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n');
    for (const letter of 'letters of one byte each') {
      socket.write(`1\r\n${letter}\r\n`);
      await new Promise(setImmediate);
    }
    socket.write('0\r\n\r\n');
    expect((await reply).text).toContain('"size":24');
  });

  // API-ERR-413
  it.each(['raw', 'chunked', 'form'])('over the limit is refused and leaves nothing: %s', async (how) => {
    const before = stored();
    const bytes = Buffer.alloc(maxBytes + 1, how);
    const bodies = { raw: bytes, chunked: ReadableStream.from([bytes]), form: form(['file', new Blob([bytes])]) };
    const body = bodies[how as keyof typeof bodies];
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const reply = await fetch(`http://127.0.0.1:${port}/upload/any`, init);
    expect([reply.status, await codeOf(reply)]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(stored()).toEqual(before);
  });

  const head = (more: string) => `POST /upload/any HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const partHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const openings: readonly (readonly [string, string])[] = [
    ['raw', `${head('content-length: 1000\r\n')}half of it`],
    ['chunked', `${head('transfer-encoding: chunked\r\n')}4\r\nhalf\r\n`],
    ['form', `${head('content-length: 1000\r\ncontent-type: multipart/form-data; boundary=b\r\n')}${partHead}half`],
    ['form without a part', `${head('content-length: 1000\r\ncontent-type: multipart/form-data; boundary=b\r\n')}--b`],
  ];

  // API-RULE-files-8
  it.each(openings)('that stands still is given up and leaves nothing: %s', async (_, opening) => {
    const before = stored();
    const socket = await rawConnection(port);
    let isOver = false;
    const reply = rawReply(socket).finally(() => {
      isOver = true;
    });
    socket.write(opening);
    // Time goes on at once, and again for every byte that the server has yet to take.
    while (!isOver) {
      await clock.advance(stallTimeoutMs);
      await new Promise(setImmediate);
    }
    const { status, text } = await reply;
    expect([status, text.includes('UPLOAD_STALLED')]).toEqual([400, true]);
    await Promise.allSettled(handled);
    expect(stored()).toEqual(before);
  });

  it.each(openings)('that is cut leaves nothing, and no fault: %s', async (name, opening) => {
    const before = stored();
    const socket = await rawConnection(port);
    let answered = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const isRead = new Promise<void>((resolve) => {
      began = resolve;
      if (name === 'form without a part') app.server.once('request', () => setImmediate(resolve));
    });
    app.server.once('request', (_, response) => response.once('close', answered));
    socket.write(opening);
    await isRead;
    socket.destroy();
    await isAnswered;
    await Promise.allSettled(handled);
    expect(stored()).toEqual(before);
  });

  it.each(['raw', 'form'])('through a slow store holds a few chunks of it, never the whole: %s', async (how) => {
    const boundBytes = 512 * 1024;
    let given = 0;
    let worst = 0;
    through = (source) =>
      Readable.from(
        (async function* () {
          for await (const chunk of source) {
            given += chunk.length;
            yield chunk;
            // Time enough for the server to read ahead, if it did not wait for the store.
            for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
            worst = Math.max(worst, (connections.at(-1)?.bytesRead ?? 0) - given);
          }
        })(),
      );
    const bytes = Buffer.alloc(maxBytes, 'much');
    const socket = await rawConnection(port);
    const reply = rawReply(socket);
    const tail = '\r\n--b--\r\n';
    const isForm = how === 'form';
    const length = bytes.length + (isForm ? partHead.length + tail.length : 0);
    const type = isForm ? 'multipart/form-data; boundary=b' : 'text/plain';
    socket.write(head(`connection: close\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n`));
    if (isForm) socket.write(partHead);
    if (!socket.write(bytes)) await once(socket, 'drain');
    if (isForm) socket.write(tail);
    const { status, text } = await reply;
    expect([status, text.includes(`"size":${maxBytes}`)]).toEqual([200, true]);
    expect(given).toBe(maxBytes);
    expect(worst).toBeLessThan(boundBytes);
  });

  it('of another media type than a media type is refused before it is read', async () => {
    const headers = { 'content-type': 'text/', 'content-length': '9999' };
    const { status, text } = await rawRequest(port, 'POST', '/upload/any', headers, 'x');
    expect([status, text.includes('WRONG_MEDIA_TYPE')]).toEqual([415, true]);
  });
});
