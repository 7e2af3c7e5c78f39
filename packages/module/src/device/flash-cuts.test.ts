import { MemoryStore, type PowerCut, PowerLost } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { type FactoryFile, type FlashLayout, fileFlags, type NewFile } from './flash.ts';
import { Flash } from './flash-files.ts';

const layout: FlashLayout = { areaBytes: { i: 65_536, e: 65_536, b: 65_536 }, maxFilesPerArea: 100 };

const factoryFiles: readonly FactoryFile[] = [
  { name: 'main_app.exe', area: 'i', type: 0x81, flags: 0x1a, version: [2, 0, 0, 0], content: Buffer.from('main') },
  { name: 'wifi_fw.bin', area: 'e', type: 0x01, flags: 0x08, version: [5, 0, 0, 0], content: Buffer.from('radio') },
];

const file = (name: string, content: string, more: Partial<NewFile> = {}): NewFile => ({
  name,
  size: content.length,
  version: [1, 0, 0, 0],
  type: 0xfe,
  flags: fileFlags.user,
  ...more,
});

async function write(flash: Flash, name: string, content: string, more: Partial<NewFile> = {}): Promise<void> {
  const writer = await flash.create(file(name, content, more));
  if (!writer.ok) throw new Error(writer.error);
  for (const letter of content) await writer.value.append(Buffer.from(letter));
  const made = await writer.value.finish();
  if (!made.ok) throw new Error(made.error);
}

/** Content by name, after the index and every byte were read back. */
async function contents(flash: Flash): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { name, size } of flash.list()) {
    const content = await flash.readAll(name, size);
    if (!content.ok) throw new Error(`${name}: ${content.error}`);
    found[name] = Buffer.from(content.value).toString();
  }
  return found;
}

const factory = { 'main_app.exe': 'main', 'wifi_fw.bin': 'radio' };
const start = { ...factory, old: 'old content', other: 'other' };

interface CutCase {
  readonly title: string;
  change(flash: Flash): Promise<unknown>;
  readonly after: Readonly<Record<string, string>>;
}

const cases: readonly CutCase[] = [
  {
    title: 'create',
    change: (flash) => write(flash, 'new', 'new content'),
    after: { ...start, new: 'new content' },
  },
  {
    title: 'delete',
    change: (flash) => flash.remove('old'),
    after: { ...factory, other: 'other' },
  },
  {
    title: 'replace',
    change: (flash) => write(flash, 'old', 'newer', { replace: true }),
    after: { ...start, old: 'newer' },
  },
  {
    title: 'a replaced system file',
    change: (flash) => write(flash, 'main_app.exe', 'v3', { replace: true, area: 'i', type: 0x81, flags: 0x1a }),
    after: { ...start, 'main_app.exe': 'v3' },
  },
  {
    title: 'a file given up',
    change: async (flash) => {
      const writer = await flash.create(file('new', 'abc'));
      if (writer.ok) await writer.value.append(Buffer.from('ab'));
      if (writer.ok) await writer.value.abandon();
    },
    after: start,
  },
  {
    title: 'format',
    change: (flash) => flash.format('e'),
    after: factory,
  },
];

async function prepared(): Promise<MemoryStore> {
  const store = new MemoryStore();
  const flash = await Flash.open(store, layout, factoryFiles);
  await write(flash, 'old', 'old content');
  await write(flash, 'other', 'other');
  return store;
}

/** Runs `task` on a store that loses its power; true when it did so before the task was done. */
async function isCut(task: () => Promise<unknown>): Promise<boolean> {
  try {
    await task();
    return false;
  } catch (cause) {
    if (!(cause instanceof PowerLost)) throw cause;
    return true;
  }
}

const effects: readonly PowerCut['effect'][] = ['lost', 'kept'];

describe.each(effects)('Flash after a power cut whose operation is %s', (effect) => {
  // MOD-FILE-durable
  test.each(cases)('has each file whole or absent: $title', async ({ change, after }) => {
    const before = await prepared();
    let cuts = 0;
    for (let atOperation = 0; ; atOperation++) {
      const store = before.survivor();
      const flash = await Flash.open(store, layout, factoryFiles);
      const powered = store.survivor({ atOperation: store.operations + atOperation, effect });
      // The same flash index over a store that will fail: opening it takes the same operations as before.
      const dying = await Flash.open(powered, layout, factoryFiles);
      expect(dying.list()).toEqual(flash.list());
      const cut = await isCut(() => change(dying));
      const found = await contents(await Flash.open(powered.survivor(), layout, factoryFiles));
      if (!cut) {
        expect(found).toEqual(after);
        break;
      }
      cuts++;
      for (const name of new Set([...Object.keys(start), ...Object.keys(after)])) {
        const allowed: readonly (string | undefined)[] = [
          (start as Readonly<Record<string, string>>)[name],
          after[name],
        ];
        expect(allowed).toContain(found[name]);
      }
      expect(Object.keys(found).every((name) => name in start || name in after)).toBe(true);
    }
    expect(cuts).toBeGreaterThan(0);
  });

  test('completes the factory files at the next boot', async () => {
    for (let atOperation = 0; ; atOperation++) {
      const store = new MemoryStore({ cut: { atOperation, effect } });
      const cut = await isCut(() => Flash.open(store, layout, factoryFiles));
      const flash = await Flash.open(store.survivor(), layout, factoryFiles);
      expect(await contents(flash)).toEqual(factory);
      expect(flash.stat('wifi_fw.bin')?.unit).toBe(0);
      if (!cut) break;
      expect(atOperation).toBeLessThan(100);
    }
  });
});
