import { failure } from '@moorage/base';
import { beforeEach, expect, it } from 'vitest';
import { eachDatabase } from '../../testing/index.ts';
import type { Storage } from './storage.ts';
import { workOf } from './transaction.ts';
import { changedColumns, changedRows, type RowKind, sharedReads } from './work.ts';

interface Setting {
  readonly name: string;
  readonly value: string;
}

eachDatabase('the work of a transaction', (open) => {
  let storage: Storage;
  let reads: (readonly string[])[];
  let writes: string[][];
  const find = async (db: Storage['db'], names: readonly string[]) => {
    reads.push(names);
    const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
    return new Map(rows.map((row) => [row.name, row]));
  };
  const settings: Required<RowKind<string, Setting>> = {
    read: find,
    lock: (trx, _expressions, names) => find(trx, names),
    async write(trx, changes) {
      writes.push(changes.map(({ key }) => key));
      for (const { key, after } of changes) {
        await trx.deleteFrom('settings').where('name', '=', key).execute();
        if (after) await trx.insertInto('settings').values(after).execute();
      }
    },
  };
  const stored = async () => {
    const rows = storage.db.selectFrom('settings').selectAll().where('name', 'in', ['a', 'b', 'c']).orderBy('name');
    return (await rows.execute()).map(({ name, value }) => `${name}=${value}`);
  };

  beforeEach(async () => {
    storage = await open();
    reads = [];
    writes = [];
    await storage.db.deleteFrom('settings').where('name', 'in', ['a', 'b', 'c']).execute();
    await storage.db
      .insertInto('settings')
      .values(['a', 'b'].map((name) => ({ name, value: '1' })))
      .execute();
  });

  it('reads a row once, those of many at once, and writes what it has made of them together at its end', async () => {
    await storage.transaction(async (_trx, work) => {
      expect(await work.all(settings, ['a', 'c', 'b', 'a'])).toMatchObject([
        { name: 'a' },
        { name: 'b' },
        { name: 'a' },
      ]);
      expect(await work.change(settings, 'a', { value: '2' })).toEqual({ name: 'a', value: '2' });
      work.put(settings, 'b', undefined);
      work.put(settings, 'c', { name: 'c', value: '3' });
      expect(await work.get(settings, 'a')).toEqual({ name: 'a', value: '2' });
      expect(await work.get(settings, 'b')).toBeUndefined();
      expect(await work.lock(settings, ['c'])).toEqual([{ name: 'c', value: '3' }]);
    });
    expect(reads).toEqual([['a', 'c', 'b'], ['c']]);
    expect(writes).toEqual([['a', 'b', 'c']]);
    expect(await stored()).toEqual(['a=2', 'c=3']);
  });

  it('writes nothing after a failure', async () => {
    const refused = await storage.transaction(async (_trx, work) => {
      await work.change(settings, 'a', { value: '2' });
      return failure('No');
    });
    expect(refused).toEqual(failure('No'));
    expect([writes, await stored()]).toEqual([[], ['a=1', 'b=1']]);
  });

  it('writes before statements of its own, and reads anew after them', async () => {
    await storage.transaction(async (trx, work) => {
      expect(workOf(trx)).toBe(work);
      await work.change(settings, 'a', { value: '2' });
      await work.flush();
      await trx.updateTable('settings').set({ value: '4' }).where('value', '=', '2').execute();
      expect(await work.get(settings, 'a')).toEqual({ name: 'a', value: '2' });
      await work.change(settings, 'b', { value: '3' });
      await work.restart();
      expect(await work.get(settings, 'a')).toEqual({ name: 'a', value: '4' });
    });
    expect(writes).toEqual([['a'], ['b']]);
    expect(await stored()).toEqual(['a=4', 'b=3']);
    expect(() => workOf(storage.db)).toThrow('Only a transaction');
  });

  it('is not needed to read: who asks at the same time shares a statement, and nothing is remembered', async () => {
    const shared = sharedReads(storage.db);
    const both = () => Promise.all(['a', 'c', 'a'].map((name) => shared.get(settings, name)));
    expect(await both()).toEqual([{ name: 'a', value: '1' }, undefined, { name: 'a', value: '1' }]);
    await storage.db.updateTable('settings').set({ value: '5' }).where('name', '=', 'a').execute();
    expect((await both())[0]).toEqual({ name: 'a', value: '5' });
    expect(reads).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
  });
});

it('what has changed are the columns that are others, and the rows that are', () => {
  const row = { name: 'a', value: '1' };
  expect(changedColumns({ key: 'a', before: row, after: { ...row, value: '2' } })).toEqual({ value: '2' });
  const added = { name: 'b', value: '1' };
  expect(changedRows([{ key: 'x', before: [row], after: [row, added] }])).toEqual([added]);
});
