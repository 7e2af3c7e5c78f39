import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { paging } from '../../engine/db/paging.ts';
import type { Storage } from '../../engine/db/storage.ts';
import { eachDatabase } from '../../testing/each-database.ts';
import { logSources } from '../access/logs.ts';
import { countsOf } from '../metrics/queries.ts';
import { type LogFilter, lastNumber, pageOfIds, shownAbove } from './queries.ts';

const rowCount = 100_000;
const productCount = 50;
const userCount = 20;
const deviceCount = 500;
const stepMs = 60_000;

const idOf = (kind: number, number: number) => `00000000-0000-4000-8000-${kind}${String(number).padStart(11, '0')}`;
const products = Array.from({ length: productCount }, (_, number) => idOf(1, number));
const userId = idOf(2, 3);
const mine = [products[4] ?? '', products[9] ?? ''];
const viewer = { userId, customerId: null, customerRole: 'owner' } as const;

const types = ['ota.check', 'ota.check', 'ota.check', 'ota.ok', 'device.tag', 'user.login'] as const;

eachDatabase('lists and counts of 100,000 logs', (open, kind) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await open();
    const batch = 1_000;
    for (let start = 0; start < rowCount; start += batch) {
      const values = Array.from({ length: batch }, (_, index) => {
        const number = start + index;
        const type = types[number % types.length] ?? 'ota.check';
        return {
          id: randomUUID(),
          type,
          level: number % 5_000 === 7 ? ('error' as const) : ('info' as const),
          message: `Event ${number}`,
          user_id: number % 3 === 0 ? idOf(2, number % userCount) : null,
          device_id: idOf(3, number % deviceCount),
          product_id: products[number % productCount] ?? null,
          bundle_id: null,
          ip: null,
          client: null,
          data: '{}',
          created_at: number * stepMs,
          owner_id: number % 7 === 0 ? idOf(2, number % userCount) : null,
          quiet: type === 'ota.check' ? (1 as const) : (0 as const),
        };
      });
      await storage.db.insertInto('logs').values(values).execute();
    }
    if (kind === 'postgres') await sql`vacuum analyze logs`.execute(storage.db);
  }, 120_000);

  const plan = async (who: 'everyone' | typeof viewer, filter: LogFilter): Promise<string> => {
    const { sql: text, parameters } = pageOfIds(
      storage,
      who,
      mine,
      filter,
      paging<'-created_at'>({}, '-created_at'),
    ).compile();
    return planOf(text, parameters);
  };
  const planOf = async (text: string, parameters: readonly unknown[]): Promise<string> => {
    const parts = text.split(kind === 'postgres' ? /\$\d+/ : '?');
    const query = sql.join(
      parts.flatMap((part, index) => [
        sql.raw(part),
        ...(index < parameters.length ? [sql`${parameters[index]}`] : []),
      ]),
      sql``,
    );
    const prefix = kind === 'postgres' ? sql`explain (analyze, timing off) ` : sql`explain query plan `;
    return JSON.stringify((await sql`${prefix}${query}`.execute(storage.db)).rows);
  };

  const walksAll = /SCAN logs(?! USING (COVERING )?INDEX)|Seq Scan on logs/;
  const rowsRead = (text: string): number =>
    Math.max(0, ...[...text.matchAll(/rows=(\d+)(?:\.\d+)? loops/g)].map(([, rows]) => Number(rows)));

  it.each<[string, 'everyone' | typeof viewer, LogFilter]>([
    ['an administrator', 'everyone', {}],
    ['an administrator by type', 'everyone', { type: 'device.tag' }],
    ['an administrator by quiet type', 'everyone', { type: 'ota.check' }],
    ['an administrator by rare level', 'everyone', { level: 'error' }],
    ['an administrator by device', 'everyone', { device_id: idOf(3, 4) }],
    ['an administrator by product', 'everyone', { product_id: products[7] ?? '' }],
    ['an administrator by user', 'everyone', { user_id: userId }],
    ['an administrator by time', 'everyone', { from: 5_000 * stepMs, to: 6_000 * stepMs }],
    ['a user', viewer, {}],
    ['a user by type', viewer, { type: 'ota.ok' }],
    ['a user by quiet type', viewer, { type: 'ota.check' }],
    ['a user by device', viewer, { device_id: idOf(3, 4) }],
    ['a user by own product', viewer, { product_id: mine[0] ?? '' }],
    ['a user by time', viewer, { from: 5_000 * stepMs, to: 6_000 * stepMs }],
  ])('a page for %s is found along indexes', async (_, who, filter) => {
    const text = await plan(who, filter);
    expect(text).toMatch(/INDEX logs_|Index.{0,20} Scan/);
    expect(text).not.toMatch(walksAll);
    if (kind === 'postgres') expect(rowsRead(text)).toBeLessThan(5_000);
  });

  it.each([
    ['an administrator', 'everyone' as const],
    ['a user', viewer],
  ])('what is new for %s is found by its number', async (_, who) => {
    const { logNumber } = storage.expressions;
    const last = storage.db.selectFrom('logs').select((eb) => eb.fn.max(logNumber).as('last'));
    expect(await planOf(last.compile().sql, [])).toMatch(/SEARCH logs|Index Only Scan Backward using logs_number/);
    const number = (await lastNumber(storage)) - 50;
    const rows = shownAbove(storage, who, mine, number).select('id').orderBy(logNumber, 'desc').limit(2_000);
    const { sql: text, parameters } = rows.compile();
    const found = await planOf(text, parameters);
    expect(found).toMatch(/SEARCH logs USING INTEGER PRIMARY KEY \(rowid>|Index Scan Backward using logs_number/);
    if (kind === 'postgres') expect(rowsRead(found)).toBeLessThan(100);
  });

  it('activity is counted from an index alone', async () => {
    const buckets = { from: 0, to: rowCount * stepMs, origin: 0, stepMs: 86_400_000, count: 70 };
    const [watched] = logSources(viewer, mine, 'grouped');
    if (!watched) throw new Error('No source');
    const { sql: text, parameters } = countsOf(storage.db, watched, buckets).compile();
    expect(await planOf(text, parameters)).toMatch(/USING COVERING INDEX logs_product_id_quiet|Index Only Scan/);
  });
});
