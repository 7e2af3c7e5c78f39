import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { eachDatabase } from '../../../../testing/index.ts';
import { plannedForValues, StatementNames } from './prepared.ts';

describe('names of prepared statements', () => {
  it('are given to what comes a third time, and stay', () => {
    const names = new StatementNames();
    const given = [1, 2, 3, 4].map(() => names.of('select 1 where true = $1', [true]));
    expect(given).toEqual([undefined, undefined, 'often-1', 'often-1']);
    names.forget();
    // What is prepared under the old name is not used again.
    expect([1, 2, 3].map(() => names.of('select 1 where true = $1', [true]))).toEqual([
      undefined,
      undefined,
      'often-2',
    ]);
  });

  it('are for statements with parameters, of bearable length, and so many of them', () => {
    const names = new StatementNames();
    const thrice = (text: string, parameters: unknown[]) => [1, 2, 3].map(() => names.of(text, parameters)).at(-1);
    expect(thrice('begin', [])).toBeUndefined();
    expect(thrice(`select 1 where $1 ${plannedForValues}`, [true])).toBeUndefined();
    expect(thrice(`select ${'x'.repeat(9_000)}`, [1])).toBeUndefined();
    const given = Array.from({ length: 400 }, (_, number) => thrice(`select ${number} where $1`, [1]));
    expect(given.filter((name) => name !== undefined)).toHaveLength(300);
    expect(thrice('select 1 where $1', [1])).toBe(given[1]);
  });
});

eachDatabase('a statement that comes often', (open) => {
  it('survives that its table gets another column, in a transaction too', async () => {
    const storage = await open();
    const read = () => storage.db.selectFrom('settings').selectAll().where('name', '=', 'often').execute();
    await storage.db.insertInto('settings').values({ name: 'often', value: 'v' }).execute();
    for (let time = 0; time < 5; time++) expect(await read()).toEqual([{ name: 'often', value: 'v' }]);
    await sql`alter table settings add column extra text`.execute(storage.db);
    expect(await read()).toMatchObject([{ name: 'often', value: 'v' }]);
    for (let time = 0; time < 5; time++) await read();
    await sql`alter table settings add column more text`.execute(storage.db);
    const inside = storage.transaction((trx) =>
      trx.selectFrom('settings').selectAll().where('name', '=', 'often').execute(),
    );
    expect(await inside).toMatchObject([{ name: 'often', value: 'v' }]);
  });

  it('survives it as a statement of every request, too', async () => {
    const storage = await open();
    const read = () => storage.hot.deviceById('nobody');
    for (let time = 0; time < 3; time++) expect(await read()).toBeUndefined();
    await sql`alter table devices add column extra text`.execute(storage.db);
    for (let time = 0; time < 3; time++) expect(await read()).toBeUndefined();
  });
});
