import { unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { readingStream, writingStream } from './file-streams.ts';
import { defaultFlashLayout, fileFlags } from './flash.ts';
import { Flash } from './flash-files.ts';
import type { Stream } from './streams.ts';
import { StreamTable } from './streams.ts';

async function setUp(autoClose = true) {
  const closed: number[] = [];
  const notices = { opened: () => {}, closing: () => {}, closed: (handle: number) => void closed.push(handle) };
  const flash = await Flash.open(new MemoryStore(), defaultFlashLayout);
  return { flash, closed, table: new StreamTable({ autoClose: () => autoClose, notices }) };
}

async function beginFile(flash: Flash, name: string, size: number, crc?: number): Promise<Stream> {
  const file = { name, size, version: [1, 4, 0, 24], type: 0xfe, flags: fileFlags.user, crc } as const;
  const writer = await flash.create(file);
  if (!writer.ok) throw new Error(writer.error);
  return writingStream(file, writer.value);
}

async function writeText(table: StreamTable, text: string): Promise<string> {
  const begun = table.write(0, text.length);
  if (!begun.ok) return begun.error;
  await begun.value.append(Buffer.from(text));
  const ended = await begun.value.end();
  return ended.ok ? 'written' : ended.error;
}

async function readText(table: StreamTable, max: number): Promise<string> {
  const bytes = await table.read(0, max);
  return bytes.ok ? Buffer.from(bytes.value).toString() : bytes.error;
}

describe('file streams', () => {
  test('a file is written in chunks; its stream closes itself with the last byte', async () => {
    // MOD-STATE-5
    const { flash, closed, table } = await setUp(false);
    unwrap(table.open(await beginFile(flash, 'a', 6)));
    expect(table.get(0)?.info()).toBe('a-1.4.0.24 (6, 0)');
    unwrap(await table.close(0));
    closed.length = 0;

    unwrap(table.open(await beginFile(flash, 'a', 6)));
    expect(await writeText(table, 'abcd')).toBe('written');
    expect(table.get(0)?.info()).toBe('a-1.4.0.24 (6, 4)');
    expect(table.poll(0)).toEqual({ ok: true, value: 0 });
    expect(flash.stat('a')).toBeUndefined();
    expect(await writeText(table, 'ef')).toBe('written');
    expect(closed).toEqual([0]);
    expect(flash.stat('a')).toMatchObject({ size: 6, flags: 0x21 });
    expect(await writeText(table, 'g')).toBe('unknown-handle');
  });

  test('a write of more than is missing is refused and takes nothing', async () => {
    const { flash, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 3)));
    expect(await writeText(table, 'abcd')).toBe('too-large');
    expect(await writeText(table, 'abc')).toBe('written');
    expect(flash.stat('a')?.size).toBe(3);
  });

  test('a wrong CRC fails the last write, closes the stream and loses the file', async () => {
    const { flash, closed, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 1, 0x1234)));
    expect(await writeText(table, 'a')).toBe('crc');
    expect(closed).toEqual([0]);
    expect(flash.stat('a')).toBeUndefined();
  });

  test.each(['close', 'reset'] as const)('a %s before the last byte loses the file and frees its name', async (how) => {
    // MOD-STATE-6
    const { flash, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 2)));
    await writeText(table, 'x');
    if (how === 'close') unwrap(await table.close(0));
    else await table.reset();
    expect(flash.stat('a')).toBeUndefined();
    expect(flash.free('e')).toBe(defaultFlashLayout.areaBytes.e);
    unwrap(table.open(await beginFile(flash, 'a', 1)));
    expect(await writeText(table, 'y')).toBe('written');
  });

  test('bytes of a write that was broken off are not in the file', async () => {
    const { flash, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 3)));
    const begun = table.write(0, 3);
    if (begun.ok) await begun.value.append(Buffer.from('ab'));
    if (begun.ok) await begun.value.abort();
    expect(table.get(0)?.info()).toBe('a-1.4.0.24 (3, 0)');
    expect(await writeText(table, 'abc')).toBe('written');
  });

  test('a stream for writing cannot be read, and one for reading not written', async () => {
    const { flash, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 1)));
    expect(await readText(table, 1)).toBe('not-readable');
    await writeText(table, 'x');
    const file = flash.stat('a');
    if (file) unwrap(table.open(readingStream(flash, file)));
    expect(await writeText(table, 'y')).toBe('not-writable');
  });

  const reads: readonly (readonly [autoClose: boolean, sizes: readonly number[], expected: readonly string[]])[] = [
    [true, [100, 1], ['0123456789', 'unknown-handle']],
    [true, [10, 1], ['0123456789', 'unknown-handle']],
    [true, [4, 6, 1], ['0123', '456789', 'unknown-handle']],
    [false, [100, 1], ['0123456789', '']],
  ];
  test.each(reads)('a file is read to its end, auto close %s, sizes %j', async (autoClose, sizes, expected) => {
    // MOD-STREAM-FILE
    const { flash, closed, table } = await setUp(autoClose);
    unwrap(table.open(await beginFile(flash, 'a', 10)));
    await writeText(table, '0123456789');
    closed.length = 0;
    const file = flash.stat('a');
    if (file) unwrap(table.open(readingStream(flash, file)));
    expect(table.poll(0)).toEqual({ ok: true, value: 1 });
    const found: string[] = [];
    for (const size of sizes) found.push(await readText(table, size));
    expect(found).toEqual(expected);
    expect(closed).toEqual(autoClose ? [0] : []);
  });

  test('reading fails when the file is deleted under it', async () => {
    const { flash, table } = await setUp();
    unwrap(table.open(await beginFile(flash, 'a', 2)));
    await writeText(table, 'xy');
    const file = flash.stat('a');
    if (file) unwrap(table.open(readingStream(flash, file)));
    expect(await readText(table, 1)).toBe('x');
    unwrap(await flash.remove('a'));
    expect(table.poll(0)).toEqual({ ok: true, value: 2 });
    expect(await readText(table, 1)).toBe('missing');
    expect(table.get(0)).toBeUndefined();
  });
});
