import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '../../open.ts';

test('a limit is a part of the text, so that a statement is prepared once', async () => {
  const storage = await openStorage('sqlite::memory:');
  try {
    const limited = storage.db.selectFrom('users').select('id').limit(7);
    expect(limited.compile()).toMatchObject({ sql: expect.stringMatching(/ limit 7$/), parameters: [] });
    expect(await limited.execute()).toHaveLength(0);
  } finally {
    await storage.close();
  }
});

test('a select of all columns has those of a table that has been changed meanwhile', async () => {
  const storage = await openStorage('sqlite::memory:');
  try {
    const read = async () => (await sql`select * from t`.execute(storage.db)).rows;
    for (const columns of ['a, b', 'b, c, a']) {
      await sql`drop table if exists t`.execute(storage.db);
      await sql.raw(`create table t as select ${columns} from (select 1 as a, 2 as b, 3 as c)`).execute(storage.db);
      expect(await read()).toEqual([
        Object.fromEntries(columns.split(', ').map((name) => [name, ' abc'.indexOf(name)])),
      ]);
    }
    await sql`alter table t rename column c to d`.execute(storage.db);
    expect(await read()).toEqual([{ a: 1, b: 2, d: 3 }]);
  } finally {
    await storage.close();
  }
});
