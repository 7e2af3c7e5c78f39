import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc16, defined, type Store, unwrap, type Version } from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { MemoryStore } from '@moorage/base/store/memory';
import { afterAll, describe, expect, test } from 'vitest';
import { StoreFiles } from './store-files.ts';

const folders: string[] = [];
const open: DiskStore[] = [];
afterAll(async () => {
  await Promise.all(open.map((store) => store.close()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

const stores: readonly { readonly name: string; readonly make: () => Promise<Store> }[] = [
  { name: 'memory', make: async () => new MemoryStore() },
  {
    name: 'disk',
    async make() {
      const folder = await mkdtemp(join(tmpdir(), 'moorage-files-'));
      folders.push(folder);
      const store = await DiskStore.open(folder);
      open.push(store);
      return store;
    },
  },
];

const version: Version = [1, 2, 3, 4];
const bytes = (text: string): Uint8Array => Buffer.from(text);

async function write(files: StoreFiles, name: string, text: string, crc?: number, size = text.length) {
  const writer = await files.create({ purpose: 'requested', name, size, version, ...defined({ crc }) });
  if (!writer.ok) return writer;
  await writer.value.append(bytes(text));
  return writer.value.finish();
}

const read = async (files: StoreFiles, name: string) => {
  const content = await files.readAll(name, 100);
  return content.ok ? Buffer.from(content.value).toString() : content.error;
};

describe.each(stores)('files over a store: $name', ({ make }) => {
  test('are there with size, CRC and version, before and after opening again', async () => {
    const store = await make();
    const files = await StoreFiles.open(store);
    expect(await write(files, 'chart.txt', 'deep here')).toMatchObject({ ok: true });
    for (const opened of [files, await StoreFiles.open(store)]) {
      expect(opened.stat('chart.txt')).toMatchObject({
        size: 9,
        crc: crc16(bytes('deep here')),
        version,
        isSecret: false,
      });
      expect(await read(opened, 'chart.txt')).toBe('deep here');
    }
  });

  test('take the place of an older one only when they are whole and right', async () => {
    const store = await make();
    const files = await StoreFiles.open(store);
    unwrap(await write(files, 'chart.txt', 'old'));
    expect(await write(files, 'chart.txt', 'new', 1)).toEqual({ ok: false, error: 'crc' });
    expect(await write(files, 'chart.txt', 'new', undefined, 4)).toEqual({ ok: false, error: 'incomplete' });
    expect(await write(files, 'chart.txt', 'new', undefined, 2)).toEqual({ ok: false, error: 'incomplete' });
    expect(await read(files, 'chart.txt')).toBe('old');
    unwrap(await write(files, 'chart.txt', 'new'));
    expect(await read(files, 'chart.txt')).toBe('new');
    expect((await store.names()).filter((name) => name.startsWith('content/'))).toHaveLength(1);
  });

  test('are gone once removed, and what a cut has left is swept', async () => {
    const store = await make();
    const files = await StoreFiles.open(store);
    unwrap(await write(files, 'chart.txt', 'deep here'));
    await files.remove('chart.txt');
    await files.remove('chart.txt');
    expect(await read(files, 'chart.txt')).toBe('missing');
    const orphan = await store.create('content/77');
    await orphan.append(bytes('left'));
    await orphan.publish();
    expect((await StoreFiles.open(store)).list()).toEqual([]);
    expect(await store.names()).toEqual(['files']);
  });

  test('are not read when they are too large', async () => {
    const files = await StoreFiles.open(await make());
    unwrap(await write(files, 'chart.txt', 'deep here'));
    expect(await files.readAll('chart.txt', 8)).toEqual({ ok: false, error: 'too-large' });
  });
});
