import { randomUUID } from 'node:crypto';
import { realClock, VirtualClock } from '@moorage/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObjectStore } from '../../testing/object-store.ts';
import { s3Blobs } from './backends/s3-blobs.ts';
import type { S3Place } from './backends/s3-client.ts';
import type { BlobStore } from './blob-store.ts';

const hello = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

describe('requests to an object store', () => {
  let objectStore: ObjectStore;
  let place: S3Place;
  beforeAll(async () => {
    objectStore = await ObjectStore.open('blobs');
    place = objectStore.place();
  });
  afterAll(() => objectStore.close());

  async function read(store: BlobStore, sha256: string): Promise<Buffer | undefined> {
    const blob = await store.open(sha256);
    if (!blob) return undefined;
    const bytes = Buffer.alloc(blob.size);
    expect(await blob.read(bytes, 0)).toBe(bytes.length);
    await blob.close();
    return bytes;
  }

  /** Method and query of each request that the object store has had since the call. */
  function requests(): string[] {
    const seen: string[] = [];
    objectStore.server.on('request', ({ method, url }) => {
      const isList = /[?&](list-type|prefix)=/.test(url ?? '');
      // A watch asks for the bucket when a reply takes long.
      if (method !== 'HEAD') seen.push(isList ? 'LIST' : (method ?? ''));
    });
    return seen;
  }

  it('opens what this process has put or read with one request, wherever the reading begins', async () => {
    const prefix = `${randomUUID()}/`;
    const [here, there] = [await s3Blobs(place, prefix), await s3Blobs(place, prefix)];
    await here.put(Buffer.from('hello'), 100);
    const seen = requests();
    expect((await read(here, hello))?.toString()).toBe('hello');
    expect(seen.splice(0)).toEqual(['GET']);
    expect((await read(there, hello))?.toString()).toBe('hello');
    expect(seen.splice(0)).toEqual(['LIST', 'GET']);
    const blob = await there.open(hello, 2);
    const bytes = Buffer.alloc(3);
    expect([blob?.size, await blob?.read(bytes, 2), bytes.toString()]).toEqual([5, 3, 'llo']);
    await blob?.close();
    expect(seen.splice(0)).toEqual(['GET']);
  });

  it('opens what a record names with one request, and finds it where the record is old', async () => {
    const prefix = `${randomUUID()}/`;
    const here = await s3Blobs(place, prefix);
    const object = (await here.put(Buffer.from('hello'), 100))?.object;
    const there = () => s3Blobs(place, prefix, realClock, async () => object);
    const seen = requests();
    expect((await read(await there(), hello))?.toString()).toBe('hello');
    expect(seen.splice(0)).toEqual(['GET']);
    await here.put(Buffer.from('hello'), 100);
    seen.splice(0);
    expect((await read(await there(), hello))?.toString()).toBe('hello');
    expect(seen.splice(0)).toEqual(['GET', 'LIST', 'GET']);
  });

  it('makes an address at which a client gets any part, with the headers of the file, where clients reach the store', async () => {
    const prefix = `${randomUUID()}/`;
    const here = await s3Blobs({ ...place, publicEndpoint: place.endpoint }, prefix);
    await here.put(Buffer.from('hello'), 100);
    const seen = requests();
    const as = { 'content-type': 'text/csv', 'content-disposition': 'attachment' };
    const address = (await here.addressOf?.(hello, as)) ?? '';
    expect(seen).toEqual([]);
    const reply = await fetch(address, { headers: { range: 'bytes=1-3' } });
    expect([reply.status, await reply.text()]).toEqual([206, 'ell']);
    expect(Object.fromEntries(reply.headers)).toMatchObject(as);
    const closed = await s3Blobs(place, prefix, realClock, async () => 'any');
    expect(await closed.addressOf?.(hello, as)).toBeUndefined();
  });

  it('finds what another process has put again, and not what it has removed', async () => {
    const prefix = `${randomUUID()}/`;
    const clock = new VirtualClock(1_700_000_000_000);
    const [here, there] = [await s3Blobs(place, prefix, clock), await s3Blobs(place, prefix, clock)];
    await here.put(Buffer.from('hello'), 100);
    await clock.advance(1_000);
    // The object that is known here goes with it.
    await there.put(Buffer.from('hello'), 100);
    expect((await read(here, hello))?.toString()).toBe('hello');
    await there.remove(hello);
    expect(await read(here, hello)).toBeUndefined();
  });
});
