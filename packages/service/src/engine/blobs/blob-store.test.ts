import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc16, VirtualClock } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObjectStore } from '../../testing/object-store.ts';
import { StorageError } from '../stores/health.ts';
import { diskBlobs } from './backends/disk-blobs.ts';
import { openBlobs } from './backends/open.ts';
import { s3Blobs } from './backends/s3-blobs.ts';
import { S3Client, type S3Place } from './backends/s3-client.ts';
import type { BlobStore } from './blob-store.ts';
import { memoryBlobs } from './memory-blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'moorage-blobs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hello = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const absent = '0'.repeat(64);

const read = async (store: BlobStore, sha256: string): Promise<Buffer | undefined> => {
  const blob = await store.open(sha256);
  if (!blob) return undefined;
  const bytes = Buffer.alloc(blob.size);
  for (let at = 0; at < bytes.length; ) at += await blob.read(bytes.subarray(at, at + 1000), at);
  await blob.close();
  return bytes;
};

async function listed(store: BlobStore) {
  const entries: { readonly sha256: string; readonly storedAtMs: number }[] = [];
  for await (const entry of store.list()) entries.push(entry);
  return entries;
}

const names = async (store: BlobStore): Promise<string[]> => (await listed(store)).map(({ sha256 }) => sha256).sort();

/** An object store on a free port, with an empty bucket, for as long as these tests run. */
let objectStore: ObjectStore;
let place: S3Place;
beforeAll(async () => {
  objectStore = await ObjectStore.open('blobs');
  place = objectStore.place();
});
afterAll(() => objectStore.close());

/** A way to a server on this machine that can be frozen: connections are taken and kept, and nothing moves on them. */
async function openRelay(target: number) {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  let asked = () => {};
  const relay = createTcpServer((from) => {
    const to = connect(target, '127.0.0.1');
    for (const socket of [from, to]) {
      sockets.add(socket);
      socket.on('error', () => {}).once('close', () => sockets.delete(socket));
      if (isFrozen) socket.pause();
    }
    if (isFrozen) asked();
    from.on('data', (chunk) => to.write(chunk)).on('close', () => to.destroy());
    to.on('data', (chunk) => from.write(chunk)).on('close', () => from.destroy());
    if (isFrozen) for (const socket of [from, to]) socket.pause();
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const address = relay.address();
  return {
    port: typeof address === 'object' ? address?.port : undefined,
    /** Resolves when a connection is made after the freeze. */
    asked: new Promise<void>((resolve) => {
      asked = resolve;
    }),
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

const stores: readonly { readonly kind: string; readonly make: () => Promise<BlobStore> }[] = [
  { kind: 'memory', make: async () => memoryBlobs() },
  { kind: 'disk', make: () => diskBlobs(mkdtempSync(join(folder, 'store-'))) },
  { kind: 's3', make: () => s3Blobs(place, `${randomUUID()}/`) },
];

describe.each(stores)('blob store ($kind)', ({ make }) => {
  it('gives size, SHA-256 and CRC of what was put', async () => {
    const store = await make();
    expect(await store.put(Buffer.from('hello'), 100)).toMatchObject({
      sha256: hello,
      size: 5,
      crc: crc16(Buffer.from('hello')),
    });
    expect((await read(store, hello))?.toString()).toBe('hello');
  });

  it('takes a stream in pieces of any size', async () => {
    const store = await make();
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7) % 251));
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)];
    const info = await store.put(Readable.from(pieces), bytes.length);
    expect(info).toMatchObject({ size: bytes.length, crc: crc16(bytes) });
    expect(bytes.equals((await read(store, info?.sha256 ?? '')) ?? Buffer.alloc(0))).toBe(true);
  });

  it('keeps an empty blob', async () => {
    const store = await make();
    const info = await store.put(Buffer.alloc(0), 0);
    expect(info?.size).toBe(0);
    expect((await read(store, info?.sha256 ?? ''))?.length).toBe(0);
  });

  it('stores equal contents once', async () => {
    const store = await make();
    await Promise.all([1, 2, 3].map(() => store.put(Buffer.from('hello'), 5)));
    expect(await names(store)).toEqual([hello]);
  });

  it('over the limit stops, leaves nothing, and leaves the source open', async () => {
    const store = await make();
    const source = Readable.from([Buffer.alloc(60), Buffer.alloc(60), Buffer.alloc(60)]);
    expect(await store.put(source, 100)).toBeUndefined();
    expect(source.destroyed).toBe(false);
    expect(await names(store)).toEqual([]);
  });

  it('of a source that breaks rejects and leaves nothing', async () => {
    const store = await make();
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('half');
        throw new Error('The client left');
      })(),
    );
    await expect(store.put(source, 100)).rejects.toThrow('The client left');
    expect(await names(store)).toEqual([]);
  });

  it('of an unknown blob opens and removes nothing', async () => {
    const store = await make();
    expect(await store.open(absent)).toBeUndefined();
    await store.remove(absent);
  });

  it('forgets a removed blob, also one that is being read', async () => {
    const store = await make();
    await store.put(Buffer.from('hello'), 5);
    const reading = await store.open(hello);
    await store.remove(hello);
    expect(await store.open(hello)).toBeUndefined();
    const bytes = Buffer.alloc(5);
    await reading?.read(bytes, 0);
    await reading?.close();
    expect(bytes.toString()).toBe('hello');
  });

  it('does not remove a blob that was put since a time', async () => {
    const store = await make();
    await store.put(Buffer.from('hello'), 5);
    const [entry] = await listed(store);
    await store.remove(hello, entry?.storedAtMs);
    expect(await names(store)).toEqual([hello]);
    await store.remove(hello, (entry?.storedAtMs ?? 0) + 1);
    expect(await names(store)).toEqual([]);
  });

  it('reads any part into any buffer', async () => {
    const store = await make();
    await store.put(Buffer.from('hello'), 5);
    const blob = await store.open(hello);
    const bytes = Buffer.alloc(3);
    expect(await blob?.read(bytes, 3)).toBe(2);
    expect(bytes.toString('latin1')).toBe('lo\0');
    expect(await blob?.read(bytes, 5)).toBe(0);
    await blob?.close();
  });
});

describe('disk blobs', () => {
  const everything = (place: string): string[] =>
    readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));

  it('lie in two levels of folders under their name', async () => {
    const place = mkdtempSync(join(folder, 'levels-'));
    await (await diskBlobs(place)).put(Buffer.from('hello'), 5);
    expect(everything(place)).toEqual([join(place, '2c', 'f2', hello)]);
    expect(readFileSync(join(place, '2c', 'f2', hello), 'utf8')).toBe('hello');
  });

  it('leave no temporary file after a cut or oversized upload', async () => {
    const place = mkdtempSync(join(folder, 'cut-'));
    const store = await diskBlobs(place);
    await store.put(Buffer.alloc(10), 5);
    const broken = new Readable({
      read() {
        this.destroy(new Error('cut'));
      },
    });
    await expect(store.put(broken, 5)).rejects.toThrow('cut');
    expect(everything(place)).toEqual([]);
  });

  it('sweep at their start what a process that is gone has left', async () => {
    const place = mkdtempSync(join(folder, 'sweep-'));
    await diskBlobs(place);
    const gone = join(place, 'tmp', '999999999-upload');
    const living = join(place, 'tmp', `${process.ppid}-upload`);
    for (const path of [gone, living]) writeFileSync(path, 'half');
    await diskBlobs(place);
    expect(everything(place)).toEqual([living]);
  });

  it('survive a new start, and strange files beside them', async () => {
    const place = mkdtempSync(join(folder, 'again-'));
    await (await diskBlobs(place)).put(Buffer.from('hello'), 5);
    writeFileSync(join(place, '2c', 'f2', 'README'), 'x');
    const store = await diskBlobs(place);
    expect(await names(store)).toEqual([hello]);
    expect((await read(store, hello))?.toString()).toBe('hello');
  });

  it('get a new time when the same content is put again', async () => {
    const place = mkdtempSync(join(folder, 'time-'));
    const store = await diskBlobs(place);
    await store.put(Buffer.from('hello'), 5);
    const path = join(place, '2c', 'f2', hello);
    utimesSync(path, 1000, 1000);
    expect((await listed(store))[0]?.storedAtMs).toBe(1_000_000);
    await store.put(Buffer.from('hello'), 5);
    expect((await listed(store))[0]?.storedAtMs).toBeGreaterThan(1_000_000);
  });

  // API-ERR-503
  it('of a store that is reached and says nothing end with that, and go on when it replies again', async () => {
    const relay = await openRelay(Number(new URL(place.endpoint).port));
    const clock = new VirtualClock(1_000);
    const store = await s3Blobs({ ...place, endpoint: `http://127.0.0.1:${relay.port}` }, 'silent/', clock);
    const large = Buffer.alloc(5_000_000, 'large');
    const info = await store.put(large, large.length);
    const reading = await store.open(info?.sha256 ?? '');
    relay.freeze();
    const rest = async () => {
      for (let at = 0; at < large.length; at += 500_000) await reading?.read(Buffer.alloc(500_000), at);
    };
    const works = [
      store.put(Buffer.from('x'), 1),
      store.open(hello),
      store.remove(hello),
      store.check(),
      listed(store),
      rest(),
    ];
    const outcomes = works.map((work) =>
      work.then(
        () => 'done',
        (error: unknown) => error,
      ),
    );
    // Requests are on their way before the time is.
    await relay.asked;
    await clock.advance(5_000);
    for (const outcome of await Promise.all(outcomes)) {
      expect(outcome).toBeInstanceOf(StorageError);
      expect(outcome).toMatchObject({ trouble: { kind: 'away', what: 'object store' } });
    }
    // No time has to pass for this one.
    await expect(store.open(hello)).rejects.toBeInstanceOf(StorageError);
    relay.thaw();
    await expect.poll(() => read(store, info?.sha256 ?? '').catch(() => undefined)).toEqual(large);
    await relay.close();
  });

  it('of a store that refuses connections, or answers that it cannot serve or has no room, say so', async () => {
    for (const status of [503, 507]) {
      const server = createServer((request, response) => {
        request.resume();
        response.writeHead(request.method === 'HEAD' ? 200 : status).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const store = await s3Blobs({ ...place, endpoint: `http://127.0.0.1:${port}` }, '');
      const trouble = { kind: status === 507 ? 'full' : 'away', what: 'object store' };
      await expect(store.put(Buffer.from('x'), 1)).rejects.toMatchObject({ trouble });
      await expect(store.open(hello)).rejects.toMatchObject({ trouble });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await expect(store.put(Buffer.from('x'), 1)).rejects.toMatchObject({ trouble: { kind: 'away' } });
      await expect(store.remove(hello)).rejects.toMatchObject({ trouble: { kind: 'away' } });
    }
  });

  it('refuse a name that is none of theirs', async () => {
    const store = await diskBlobs(mkdtempSync(join(folder, 'name-')));
    await expect(store.open('../../etc/passwd')).rejects.toThrow('is not the name of a blob');
  });
});

describe('s3 blobs', () => {
  const keys = async (prefix: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of new S3Client(place).list(prefix)) found.push(key);
    return found;
  };

  it('of 20 MB come and go, whole and in parts', async () => {
    const store = await s3Blobs(place, 'large/');
    const bytes = Buffer.alloc(20_000_000, 'a good deal of it ');
    const info = await store.put(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), bytes.length);
    expect(info?.size).toBe(bytes.length);
    const blob = await store.open(info?.sha256 ?? '');
    const part = Buffer.alloc(100_000);
    for (const at of [19_999_990, 0, 100_000, 5_000_000]) {
      const count = (await blob?.read(part, at)) ?? 0;
      expect(part.subarray(0, count).equals(bytes.subarray(at, at + 100_000))).toBe(true);
    }
    await blob?.close();
  });

  it('that are put again leave one object, and one that is being removed is not hit', async () => {
    const clock = new VirtualClock(1_000);
    const store = await s3Blobs(place, 'again/', clock);
    await store.put(Buffer.from('hello'), 5);
    const [first] = await keys('again/');
    await clock.advance(1);
    await store.put(Buffer.from('hello'), 5);
    const [second, ...others] = await keys('again/');
    expect([second === first, others]).toEqual([false, []]);
    // What a removal saw before the second put is no longer what there is.
    await new S3Client(place).remove(first ?? '');
    expect((await read(store, hello))?.toString()).toBe('hello');
  });

  it('leave what is not theirs alone', async () => {
    const spool = Readable.from([Buffer.from('x')]);
    await new S3Client(place).put('mixed/README', spool, 1);
    const store = await s3Blobs(place, 'mixed/');
    await store.put(Buffer.from('hello'), 5);
    await store.check();
    expect(await names(store)).toEqual([hello]);
    expect(await keys('mixed/')).toEqual([expect.stringMatching(`^mixed/${hello}/`), 'mixed/README']);
  });

  it('are listed over several pages, and found on each', async () => {
    const count = 1_001;
    const client = new S3Client(place);
    for (let at = 0; at < count; at++) await client.put(`pages/${at}`, Readable.from([]), 0);
    expect(new Set(await keys('pages/')).size).toBe(count);
  });

  it('need a bucket that is there, keys that are right, and a store that answers', async () => {
    await expect(s3Blobs({ ...place, bucket: 'nowhere' }, '')).rejects.toThrow('Bucket "nowhere" (--blobs) is not at');
    for (const wrong of [{ accessKey: 'other' }, { secretKey: 'other' }])
      await expect(s3Blobs({ ...place, ...wrong }, '')).rejects.toThrow('or --s3-access-key may not use it');
    await expect(s3Blobs({ ...place, endpoint: 'http://127.0.0.1:1' }, '')).rejects.toThrow('cannot be reached');
  });

  it.each([
    ['s3://blobs/deep/prefix/', 'deep/prefix/'],
    ['s3://blobs', ''],
  ])('at %s have keys that begin with "%s"', async (url, prefix) => {
    const { endpoint: s3Endpoint, region: s3Region, accessKey: s3AccessKey, secretKey: s3SecretKey } = place;
    const access = { s3Endpoint, s3Region, s3AccessKey, s3SecretKey };
    const store = await openBlobs(url, access);
    await store.put(Buffer.from('hello'), 5);
    expect(await keys(`${prefix}${hello}`)).toHaveLength(1);
    await expect(openBlobs(url, { ...access, s3SecretKey: undefined })).rejects.toThrow('--s3-secret-key');
  });

  it('refuse a name that is none of theirs', async () => {
    const store = await s3Blobs(place, '');
    await expect(store.open('../x')).rejects.toThrow('is not the name of a blob');
  });
});

describe('memory blobs', () => {
  it('take their times from the clock', async () => {
    const store = memoryBlobs(new VirtualClock(5));
    await store.put(Buffer.from('hello'), 5);
    expect(await listed(store)).toEqual([{ sha256: hello, storedAtMs: 5 }]);
  });
});
