import { randomBytes } from 'node:crypto';
import { dayMs, seededRandom, unwrap } from '@moorage/base';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../../../engine/db/storage.ts';
import { deviceWorld } from '../../../testing/device-world.ts';
import { eachDatabase } from '../../../testing/index.ts';
import { comparable } from '../attributes/rules.ts';
import { parseFilter } from './parse.ts';
import { type DeviceFacts, fitsFilter } from './predicate.ts';
import { factsOf, filterCondition, partsOf, valueCount } from './queries.ts';

const nowMs = 1_700_000_000_000;

// API-RULE-filter-1
describe('a filter', () => {
  it.each([
    ['', 'its end'],
    ['tag==', 'its end'],
    ['tag==beta;', 'its end'],
    ['(tag==beta', 'its end'],
    ['tag==beta)', 'position 10'],
    ['tag==beta;;state==active', 'position 11'],
    ["title=='half", 'position 8'],
    ['tag=like=beta', 'position 1'],
    ['tag==beta;colour==red', 'position 11'],
    ['title==colour;colour==red', 'position 15'],
    ['label.==eu', 'position 1'],
    ['tag==(alpha,beta)', 'position 1'],
    ['last_seen=ge=yesterday', 'position 1'],
    ['last_seen==-7d', 'position 1'],
    ['last_seen=in=(-7d,-8d)', 'position 1'],
    ['last_seen=ge=2026-13-01', 'position 1'],
    ['title=gt=a', 'position 1'],
    ['label.size=gt=5', 'position 1'],
    ['attribute.free_flash=gt=much', 'position 1'],
    ['version=gt=1.2.3.4.5', 'position 1'],
    ['state=in=(active,disabled);version=lt=(1,2)', 'position 28'],
    [Array.from({ length: 51 }, () => 'tag==beta').join(','), 'position 1'],
    [`title==${'x'.repeat(2_000)}`, 'position 2001'],
  ])('%j is refused with the place: %s', (text, place) => {
    const parsed = parseFilter(text);
    expect(parsed).toMatchObject({ ok: false, error: { code: 'INVALID_FILTER' } });
    if (!parsed.ok) expect(parsed.error.message).toMatch(new RegExp(`^The filter is wrong at ${place}: `));
  });

  const facts = (more: Partial<DeviceFacts['fields']>, attributes: object = {}, labels: object = {}): DeviceFacts => ({
    fields: {
      id: 'i',
      uuid: 'u',
      title: 'Lamp [1]',
      mac: null,
      ip: null,
      state: 'active',
      tag: null,
      product: 'ACME-HARBOUR_LAMP',
      platform: 'HARBOUR',
      owner: null,
      bundle: null,
      update: null,
      created: nowMs - 10 * dayMs,
      claimed: null,
      activated: null,
      last_seen: nowMs - 2 * dayMs,
      online: null,
      ...more,
    },
    attributes: new Map(Object.entries(attributes).map(([name, value]) => [name, { value, ...comparable(value) }])),
    labels: new Map(Object.entries(labels)),
  });

  it.each([
    ['title==Lamp*', true],
    ["title=='Lamp [1]'", true],
    ["title=='*[2]'", false],
    ["title=='*m*[*]'", true],
    ["title=='La*amp [1]'", false],
    ['state==active', true],
    ['state==ACTIVE', false],
    ['state=in=(active,disabled)', true],
    ['state=out=(active,disabled)', false],
    ['tag==*', false],
    ['tag!=*', true],
    ['tag!=beta', true],
    ['tag=out=(beta,alpha)', true],
    ['online!=*', true],
    ['last_seen=ge=-7d', true],
    ['last_seen=lt=-1d', true],
    ['last_seen<-3d', false],
    ['claimed=lt=+100w', false],
    ['claimed!=*', true],
    ['created=gt=2020-01-01', true],
    ['created=gt=2020-01-01T00:00:00Z', true],
    [`created==*;created=le=${nowMs}`, true],
    ['attribute.free_flash=gt=65535', true],
    ['attribute.free_flash>65536', false],
    ['attribute.free_flash=ge=65536.0', true],
    ['attribute.signal=lt=-60.5', true],
    ['attribute.board=gt=1', false],
    ['attribute.missing=lt=1', false],
    ['version=ge=1.9', true],
    ['version=gt=1.10', false],
    ['version=lt=1.11.0', true],
    ['version==1.10.0.0', true],
    ['attribute.app=gt=2.3.0', true],
    ['label.region==eu', true],
    ['label.region!=eu', false],
    ['label.site!=pier', true],
    ['state==active;tag==beta,label.region==eu', true],
    ['state==active;(tag==beta,label.region==us)', false],
    ['state==disabled and tag==beta or label.region==eu', true],
  ])('%s is %s of the lamp', (text, is) => {
    const device = facts(
      {},
      { free_flash: '65536', signal: '-61', board: 'Harbour.3', version: '1.10.0.0', app: '2.10.0' },
      { region: 'eu' },
    );
    expect(fitsFilter(unwrap(parseFilter(text)), device, nowMs)).toBe(is);
  });
});

/** Texts that mean something to one of the two evaluators, or to SQL. */
const texts = [
  '',
  'a',
  'A',
  'a*',
  '*',
  '%',
  '_',
  'a_b',
  'axb',
  '[a]',
  '?',
  '\\',
  '\\*',
  "'",
  '"',
  'ä',
  '1',
  '1.10',
  'beta',
];
const numbers = ['-61.5', '0', '9', '10', '65536', '1.5', '1.9.0', '1.10.0', '1.10.0.0', '2', 'x'];
const moments = ['-7d', '-1d', '+1h', String(nowMs - 2 * dayMs), '2023-11-13', '2023-11-13T12:00:00Z'];
const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;

/** A random filter over the fields of the devices below. */
function randomFilter(random: ReturnType<typeof seededRandom>, depth: number): string {
  const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
  if (depth > 0 && random.below(3) > 0) {
    const sides = Array.from({ length: 2 + random.below(2) }, () => randomFilter(random, depth - 1));
    return `(${sides.join(pick([';', ',']))})`;
  }
  const textField = pick(['title', 'tag', 'state', 'product', 'owner', 'bundle', 'label.a', 'label.b', 'attribute.a']);
  const list = Array.from({ length: 1 + random.below(3) }, () => quoted(pick(texts))).join(',');
  return pick([
    `${textField}${pick(['==', '!='])}${quoted(pick(texts))}`,
    `${textField}${pick(['=in=', '=out='])}(${list})`,
    `${pick(['attribute.a', 'attribute.n'])}${pick(['=lt=', '=le=', '=gt=', '=ge='])}${pick(numbers.slice(0, -1))}`,
    `version${pick(['=lt=', '=le=', '=gt=', '=ge='])}${pick(['1', '1.9', '1.10.0', '2.0.0.1'])}`,
    `${pick(['last_seen', 'claimed', 'created', 'online'])}${pick(['=lt=', '=ge=', '<', '>='])}${pick(moments)}`,
    `${pick(['last_seen', 'claimed', 'online'])}${pick(['==', '!='])}*`,
  ]);
}

eachDatabase('the two evaluators', (open) => {
  let storage: Storage;
  let ids: string[];

  beforeAll(async () => {
    storage = await open();
    const world = await deviceWorld(storage);
    const random = seededRandom(7);
    const pick = <T>(all: readonly T[]): T => all[random.below(all.length)] as T;
    ids = [];
    for (let count = 0; count < 40; count++) {
      const { id } = await world.deviceOf(pick(['owner', null]), {
        title: pick(texts),
        uuid: randomBytes(20).toString('hex'),
        tag: pick([null, 'beta', 'alpha'] as const),
        state: pick(['active', 'disabled', 'enabled'] as const),
        claimed_at: pick([null, nowMs - 3 * dayMs]),
        last_seen_at: pick([null, nowMs - dayMs, nowMs - 2 * dayMs, nowMs - 9 * dayMs]),
        created_at: nowMs - pick([0, 5, 10]) * dayMs,
      });
      ids.push(id);
      for (const name of ['a', 'b']) {
        if (random.below(2) === 0) continue;
        await storage.db
          .insertInto('labels')
          .values({ device_id: id, name, value: pick(texts) })
          .execute();
      }
      for (const [name, values] of [
        ['a', texts],
        ['n', numbers],
        ['version', ['1.9.0.0', '1.10.0.0', '0.0.0.1']],
      ] as const) {
        if (random.below(4) === 0) continue;
        const value = pick<string>(values);
        const row = { device_id: id, name, value, ...comparable(value), since: 0 };
        await storage.db.insertInto('attributes').values(row).execute();
      }
      if (random.below(3) === 0) {
        const row = { device_id: id, process_id: 'p', session: id, address: '', connected_at: nowMs - dayMs };
        await storage.db.insertInto('channels').values(row).execute();
      }
    }
  });

  it('agree on every device and many filters', async () => {
    const random = seededRandom(11);
    const facts = await factsOf(storage.db, ids, new Set(['device', 'attributes', 'labels']));
    let hits = 0;
    let counted = 0;
    for (let round = 0; round < 400; round++) {
      const text = randomFilter(random, 2);
      const filter = unwrap(parseFilter(text));
      const condition = filterCondition(filter, storage.expressions, nowMs);
      const rows = await storage.db
        .selectFrom('devices')
        .select('id')
        .where('id', 'in', ids)
        .where((where) => condition(where, round % 2 === 0 ? 'values' : 'devices'))
        .execute();
      // What a filter does not look at need not be read.
      const [some = ''] = ids.slice(round % ids.length);
      const parts = new Set(partsOf(filter));
      const part = (await factsOf(storage.db, [some], parts)).get(some) ?? expect.unreachable();
      expect(fitsFilter(filter, part, nowMs), text).toBe(rows.some(({ id }) => id === some));
      const found = new Set(rows.map(({ id }) => id));
      const fitting = ids.filter((id) => {
        const device = facts.get(id);
        return device !== undefined && fitsFilter(filter, device, nowMs);
      });
      expect([...found].toSorted(), text).toEqual(fitting.toSorted());
      hits += fitting.length;
      // Other devices than these have no attributes and no labels.
      const count = valueCount(filter, storage.expressions, nowMs);
      if (!count) continue;
      counted++;
      expect(await count(storage.db), text).toBe(fitting.length);
      expect(await count(storage.db, 2), text).toBe(Math.min(2, fitting.length));
    }
    expect(counted).toBeGreaterThan(20);
    // Neither everything nor nothing, or it would prove little.
    expect(hits).toBeGreaterThan(400);
    expect(hits).toBeLessThan(400 * ids.length - 400);
  });
});
