import { sql } from 'kysely';
import { afterAll, expect, expectTypeOf, it } from 'vitest';
import { records, tables } from '../../tables.ts';
import { describeSchema } from '../../testing/describe-schema.ts';
import { databaseSource, eachEmptyDatabase } from '../../testing/index.ts';
import { migrationNames, type Records } from './migrations.ts';
import { openStorage } from './open.ts';
import type { Storage } from './storage.ts';
import * as t from './table.ts';

/** Versions after those of the service. */
const first = migrationNames(records).length + 1;
const [second, third] = [first + 1, first + 2];

/** Tables of three versions: something is new in the second, something goes in the second and in the third. */
const ours = {
  notes: t.table(
    {
      id: t.key,
      text: t.text,
      old: t.until(third, t.optional(t.text)),
      urgent: t.since(second, t.withDefault(t.flag, 0)),
      topic_id: t.since(second, t.optional(t.needs('topics'))),
    },
    [
      { ...t.index('old'), until: second },
      { ...t.index('topic_id'), since: third },
    ],
    { since: first },
  ),
  topics: t.table({ id: t.key, title: t.text }, [t.unique('title')], { since: second }),
  rooms: t.table({ id: t.key }, [], { since: first }),
  /** Part of a room at first, of none later; what they stand on changes, too. */
  desks: t.table(
    {
      id: t.counter,
      room_id: t.became(second, t.part('rooms'), t.text),
      floor_id: t.became(third, t.part('rooms'), t.forgets('rooms')),
      height: t.since(second, t.optional(t.integer)),
    },
    [t.index('room_id')],
    { since: first },
  ),
  drawers: t.table({ id: t.key, desk_id: t.partOfCounted('desks') }, [], { since: first }),
  /** Split from what it is part of where that costs much. */
  papers: t.table(
    { id: t.key, desk_id: t.partOfCounted('desks'), room_id: t.became(second, t.part('rooms'), t.text) },
    [],
    {
      since: first,
      loose: true,
    },
  ),
  gone: t.table({ id: t.key }, [], { since: first, until: second }),
};
const later: Records = {
  tables: { ...tables, ...ours },
  steps: {
    ...records.steps,
    [third]: async (db) => void (await sql`update notes set text = text || old where old is not null`.execute(db)),
  },
};
const names = migrationNames(later);

eachEmptyDatabase('versions of the tables', (_open, kind) => {
  const source = databaseSource(kind, { holds: 'nothing' });
  afterAll(() => source.remove());

  const openAt = (url: string, version: number) => openStorage(url, later, { upTo: names[version - 1] ?? '' });

  it('bring what is new to rows that are there, and leave the tables of a new database', async () => {
    const [old, fresh] = [await source.make(), await source.make()];
    const one = await openAt(old, first);
    await sql`insert into notes (id, text, old) values ('a', 'b', 'c')`.execute(one.db);
    expect(await describeSchema(one)).not.toMatch(/urgent|topic_id|topics/);
    await one.close();
    const two = await openAt(old, second);
    expect(two.migrated).toEqual([names[second - 1]]);
    const { rows } = await sql`select * from notes`.execute(two.db);
    expect(rows).toEqual([{ id: 'a', text: 'b', old: 'c', urgent: 0, topic_id: null }]);
    expect(await describeSchema(two)).not.toMatch(/table gone|notes_old/);
    await two.close();
    const [upgraded, made] = [await openStorage(old, later), await openStorage(fresh, later)];
    expect([upgraded.migrated, made.migrated]).toEqual([[names[third - 1]], names]);
    expect((await sql`select * from notes`.execute(upgraded.db)).rows).toEqual([
      { id: 'a', text: 'bc', urgent: 0, topic_id: null },
    ]);
    expect(await describeSchema(upgraded)).toBe(await describeSchema(made));
    expect(await describeSchema(made)).toMatch(/notes_topic_id/);
    await upgraded.close();
    await made.close();
  });

  it('change the references of rows that are there, which stay with all that is part of them', async () => {
    const url = await source.make();
    const one = await openAt(url, first);
    const run = (storage: Storage, text: string) => sql.raw<Record<string, unknown>>(text).execute(storage.db);
    await run(one, "insert into rooms (id) values ('a'), ('b'), ('c')");
    for (const room of ['a', 'b', 'c', 'c'])
      await run(one, `insert into desks (room_id, floor_id) values ('${room}', 'b')`);
    // Its number is not given out again.
    await run(one, 'delete from desks where id = 4');
    await run(one, "insert into drawers (id, desk_id) values ('x', 1), ('y', 3)");
    await run(one, "insert into papers (id, desk_id, room_id) values ('p', 1, 'a'), ('q', 3, 'c')");
    await one.close();
    const two = await openAt(url, second);
    await run(two, "delete from rooms where id = 'a'");
    const desk = (id: number, room_id: string) => ({ id, room_id, floor_id: 'b', height: null });
    const desks = async (storage: Storage) => (await run(storage, 'select * from desks order by id')).rows;
    expect(await desks(two)).toEqual([desk(1, 'a'), desk(2, 'b'), desk(3, 'c')]);
    expect((await run(two, 'select id from drawers')).rows).toHaveLength(2);
    expect((await run(two, 'select id from papers')).rows).toHaveLength(2);
    await run(two, 'delete from desks where id = 3');
    expect((await run(two, 'select id from drawers')).rows).toEqual([{ id: 'x' }]);
    expect((await run(two, 'select id from papers')).rows).toEqual([{ id: 'p' }]);
    await two.close();
    const three = await openStorage(url, later);
    await run(three, "delete from rooms where id = 'b'");
    expect(await desks(three)).toEqual([
      { ...desk(1, 'a'), floor_id: null },
      { ...desk(2, 'b'), floor_id: null },
    ]);
    const added = await run(three, "insert into desks (room_id) values ('d') returning id");
    expect(added.rows).toEqual([{ id: 5 }]);
    expect(await describeSchema(three)).toMatch(/desks_room_id/);
    // What is part of another row is looked after as before.
    await expect(run(three, "insert into drawers (id, desk_id) values ('z', 99)")).rejects.toThrow();
    await three.close();
  });
});

it('columns have the types of their values, those that go none, and new ones may be left out', () => {
  type Notes = t.SchemaOf<typeof ours>['notes'];
  expectTypeOf<keyof Notes>().toEqualTypeOf<'id' | 'text' | 'urgent' | 'topic_id'>();
  expectTypeOf<Notes['topic_id']>().toEqualTypeOf<string | null>();
  // @ts-expect-error: rows that are there would have no value.
  t.since(second, t.text);
  // @ts-expect-error: an index of a column that the table has not.
  t.table({ id: t.key }, [t.index('title')]);
});
