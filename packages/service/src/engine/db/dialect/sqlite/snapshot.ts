import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { UnusableError } from '../../../stores/health.ts';
import { asCell, isRecordTable, migrationTable, type Snapshot, type TableShape } from '../../snapshot.ts';
import { SqliteConnection } from './connection.ts';

/** Rows that are held at a time. */
const batchRows = 200;

/** Safe casts below: SQLite names its own columns, and the statements ask for these. */
const names = (connection: SqliteConnection, sql: string, ...parameters: string[]): string[] =>
  (connection.all(sql, parameters) as { name: string }[]).map(({ name }) => name);

/** The key that counts itself up: other keys may be whole numbers too. */
const counterColumn = `select c.name from sqlite_schema t join pragma_table_info(t.name) c
  where t.name = ? and c.pk = 1 and c.type = 'INTEGER' and t.sql like '%autoincrement%'`;

function shapeOf(copy: SqliteConnection, name: string): TableShape {
  const columns = names(copy, 'select name from pragma_table_info(?) order by cid', name);
  const [counted] = names(copy, counterColumn, name);
  if (counted === undefined) return { name, columns };
  const [row] = copy.all('select seq from sqlite_sequence where name = ?', [name]) as { seq: number }[];
  return { name, columns, counter: { column: counted, last: row?.seq ?? 0 } };
}

function* batches(copy: SqliteConnection, { name, columns }: TableShape) {
  const quoted = columns.map((column) => `"${column}"`).join(', ');
  const statement = copy.db.prepare(`select ${quoted} from "${name}"`);
  let batch: ReturnType<typeof asCell>[][] = [];
  for (const row of statement.iterate() as Iterable<Record<string, unknown>>) {
    batch.push(columns.map((column) => asCell(row[column])));
    if (batch.length < batchRows) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Copies the database file as it is at one moment; writers of other processes go on meanwhile. */
export async function openSqliteSnapshot(path: string, scratch: string): Promise<Snapshot> {
  if (!existsSync(path)) throw new Error(`There is no database file "${path}"`);
  rmSync(scratch, { force: true });
  // An empty file is taken as it is: the copy has every secret of the records.
  writeFileSync(scratch, '', { mode: 0o600, flag: 'wx' });
  const source = new SqliteConnection(path, 'read');
  try {
    source.db.prepare('vacuum into ?').run(scratch);
  } finally {
    source.close();
  }
  const copy = new SqliteConnection(scratch, 'read');
  const close = async (): Promise<void> => {
    copy.close();
    rmSync(scratch, { force: true });
  };
  const tables = names(copy, "select name from sqlite_master where type = 'table' order by name");
  if (!tables.includes(migrationTable)) {
    await close();
    throw new UnusableError(`Database file "${path}" has no tables of the service`);
  }
  return {
    kind: 'sqlite',
    migrations: names(copy, `select name from ${migrationTable} order by name`),
    tables: tables.filter(isRecordTable).map((name) => shapeOf(copy, name)),
    async *rows(table) {
      yield* batches(copy, table);
    },
    close,
  };
}
