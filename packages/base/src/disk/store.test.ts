import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { MemoryStore, PowerLost } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { DiskStore, encodeName } from './store.ts';

const folders: string[] = [];
const opened: DiskStore[] = [];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-store-'));
  folders.push(folder);
  return folder;
}

async function openDisk(folder: string): Promise<DiskStore> {
  const store = await DiskStore.open(folder);
  opened.push(store);
  return store;
}

afterAll(async () => {
  await Promise.allSettled(opened.map((store) => store.close()));
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
});

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (content: Uint8Array | undefined): string | undefined =>
  content === undefined ? undefined : Buffer.from(content).toString();

async function put(store: Store, name: string, ...chunks: readonly string[]): Promise<void> {
  const writer = await store.create(name);
  for (const chunk of chunks) await writer.append(bytes(chunk));
  await writer.publish();
}

test.each([
  ['con', 'con', '%63%6f%6e'],
  ['aux.txt', 'aux.txt', '%61%75%78.txt'],
  ['COM1', '%43%4f%4d1', '%43%4f%4d1'],
  ['notes.', 'notes.', 'notes%2e'],
  ['console.log', 'console.log', 'console.log'],
])('the file of "%s" is %s, and on Windows, which has devices of such names, %s', (name, plain, onWindows) => {
  expect(encodeName(name, 'linux')).toBe(plain);
  expect(encodeName(name, 'win32')).toBe(onWindows);
});

test('a folder of the host, and every file in it, are its owner’s alone', async () => {
  const folder = join(await newFolder(), 'module');
  await put(await openDisk(folder), 'device.key', 'secret');
  const names = await readdir(folder);
  expect(names.length).toBeGreaterThan(1);
  const modes = await Promise.all(['', ...names].map(async (name) => (await stat(join(folder, name))).mode & 0o777));
  expect(modes).toEqual([0o700, ...names.map(() => 0o600)]);
});

interface StoreCase {
  readonly title: string;
  open(): Promise<Store>;
}

const cases: readonly StoreCase[] = [
  { title: 'memory store', open: async () => new MemoryStore() },
  { title: 'disk store', open: async () => openDisk(await newFolder()) },
];

/** Names that are hard for one back end or the other. */
const oddNames = [
  'file/webapp/index.html',
  'README',
  'readme',
  '.',
  '..',
  '~1.tmp',
  '',
  'a b%2f',
  'Grüße',
  'A'.repeat(200),
  `${'A'.repeat(199)}B`,
  '%'.repeat(95),
];

describe.each(cases)('$title', ({ open }) => {
  test('gives back what was published', async () => {
    const store = await open();
    await put(store, 'a', 'Hello ', 'World!');
    expect(text(await store.read('a'))).toBe('Hello World!');
    expect(await store.names()).toEqual(['a']);
  });

  test('knows nothing of a name that was never written', async () => {
    const store = await open();
    expect(await store.read('a')).toBeUndefined();
    expect(await store.names()).toEqual([]);
  });

  const ranges: readonly (readonly [number, number | undefined, string])[] = [
    [0, 4, '0123'],
    [4, undefined, '456789'],
    [8, 100, '89'],
    [10, 12, ''],
    [20, undefined, ''],
    [3, 3, ''],
  ];
  test.each(ranges)('reads bytes %i to %s', async (start, end, expected) => {
    const store = await open();
    await put(store, 'a', '0123456789');
    expect(text(await store.read('a', start, end))).toBe(expected);
  });

  test('shows nothing before publish', async () => {
    const store = await open();
    const writer = await store.create('a');
    await writer.append(bytes('x'));
    expect(await store.read('a')).toBeUndefined();
    expect(await store.names()).toEqual([]);
    await writer.publish();
    expect(text(await store.read('a'))).toBe('x');
  });

  test('replaces a content in one step', async () => {
    const store = await open();
    await put(store, 'a', 'old');
    const writer = await store.create('a');
    await writer.append(bytes('new'));
    expect(text(await store.read('a'))).toBe('old');
    await writer.publish();
    expect(text(await store.read('a'))).toBe('new');
    expect(await store.names()).toEqual(['a']);
  });

  test('keeps the old content when the new one is discarded', async () => {
    const store = await open();
    await put(store, 'a', 'old');
    const writer = await store.create('a');
    await writer.append(bytes('new'));
    await writer.discard();
    expect(text(await store.read('a'))).toBe('old');
  });

  test('removes, also what is not there', async () => {
    const store = await open();
    await put(store, 'a', 'x');
    await store.remove('a');
    await store.remove('a');
    expect(await store.read('a')).toBeUndefined();
    expect(await store.names()).toEqual([]);
  });

  test('holds an empty content', async () => {
    const store = await open();
    await put(store, 'a');
    expect(text(await store.read('a'))).toBe('');
  });

  test('keeps two writers of one time apart', async () => {
    const store = await open();
    const [first, second] = [await store.create('a'), await store.create('b')];
    await first.append(bytes('1'));
    await second.append(bytes('2'));
    await first.append(bytes('3'));
    await first.publish();
    await second.publish();
    expect([text(await store.read('a')), text(await store.read('b'))]).toEqual(['13', '2']);
  });

  test('takes chunks of one byte and of many', async () => {
    const store = await open();
    const content = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7) & 0xff);
    const writer = await store.create('a');
    let at = 0;
    for (const size of [1, 1, 70_000, 1, 65_535, 65_536, 3]) {
      await writer.append(content.subarray(at, at + size));
      at += size;
    }
    for (; at < 205_000; at++) await writer.append(content.subarray(at, at + 1));
    await writer.append(content.subarray(at));
    await writer.publish();
    expect(Buffer.compare((await store.read('a')) ?? bytes(''), content)).toBe(0);
  });

  test('keeps odd names apart', async () => {
    const store = await open();
    for (const [index, name] of oddNames.entries()) await put(store, name, String(index));
    expect((await store.names()).toSorted()).toEqual(oddNames.toSorted());
    for (const [index, name] of oddNames.entries()) expect(text(await store.read(name))).toBe(String(index));
  });
});

describe('disk store', () => {
  test('finds everything again after it was closed', async () => {
    const folder = await newFolder();
    const first = await openDisk(folder);
    for (const [index, name] of oddNames.entries()) await put(first, name, String(index));
    await first.remove('README');
    await first.close();
    const second = await openDisk(folder);
    expect((await second.names()).toSorted()).toEqual(oddNames.filter((name) => name !== 'README').toSorted());
    expect(text(await second.read('readme'))).toBe('2');
  });

  test('clears temporary files away when it opens, and leaves foreign files alone', async () => {
    const folder = await newFolder();
    const first = await openDisk(folder);
    const draft = await first.create('a');
    await draft.append(bytes('never published'));
    await first.close();
    // Closed with the store: leaked files would run out.
    await expect(draft.publish()).rejects.toThrow('closed');
    await writeFile(join(folder, 'notes.txt'), 'mine');
    const second = await openDisk(folder);
    expect(await second.names()).toEqual([]);
    const left = (await readdir(folder)).filter((name) => !name.startsWith('~lock'));
    expect(left).toEqual(['notes.txt']);
  });

  test('keeps every file name under 255 bytes', async () => {
    const folder = await newFolder();
    const store = await openDisk(folder);
    for (const name of oddNames) await put(store, name, 'x');
    for (const name of await readdir(folder)) expect(Buffer.byteLength(name)).toBeLessThan(255);
  });

  test('refuses a name of more than 200 bytes', async () => {
    const store = await openDisk(await newFolder());
    await expect(store.create('ä'.repeat(101))).rejects.toThrow('is longer than 200 bytes');
  });

  test('goes on when its folder comes back, and a content that could not be finished leaves nothing', async () => {
    const folder = join(await newFolder(), 'flash');
    const store = await openDisk(folder);
    await put(store, 'a', 'x');
    const writer = await store.create('b');
    await rename(folder, `${folder}-gone`);
    await expect(writer.publish()).rejects.toThrow('ENOENT');
    await expect(store.create('c')).rejects.toThrow('ENOENT');
    expect(await store.read('a')).toBeUndefined();
    await rename(`${folder}-gone`, folder);
    expect(text((await store.read('a')) ?? new Uint8Array())).toBe('x');
    await put(store, 'b', 'y');
    expect(await store.names()).toEqual(['a', 'b']);
  });

  test('removes what somebody else has removed', async () => {
    const folder = await newFolder();
    const store = await openDisk(folder);
    await put(store, 'a', 'x');
    await rm(join(folder, encodeName('a')));
    await store.remove('a');
    expect(await store.names()).toEqual([]);
  });

  test('refuses a folder that is in use', async () => {
    const folder = await newFolder();
    const first = await openDisk(folder);
    await expect(DiskStore.open(folder)).rejects.toThrow(`Flash folder "${folder}" is in use by another process`);
    await first.close();
    await (await DiskStore.open(folder)).close();
  });

  test('lets one of many openers have the folder', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, '~lock.7'), '999999999 1 never');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => openDisk(folder)));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  });

  const staleOwners = ['999999999 1 no-such-boot', `${process.pid} 1 another-boot`, '', 'nonsense'];
  test.each(staleOwners)('takes over the lock of "%s"', async (owner) => {
    const folder = join(await newFolder(), 'flash');
    await mkdir(folder);
    await writeFile(join(folder, '~lock.3'), owner);
    const store = await openDisk(folder);
    await put(store, 'a', 'x');
    expect(text(await store.read('a'))).toBe('x');
  });
});

describe('memory store', () => {
  test('shares a content that comes in one piece', async () => {
    const shared = new Uint8Array(1000);
    const [first, second] = [new MemoryStore(), new MemoryStore()];
    for (const store of [first, second]) {
      const writer = await store.create('a');
      await writer.append(shared);
      await writer.publish();
    }
    expect((await first.read('a'))?.buffer).toBe((await second.read('a'))?.buffer);
  });

  test('rejects every call after its power has gone, and keeps what was published', async () => {
    const store = new MemoryStore({ cut: { atOperation: 4, effect: 'lost' } });
    await put(store, 'a', 'x');
    const writer = await store.create('b');
    await expect(writer.publish()).rejects.toThrow(PowerLost);
    await expect(store.read('a')).rejects.toThrow(PowerLost);
    const survivor = store.survivor();
    expect(await survivor.names()).toEqual(['a']);
    expect(text(await survivor.read('a'))).toBe('x');
  });

  test('may lose its power after the effect of a call', async () => {
    const store = new MemoryStore({ cut: { atOperation: 2, effect: 'kept' } });
    await expect(put(store, 'a', 'x')).rejects.toThrow(PowerLost);
    expect(await store.survivor().names()).toEqual(['a']);
  });
});
