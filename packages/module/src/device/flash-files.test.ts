import { unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import {
  type FactoryFile,
  type FileInfo,
  type FileWriter,
  type FlashLayout,
  fileFlags,
  type NewFile,
} from './flash.ts';
import { Flash } from './flash-files.ts';

const layout: FlashLayout = { areaBytes: { i: 16 * 4096, e: 8 * 4096, b: 4 * 4096 }, maxFilesPerArea: 5 };

const factoryFiles: readonly FactoryFile[] = [
  { name: 'main_app.exe', area: 'i', type: 0x81, flags: 0x1a, version: [2, 2, 0, 12], content: Buffer.from('main') },
  { name: 'command_help.csv', area: 'e', type: 0xfb, flags: 0, version: [2, 0, 0, 0], content: Buffer.from('help') },
  { name: 'wifi_fw.bin', area: 'e', type: 0x01, flags: 0x08, version: [5, 0, 0, 0], content: new Uint8Array(5000) },
];

const userFile = (name: string, size: number, more: Partial<NewFile> = {}): NewFile => ({
  name,
  size,
  version: [1, 0, 0, 0],
  type: 0xfe,
  flags: fileFlags.user,
  ...more,
});

const openFlash = (store = new MemoryStore()): Promise<Flash> => Flash.open(store, layout, factoryFiles);

async function begin(flash: Flash, file: NewFile): Promise<FileWriter> {
  const writer = await flash.create(file);
  if (!writer.ok) throw new Error(`Refused: ${writer.error}`);
  return writer.value;
}

async function make(flash: Flash, file: NewFile, content: Uint8Array = new Uint8Array(file.size)): Promise<FileInfo> {
  const writer = await begin(flash, file);
  await writer.append(content);
  const made = await writer.finish();
  if (!made.ok) throw new Error(`Refused: ${made.error}`);
  return made.value;
}

const errorOf = (result: { readonly ok: boolean; readonly error?: string }): string | undefined => result.error;

describe('Flash', () => {
  test('writes the factory files once, the radio firmware first in extended flash', async () => {
    const store = new MemoryStore();
    const first = await openFlash(store);
    expect(first.list().map(({ name, area, unit, flags }) => ({ name, area, unit, flags }))).toEqual([
      { name: 'wifi_fw.bin', area: 'e', unit: 0, flags: 0x09 },
      { name: 'main_app.exe', area: 'i', unit: 0, flags: 0x1b },
      { name: 'command_help.csv', area: 'e', unit: 2, flags: 0x01 },
    ]);
    expect((await first.remove('command_help.csv')).ok).toBe(true);
    const second = await openFlash(store.survivor());
    expect(second.list().map((file) => file.name)).toEqual(['wifi_fw.bin', 'main_app.exe']);
  });

  test('reads the index of the factory files back as it wrote it', async () => {
    const store = new MemoryStore();
    const first = await openFlash(store);
    const second = await openFlash(store.survivor());
    expect(second.list()).toEqual(first.list());
  });

  test('shares the factory files among boards', async () => {
    const [first, second] = [await openFlash(), await openFlash()];
    expect(first.stat('wifi_fw.bin')).toBe(second.stat('wifi_fw.bin'));
    const contents = await Promise.all([first, second].map((flash) => flash.readAll('wifi_fw.bin', 10_000)));
    const [one, other] = contents.map((content) => (content.ok ? content.value.buffer : undefined));
    expect(one).toBeDefined();
    expect(one).toBe(other);
  });

  test('keeps a file over a restart, with all its fields', async () => {
    // MOD-FILE-fields, MOD-FILE-crc, MOD-FILE-flag-bits, MOD-FILE-durable
    const store = new MemoryStore();
    const flash = await openFlash(store);
    const flags = fileFlags.user | fileFlags.essential | fileFlags.unprotected;
    const file = userFile('a b/c.txt', 12, { version: [31, 63, 8191, 255], type: 0x96, flags });
    const made = await make(flash, file, Buffer.from('Hello World!'));
    expect(made).toEqual({
      name: 'a b/c.txt',
      size: 12,
      crc: 0x222f,
      version: [31, 63, 8191, 255],
      area: 'e',
      type: 0x96,
      flags: 0x0161,
      unit: 3,
    });
    const again = await openFlash(store.survivor());
    expect(again.stat('a b/c.txt')).toEqual(made);
    const content = await again.readAll('a b/c.txt', 12);
    expect(content.ok && Buffer.from(content.value).toString()).toBe('Hello World!');
  });

  const crcVectors: readonly (readonly [string, number])[] = [
    ['', 0xffff],
    ['a', 0x10be],
    ['Hello World!', 0x222f],
    ['0123456789', 0x97c3],
    ['123456789', 0x89f6],
    [Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1'), 0xc3f3],
  ];
  test.each(crcVectors)('computes the CRC of %j while it is written', async (text, crc) => {
    const flash = await openFlash();
    const content = Buffer.from(text, 'latin1');
    const writer = await begin(flash, userFile('a', content.length, { crc }));
    for (const byte of content) await writer.append(Buffer.of(byte));
    expect(await writer.finish()).toMatchObject({ ok: true, value: { crc } });
  });

  test('shows nothing of a file before it is finished', async () => {
    // MOD-FILE-life
    const store = new MemoryStore();
    const flash = await openFlash(store);
    const writer = await begin(flash, userFile('a', 4));
    await writer.append(Buffer.from('1234'));
    expect(flash.stat('a')).toBeUndefined();
    expect((await openFlash(store.survivor())).stat('a')).toBeUndefined();
    unwrap(await writer.finish());
    expect(flash.stat('a')?.size).toBe(4);
  });

  test('gives the name and units of an unfinished file to no other file', async () => {
    const flash = await openFlash();
    const writer = await begin(flash, userFile('a', 4096));
    expect(errorOf(await flash.create(userFile('a', 1)))).toBe('exists');
    expect((await make(flash, userFile('b', 1))).unit).toBe(4);
    await writer.abandon();
    expect((await make(flash, userFile('a', 1))).unit).toBe(3);
  });

  test('leaves no trace of a file with a wrong CRC', async () => {
    const store = new MemoryStore();
    const flash = await openFlash(store);
    const writer = await begin(flash, userFile('a', 1, { crc: 0x1234 }));
    await writer.append(Buffer.from('a'));
    expect(errorOf(await writer.finish())).toBe('crc');
    expect(flash.stat('a')).toBeUndefined();
    expect((await openFlash(store.survivor())).stat('a')).toBeUndefined();
    expect((await make(flash, userFile('a', 1, { crc: 0x10be }), Buffer.from('a'))).unit).toBe(3);
  });

  test('refuses to finish a file before its last byte', async () => {
    const flash = await openFlash();
    const writer = await begin(flash, userFile('a', 3));
    await writer.append(Buffer.from('ab'));
    expect(writer.remaining).toBe(1);
    expect(errorOf(await writer.finish())).toBe('incomplete');
    expect(flash.stat('a')).toBeUndefined();
    expect(flash.free('e')).toBe(5 * 4096);
  });

  test('leaves no trace of a file that got more bytes than announced', async () => {
    const flash = await openFlash();
    const writer = await begin(flash, userFile('a', 3));
    await writer.append(Buffer.from('abcd'));
    await writer.append(Buffer.from('abc'));
    expect(errorOf(await writer.finish())).toBe('too-long');
    expect(flash.stat('a')).toBeUndefined();
    expect(flash.free('e')).toBe(5 * 4096);
  });

  const refusals: readonly (readonly [string, NewFile, string])[] = [
    ['a name that exists', userFile('command_help.csv', 1), 'exists'],
    ['an empty name', userFile('', 1), 'bad-name'],
    ['a name of 96 characters', userFile('n'.repeat(96), 1), 'bad-name'],
    ['a name with a control character', userFile('a\tb', 1), 'bad-name'],
    ['a name that is not ASCII', userFile('ä', 1), 'bad-name'],
    ['type 00 of a user', userFile('a', 1, { type: 0x00 }), 'protected'],
    ['type 01 of a user', userFile('a', 1, { type: 0x01 }), 'protected'],
    ['type 80 of a user', userFile('a', 1, { type: 0x80 }), 'protected'],
    ['type 81 of a user', userFile('a', 1, { type: 0x81 }), 'protected'],
    ['a user who replaces a system file', userFile('wifi_fw.bin', 1, { replace: true }), 'protected'],
    [
      'a plain file that replaces a system file',
      { ...userFile('wifi_fw.bin', 1, { replace: true }), flags: 0 },
      'protected',
    ],
    ['more bytes than the free run has', userFile('a', 5 * 4096 + 1), 'no-space'],
    ['more bytes than the area has', userFile('a', 100 * 4096), 'no-space'],
  ];
  test.each(refusals)('refuses %s', async (_title, file, error) => {
    const flash = await openFlash();
    expect(errorOf(await flash.create(file))).toBe(error);
    expect(flash.list()).toHaveLength(3);
  });

  test('takes names of 95 characters and files that fill the area', async () => {
    const flash = await openFlash();
    expect((await make(flash, userFile('n'.repeat(95), 5 * 4096))).unit).toBe(3);
    expect(flash.free('e')).toBe(0);
    expect(errorOf(await flash.create(userFile('a', 1)))).toBe('no-space');
  });

  test('takes a file of no bytes, which uses one unit', async () => {
    const flash = await openFlash();
    await make(flash, userFile('empty', 0));
    expect(flash.free('e')).toBe(4 * 4096);
  });

  test('counts files per area', async () => {
    // MOD-FILE-areas
    const flash = await openFlash();
    for (const name of ['a', 'b', 'c']) await make(flash, userFile(name, 1));
    expect(errorOf(await flash.create(userFile('d', 1)))).toBe('too-many-files');
    expect((await make(flash, userFile('d', 1, { area: 'b' }))).area).toBe('b');
    expect((await make(flash, userFile('a', 2, { replace: true }))).size).toBe(2);
  });

  test('uses the first free run that is long enough', async () => {
    // MOD-FILE-units
    const flash = await openFlash();
    for (const name of ['a', 'b', 'c']) await make(flash, userFile(name, 1));
    unwrap(await flash.remove('a'));
    unwrap(await flash.remove('c'));
    expect((await make(flash, userFile('wide', 4097))).unit).toBe(5);
    expect((await make(flash, userFile('narrow', 4096))).unit).toBe(3);
  });

  test('removes a user file and frees its units', async () => {
    const store = new MemoryStore();
    const flash = await openFlash(store);
    await make(flash, userFile('a', 4097, { flags: fileFlags.user | fileFlags.essential }));
    expect(await flash.remove('a')).toEqual({ ok: true, value: undefined });
    expect(flash.free('e')).toBe(5 * 4096);
    expect((await openFlash(store.survivor())).stat('a')).toBeUndefined();
  });

  const removals: readonly (readonly [string, boolean, string | undefined])[] = [
    ['no such file', false, 'missing'],
    ['main_app.exe', false, 'protected'],
    ['wifi_fw.bin', false, 'protected'],
    ['main_app.exe', true, undefined],
    ['command_help.csv', false, undefined],
  ];
  test.each(removals)('removal of "%s", forced %s, is refused as %s', async (name, force, error) => {
    const flash = await openFlash();
    expect(errorOf(await flash.remove(name, { force }))).toBe(error);
  });

  test('replaces a system file for an update, which stays until the new one is valid', async () => {
    const store = new MemoryStore();
    const flash = await openFlash(store);
    const update: NewFile = { ...userFile('wifi_fw.bin', 3), type: 0x01, flags: fileFlags.system, replace: true };
    const writer = await begin(flash, update);
    await writer.append(Buffer.from('new'));
    expect(flash.stat('wifi_fw.bin')?.size).toBe(5000);
    expect((await openFlash(store.survivor())).stat('wifi_fw.bin')?.size).toBe(5000);
    unwrap(await writer.finish());
    expect(flash.stat('wifi_fw.bin')).toMatchObject({ size: 3, unit: 3, flags: 0x09 });
    expect((await make(flash, userFile('a', 8192))).unit).toBe(0);
  });

  test('puts a replacement where the old file lies, unless it names an area', async () => {
    const flash = await openFlash();
    const program: NewFile = { ...userFile('main_app.exe', 3), type: 0x81, flags: fileFlags.system, replace: true };
    expect(await make(flash, program)).toMatchObject({ area: 'i', unit: 1 });
    expect(await make(flash, { ...program, area: 'e' })).toMatchObject({ area: 'e', unit: 3 });
    expect(flash.free('i')).toBe(16 * 4096);
  });

  test('keeps the old file when its replacement has a wrong CRC', async () => {
    const flash = await openFlash();
    await make(flash, userFile('a', 1), Buffer.from('a'));
    const writer = await begin(flash, userFile('a', 1, { replace: true, crc: 1 }));
    await writer.append(Buffer.from('b'));
    expect(errorOf(await writer.finish())).toBe('crc');
    const content = await flash.readAll('a', 1);
    expect(content.ok && Buffer.from(content.value).toString()).toBe('a');
  });

  test('formats extended flash but for the radio firmware', async () => {
    // MOD-CMD-format_flash
    const store = new MemoryStore();
    const flash = await openFlash(store);
    await make(flash, userFile('a', 1));
    await make(flash, userFile('big.jpeg', 1, { area: 'b' }));
    await flash.format('e');
    const left = ['big.jpeg', 'main_app.exe', 'wifi_fw.bin'];
    expect(
      flash
        .list()
        .map((file) => file.name)
        .toSorted(),
    ).toEqual(left);
    expect(
      (await openFlash(store.survivor()))
        .list()
        .map((file) => file.name)
        .toSorted(),
    ).toEqual(left);
    await flash.format('b');
    expect(flash.stat('big.jpeg')).toBeUndefined();
  });

  test('reads parts of a file, and nothing of one that is gone', async () => {
    const flash = await openFlash();
    const info = await make(flash, userFile('a', 10), Buffer.from('0123456789'));
    const part = await flash.read(info, 8, 20);
    expect(part.ok && Buffer.from(part.value).toString()).toBe('89');
    expect((await flash.read(info, 10, 20)).ok).toBe(true);
    await make(flash, userFile('a', 10, { replace: true }));
    expect(errorOf(await flash.read(info, 0, 10))).toBe('missing');
    unwrap(await flash.remove('a'));
    expect(errorOf(await flash.readAll('a', 10))).toBe('missing');
  });

  test('refuses to read more at once than asked for', async () => {
    const flash = await openFlash();
    expect(errorOf(await flash.readAll('wifi_fw.bin', 4999))).toBe('too-large');
  });

  test('clears away an entry that is no complete file', async () => {
    const store = new MemoryStore();
    await openFlash(store);
    for (const [name, content] of [
      ['file/short', 'MF'],
      ['file/odd', 'x'.repeat(100)],
      ['settings', 'kept'],
    ] as const) {
      const writer = await store.create(name);
      await writer.append(Buffer.from(content));
      await writer.publish();
    }
    const flash = await openFlash(store);
    expect(flash.list()).toHaveLength(3);
    const names = await store.names();
    expect(names.includes('file/short') || names.includes('file/odd')).toBe(false);
    expect(names).toContain('settings');
  });
});
