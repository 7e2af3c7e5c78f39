import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { binary, endpoint } from '@moorage/api';
import { success } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BlobStore } from '../blobs/blob-store.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import { statusOf } from './errors.ts';
import { mountContract } from './mount.ts';
import { buildServer } from './server.ts';
import type { FileReply } from './types.ts';

const contract = {
  file: endpoint({
    method: 'GET',
    path: '/file',
    spec: [],
    tag: 'Test',
    summary: 'A file',
    auth: 'none',
    reply: binary(),
    errors: [416],
  }),
};

/** Larger than what one read takes and than what the system buffers of a connection. */
const content = Buffer.alloc(24 * 1024 * 1024 + 17, (() => 'a long and varied content. ')());
for (let at = 0; at < content.length; at += 4096) content.writeUInt32BE(at, Math.min(at, content.length - 4));

const stored = memoryBlobs();
let openBlobs = 0;
let started = 0;
let app: FastifyInstance;
let port = 0;
let file: FileReply;
const closed: (() => void)[] = [];

/** The same store, counting what is open. */
let address: string | undefined;
const blobs: BlobStore = {
  ...stored,
  addressOf: async (sha256, as) => address && `${address}?${new URLSearchParams({ sha256, ...as })}`,
  async open(sha256) {
    const blob = await stored.open(sha256);
    if (!blob) return undefined;
    openBlobs += 1;
    return {
      ...blob,
      close: async () => {
        openBlobs -= 1;
        for (const tell of closed.splice(0)) tell();
      },
    };
  },
};

beforeAll(async () => {
  const info = await stored.put(content, content.length);
  if (!info) throw new Error('Not stored');
  file = {
    sha256: info.sha256,
    size: info.size,
    mime: 'image/png',
    lastModifiedMs: 1_700_000_000_123,
    onStart: async () => {
      started += 1;
    },
  };
  app = buildServer({ statusOf, logLevel: 'silent', endpoints: Object.values(contract) });
  mountContract(app, contract, { file: async () => success(file) }, { blobs, statusOf, authenticate: {} });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = Number(new URL(app.listeningOrigin).port);
});

afterAll(() => app.close());

const get = (headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`http://127.0.0.1:${port}/file`, { headers, method });

const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
const whole = { 'content-type': 'image/png', etag, 'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT' };

describe('download', () => {
  // API-RULE-files-4
  it('gives the whole file with its headers', async () => {
    const reply = await get();
    expect(reply.status).toBe(200);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...whole,
      'content-length': String(content.length),
      'accept-ranges': 'bytes',
    });
    expect(content.equals(await reply.bytes())).toBe(true);
    expect(openBlobs).toBe(0);
  });

  it.each([
    ['bytes=5-9', 5, 10],
    ['bytes=131070-131080', 131_070, 131_081],
    [`bytes=${content.length - 3}-`, content.length - 3, content.length],
    ['bytes=-200000', content.length - 200_000, content.length],
  ])('of part %s gives 206 and just those bytes', async (range, start, end) => {
    const reply = await get({ range });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${content.length}`);
    expect(content.subarray(start, end).equals(await reply.bytes())).toBe(true);
  });

  // API-RULE-files-4
  it('of several parts gives 206 and each of them, with its place', async () => {
    const ranges = [
      [0, 10],
      [131_070, 262_150],
      [content.length - 3, content.length],
    ] as const;
    const range = `bytes=${ranges.map(([start, end]) => `${start}-${end - 1}`).join(', ')}`;
    const reply = await get({ range });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBeNull();
    const [, boundary = ''] =
      /^multipart\/byteranges; boundary=([0-9a-f]+)$/.exec(reply.headers.get('content-type') ?? '') ?? [];
    const body = Buffer.from(await reply.bytes());
    expect(reply.headers.get('content-length')).toBe(String(body.length));
    const parts = ranges.flatMap(([start, end]) => [
      `\r\n--${boundary}\r\nContent-Type: image/png\r\nContent-Range: bytes ${start}-${end - 1}/${content.length}\r\n\r\n`,
      content.subarray(start, end),
    ]);
    const wanted = Buffer.concat([...parts, `\r\n--${boundary}--\r\n`].map((part) => Buffer.from(part)));
    expect(body.equals(wanted)).toBe(true);
    const head = await get({ range }, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([206, String(body.length)]);
    expect(openBlobs).toBe(0);
  });

  it('of more parts than there may be gives the whole file', async () => {
    const many = Array.from({ length: 257 }, (_, at) => `${2 * at}-${2 * at}`).join(',');
    const reply = await get({ range: `bytes=${many}` });
    expect([reply.status, (await reply.bytes()).length]).toEqual([200, content.length]);
  });

  // API-ERR-416
  it('of a part outside the file gives 416 and the size', async () => {
    const reply = await get({ range: `bytes=${content.length}-` });
    expect(reply.status).toBe(416);
    expect(reply.headers.get('content-range')).toBe(`bytes */${content.length}`);
    expect(await reply.json()).toMatchObject({ statusCode: 416, code: 'RANGE_NOT_SATISFIABLE' });
  });

  it.each([{ 'if-none-match': etag }, { 'if-modified-since': whole['last-modified'] }])(
    'with %j gives 304, no body, and does not count as a start',
    async (headers) => {
      const before = started;
      const reply = await get(headers);
      expect(reply.status).toBe(304);
      expect(reply.headers.get('etag')).toBe(whole.etag);
      expect((await reply.bytes()).length).toBe(0);
      expect(started).toBe(before);
    },
  );

  // API-ERR-412: a download that goes on after a pause must not be put together from two files.
  it.each([{ 'if-match': '"other"' }, { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }])(
    'with %j is refused',
    async (headers) => {
      const reply = await get({ range: 'bytes=4-7', ...headers });
      expect(reply.status).toBe(412);
      expect(await reply.json()).toMatchObject({ statusCode: 412, code: 'FILE_CHANGED' });
      expect((await get({ range: 'bytes=4-7', 'if-match': whole.etag })).status).toBe(206);
    },
  );

  it.each([
    ['image/png', null],
    ['text/plain; charset=utf-8', null],
    ['application/json', null],
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['text/javascript', 'attachment'],
    ['application/pdf', 'attachment'],
    // Its parts would bring a policy of their own.
    ['multipart/x-mixed-replace; boundary=x', 'attachment'],
    ['text/plainly', 'attachment'],
  ])('of the type %s runs nothing here, and no cache on the way keeps it', async (mime, disposition) => {
    const before = file;
    file = { ...before, mime };
    const reply = await get({ range: 'bytes=0-0' });
    file = before;
    expect(reply.headers.get('content-disposition')).toBe(disposition);
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*; sandbox$/);
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply.headers.get('cache-control')).toBe('private, no-cache');
    await reply.bytes();
  });

  it('with an outdated If-Range gives the whole file', async () => {
    const reply = await get({ range: 'bytes=0-3', 'if-range': '"other"' });
    expect(reply.status).toBe(200);
    await reply.body?.cancel();
  });

  it('asked for by HEAD gives the headers alone', async () => {
    const before = started;
    const reply = await get({}, 'HEAD');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-length')).toBe(String(content.length));
    expect((await reply.bytes()).length).toBe(0);
    expect(started).toBe(before);
  });

  it('calls back once at its start', async () => {
    const before = started;
    await (await get({ range: 'bytes=0-9' })).bytes();
    expect(started).toBe(before + 1);
  });

  it.each([
    ['at once', 0],
    ['after some bytes', 1],
    ['after more bytes', 20],
  ])('closes its file when the client leaves %s', async (_, chunks) => {
    const over = new Promise<void>((resolve) => closed.push(resolve));
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /file HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let seen = 0; seen < chunks; seen++) await once(socket, 'data');
    if (chunks === 0) await once(socket, 'connect');
    socket.resetAndDestroy();
    if (chunks > 0) await over;
    // The next download is served from a clean state.
    expect((await (await get({ range: 'bytes=0-3' })).bytes()).length).toBe(4);
    expect(openBlobs).toBe(0);
  });

  it('waits for a reader that does not read', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.pause();
    socket.write('GET /file HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    let size = 0;
    for await (const chunk of socket) size += chunk.length;
    expect(size).toBeGreaterThan(content.length);
    expect(openBlobs).toBe(0);
  });

  it('of bytes that the store has lost is 500', async () => {
    const kept = file;
    file = { ...file, sha256: '0'.repeat(64) };
    expect((await get()).status).toBe(500);
    file = kept;
  });
});

describe('redirect to the store', () => {
  beforeAll(() => {
    address = 'https://store.example/blob';
  });
  afterAll(() => {
    address = undefined;
  });
  const ask = (headers: Record<string, string>, method = 'GET') =>
    fetch(`http://127.0.0.1:${port}/file`, { headers, method, redirect: 'manual' });

  it.each([{}, { range: 'bytes=5-9' }, { range: 'bytes=5-', 'if-range': etag }])(
    'is the answer to a client that prefers it and sends %j, and counts as a start',
    async (headers) => {
      const before = started;
      const reply = await ask({ prefer: 'respond-async, redirect', ...headers });
      expect(reply.status).toBe(307);
      const location = new URL(reply.headers.get('location') ?? '');
      expect([location.host, location.searchParams.get('content-type')]).toEqual(['store.example', 'image/png']);
      expect(reply.headers.get('cache-control')).toBe('no-store');
      expect([await reply.text(), started]).toEqual(['', before + 1]);
    },
  );

  it.each([
    ['a client that does not prefer it', 206, { range: 'bytes=0-9' }, 'GET'],
    ['a head', 200, { prefer: 'redirect' }, 'HEAD'],
    ['what the client has', 304, { prefer: 'redirect', 'if-none-match': etag }, 'GET'],
    ['a part outside the file', 416, { prefer: 'redirect', range: `bytes=${content.length}-` }, 'GET'],
    ['a part of what has changed', 200, { prefer: 'redirect', range: 'bytes=0-9', 'if-range': '"other"' }, 'GET'],
  ] as const)('is not the answer to %s', async (_, status, headers, method) => {
    const reply = await ask(headers, method);
    expect(reply.status).toBe(status);
    await reply.bytes();
  });

  it('is not the answer where clients do not reach the store, nor for a small file', async () => {
    const large = file;
    file = { ...large, size: 1_000 };
    expect((await ask({ prefer: 'redirect', range: 'bytes=0-9' })).status).toBe(206);
    file = large;
    address = undefined;
    expect((await ask({ prefer: 'redirect', range: 'bytes=0-9' })).status).toBe(206);
  });
});
