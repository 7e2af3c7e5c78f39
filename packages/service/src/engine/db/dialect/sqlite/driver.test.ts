import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openRecords } from '../../../../tables.ts';

test('a limit is a part of the text, so that a statement is prepared once', async () => {
  const storage = await openRecords('sqlite::memory:');
  try {
    const limited = storage.db.selectFrom('users').select('id').limit(7);
    expect(limited.compile()).toMatchObject({ sql: expect.stringMatching(/ limit 7$/), parameters: [] });
    expect(await limited.execute()).toHaveLength(0);
  } finally {
    await storage.close();
  }
});

test('a select of all columns has those of a table that has been changed meanwhile', async () => {
  const storage = await openRecords('sqlite::memory:');
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

test('a select that is written by hand waits for no transaction, and empties no cache', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-driver-'));
  const storage = await openRecords(`sqlite:${join(folder, 'moorage.db')}`);
  try {
    const version = storage.version();
    await storage.transaction(async () => {
      expect((await sql`select 1 as one`.execute(storage.db)).rows).toEqual([{ one: 1 }]);
      expect(storage.version()).toBe(version);
    });
  } finally {
    await storage.close();
    rmSync(folder, { recursive: true });
  }
});
