import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseSource } from '../../../testing/index.ts';
import { releasedMigration } from '../../../testing/last-release.ts';
import { openStorage } from '../open.ts';
import type { Storage } from '../storage.ts';
import { migrationNames } from './index.ts';

/** What a process of the last release relies on: the columns of tables, and which values rows may have. */
interface Shape {
  /** By `table.column`. */
  readonly columns: ReadonlyMap<
    string,
    { readonly type: string; readonly mayBeLeftOut: boolean; readonly nullable: boolean }
  >;
  /** Unique keys, each as its table and columns. */
  readonly unique: ReadonlySet<string>;
}

const uniqueOf = {
  sqlite: sql<{ key: string }>`
    select t.name || ' ' || group_concat(c.name, ',') || coalesce(' ' || substr(x.sql, instr(x.sql, ' where ')), '') as key
    from sqlite_master t join pragma_index_list(t.name) i join pragma_index_info(i.name) c
    left join sqlite_master x on x.name = i.name and i.partial = 1
    where t.type = 'table' and i."unique" = 1 group by t.name, i.name`,
  postgres: sql<{ key: string }>`
    select c.relname || ' ' || substr(pg_get_indexdef(i.indexrelid), strpos(pg_get_indexdef(i.indexrelid), ' USING ')) as key
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = current_schema()::regnamespace`,
} as const;

async function shapeOf({ db, kind }: Pick<Storage, 'db' | 'kind'>): Promise<Shape> {
  const tables = await db.introspection.getTables();
  const columns = tables.flatMap(({ name: table, columns: own }) =>
    own.map(({ name, dataType, isNullable, hasDefaultValue, isAutoIncrementing }) => {
      const mayBeLeftOut = isNullable || hasDefaultValue || isAutoIncrementing;
      return [`${table}.${name}`, { type: dataType.toLowerCase(), mayBeLeftOut, nullable: isNullable }] as const;
    }),
  );
  const { rows } = await uniqueOf[kind].execute(db);
  return { columns: new Map(columns), unique: new Set(rows.map(({ key }) => key)) };
}

/** What keeps a process of the version before from going on beside one of the version after. */
function breaks(before: Shape, after: Shape): string[] {
  const tables = new Set([...before.columns.keys()].map((name) => name.split('.')[0]));
  const found: string[] = [];
  for (const [name, was] of before.columns) {
    const is = after.columns.get(name);
    if (!is) found.push(`${name} is gone`);
    else if (is.type !== was.type) found.push(`${name} was ${was.type} and is ${is.type}`);
    else if (was.nullable && !is.nullable) found.push(`${name} may not be null any more`);
    else if (was.mayBeLeftOut && !is.mayBeLeftOut) found.push(`${name} must be given now`);
  }
  for (const [name, is] of after.columns) {
    const isOfOld = tables.has(name.split('.')[0] ?? '');
    if (isOfOld && !before.columns.has(name) && !is.mayBeLeftOut) found.push(`${name} is new and must be given`);
  }
  for (const key of after.unique) {
    if (!before.unique.has(key) && tables.has(key.split(' ')[0] ?? '')) found.push(`${key} must be unique now`);
  }
  return found;
}

describe.each(['sqlite', 'postgres'] as const)('migrations since the last release (%s)', (kind) => {
  const source = databaseSource(kind, { holds: 'nothing' });
  afterAll(() => source.remove());

  /** What changes between the tables of the last release and those after `change`. */
  async function changesBy(change: (url: string) => Promise<Storage>): Promise<string[]> {
    const url = await source.make();
    const old = await openStorage(url, { upTo: releasedMigration });
    const before = await shapeOf(old);
    await old.close();
    const storage = await change(url);
    try {
      return breaks(before, await shapeOf(storage));
    } finally {
      await storage.close();
    }
  }

  it('add: a service of that release goes on beside one of this', async () => {
    expect(await changesBy((url) => openStorage(url))).toEqual([]);
  });

  const forBoth = [
    [
      'alter table settings rename column value to v',
      ['settings.value is gone', 'settings.v is new and must be given'],
    ],
    ['drop table rollout_counts', expect.arrayContaining([expect.stringMatching(/^rollout_counts\.\w+ is gone$/)])],
    ['create unique index once on devices (title)', [expect.stringMatching(/^devices .*title.* must be unique now$/)]],
    ['alter table work add column note text', []],
    ["alter table work add column note text not null default ''", []],
    ['create table notes (id text not null)', []],
    ['create index titles on devices (title)', []],
  ] as const;
  // SQLite has no such statements.
  const forPostgres = [
    ['alter table work add column note text not null', ['work.note is new and must be given']],
    ['alter table work alter column holder set not null', ['work.holder may not be null any more']],
    ['alter table work alter column fence type integer', [expect.stringMatching(/^work.fence was int8 and is int4$/)]],
    ['alter table processes alter column beats drop default', ['processes.beats must be given now']],
  ] as const;
  it.each([...forBoth, ...(kind === 'postgres' ? forPostgres : [])])('are judged: %s', async (statement, problems) => {
    const change = async (url: string) => {
      const storage = await openStorage(url, { upTo: releasedMigration });
      await sql.raw(statement).execute(storage.db);
      return storage;
    };
    expect(await changesBy(change)).toEqual(problems);
  });

  it('are those of this version, from a release that it knows', () => {
    expect(migrationNames).toContain(releasedMigration);
  });
});
