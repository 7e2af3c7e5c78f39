import { crc16 } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Area, type FileWriter, type FlashLayout, fileFlags, unitBytes } from './flash.ts';
import { Flash } from './flash-files.ts';

const layout: FlashLayout = { areaBytes: { i: 0, e: 10 * unitBytes, b: 6 * unitBytes }, maxFilesPerArea: 6 };

/** The plain truth: a map of names, and for each area a row of units with the name that has each. */
class Model {
  readonly files = new Map<string, { area: Area; content: Uint8Array; unit: number }>();
  readonly open = new Map<string, { area: Area; size: number; unit: number }>();
  readonly rows: Record<Area, (string | undefined)[]> = {
    i: [],
    e: Array.from({ length: 10 }, () => undefined),
    b: Array.from({ length: 6 }, () => undefined),
  };

  /** Writes the owner into the first free run that is long enough. */
  take(area: Area, size: number, owner: string): number | undefined {
    const row = this.rows[area];
    const wanted = Math.max(1, Math.ceil(size / unitBytes));
    for (let unit = 0; unit + wanted <= row.length; unit++) {
      if (row.slice(unit, unit + wanted).some((name) => name !== undefined)) continue;
      row.fill(owner, unit, unit + wanted);
      return unit;
    }
    return undefined;
  }

  release(area: Area, owner: string): void {
    const row = this.rows[area];
    for (const [unit, name] of row.entries()) if (name === owner) row[unit] = undefined;
  }

  count(area: Area): number {
    const all = [...this.files.values(), ...this.open.values()];
    return all.filter((file) => file.area === area).length;
  }
}

interface World {
  readonly model: Model;
  readonly store: MemoryStore;
  flash: Flash;
  readonly writers: Map<string, FileWriter>;
}

type Step =
  | {
      readonly do: 'create';
      readonly name: string;
      readonly size: number;
      readonly area: 'e' | 'b';
      readonly replace: boolean;
    }
  | { readonly do: 'finish' | 'abandon' | 'remove'; readonly name: string }
  | { readonly do: 'format'; readonly area: 'e' | 'b' }
  | { readonly do: 'restart' };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const area = fc.constantFrom('e' as const, 'b' as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      name,
      size: fc.oneof(fc.nat(4 * unitBytes), fc.constantFrom(0, 1, 4095, 4096, 4097, 10 * unitBytes)),
      area,
      replace: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('finish' as const, 'abandon' as const), name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('format' as const), area }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

const contentOf = (name: string, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, index) => index + name.charCodeAt(0));

async function apply(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'create':
      return create(world, step);
    case 'finish':
    case 'abandon':
      return end(world, step.name, step.do);
    case 'remove': {
      const removed = await world.flash.remove(step.name);
      expect(removed.ok).toBe(world.model.files.has(step.name));
      forget(world.model, step.name);
      return;
    }
    case 'format':
      await world.flash.format(step.area);
      for (const [name, file] of world.model.files) if (file.area === step.area) forget(world.model, name);
      return;
    case 'restart':
      world.flash = await Flash.open(world.store, layout);
      for (const [name, file] of world.model.open) world.model.release(file.area, `+${name}`);
      world.model.open.clear();
      world.writers.clear();
  }
}

async function create(world: World, step: Step & { do: 'create' }): Promise<void> {
  const { model, flash, writers } = world;
  const { name, size, area, replace } = step;
  const begun = await flash.create({
    name,
    size,
    area,
    replace,
    version: [1, 0, 0, 0],
    type: 0xfe,
    flags: fileFlags.user,
  });
  const exists = (model.files.has(name) && !replace) || model.open.has(name);
  const full = !model.files.has(name) && model.count(area) >= layout.maxFilesPerArea;
  const refused = exists ? 'exists' : full ? 'too-many-files' : undefined;
  const unit = refused ? undefined : model.take(area, size, `+${name}`);
  expect(begun.ok ? undefined : begun.error).toBe(refused ?? (unit === undefined ? 'no-space' : undefined));
  if (!begun.ok || unit === undefined) return;
  model.open.set(name, { area, size, unit });
  writers.set(name, begun.value);
}

async function end({ model, writers }: World, name: string, how: 'finish' | 'abandon'): Promise<void> {
  const [file, writer] = [model.open.get(name), writers.get(name)];
  if (!file || !writer) return;
  model.open.delete(name);
  writers.delete(name);
  model.release(file.area, `+${name}`);
  if (how === 'abandon') return writer.abandon();
  const content = contentOf(name, file.size);
  for (let at = 0; at < content.length; at += 1500) await writer.append(content.slice(at, at + 1500));
  const made = await writer.finish();
  expect(made).toMatchObject({ ok: true, value: { name, unit: file.unit, size: file.size, crc: crc16(content) } });
  forget(model, name);
  model.rows[file.area].fill(name, file.unit, file.unit + Math.max(1, Math.ceil(file.size / unitBytes)));
  model.files.set(name, { area: file.area, content, unit: file.unit });
}

function forget(model: Model, name: string): void {
  const file = model.files.get(name);
  if (file) model.release(file.area, name);
  model.files.delete(name);
}

async function compare({ flash, model }: World): Promise<void> {
  expect(
    flash
      .list()
      .map((file) => file.name)
      .toSorted(),
  ).toEqual([...model.files.keys()].toSorted());
  for (const area of ['e', 'b'] as const) {
    const free = model.rows[area].filter((owner) => owner === undefined).length;
    expect(flash.free(area)).toBe(free * unitBytes);
  }
  for (const [name, file] of model.files) {
    expect(flash.stat(name)).toMatchObject({ area: file.area, unit: file.unit, size: file.content.length });
    const content = await flash.readAll(name, file.content.length);
    expect(content.ok && Buffer.compare(content.value, file.content)).toBe(0);
  }
}

describe('Flash', () => {
  test('does what a plain map with a row of units does, whatever the order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const store = new MemoryStore();
        const world: World = { model: new Model(), store, flash: await Flash.open(store, layout), writers: new Map() };
        for (const next of steps) {
          await apply(world, next);
          await compare(world);
        }
      }),
      { numRuns: 200 },
    );
  });
});
