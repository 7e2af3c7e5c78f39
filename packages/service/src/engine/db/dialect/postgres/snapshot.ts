import type pg from 'pg';
import { asCell, isRecordTable, migrationTable, type Snapshot, type TableShape } from '../../snapshot.ts';
import { serversAt } from './hosts.ts';
import { types } from './pool.ts';

/** Rows that are held at a time. */
const batchRows = 200;
const connectTimeoutMs = 10_000;

/** Without the numbers that say in which order rows have come to this database. */
const columnsQuery = `
  select c.table_name as table, c.column_name as column, c.is_identity = 'YES' as counted
  from information_schema.columns c
  join information_schema.tables t using (table_schema, table_name)
  where table_schema = current_schema() and t.table_type = 'BASE TABLE'
    and coalesce(c.column_default, '') not like 'nextval(%'
    and not exists (select from pg_class p where p.relispartition
      and p.relnamespace = current_schema()::regnamespace and p.relname = c.table_name)
  order by c.table_name, c.ordinal_position`;

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly counted: boolean;
}

/** The number that an identity column gave out last. Sequences stand outside of snapshots: it may be a later one. */
async function lastOf(client: pg.Client, table: string, column: string): Promise<number> {
  const named = await client.query<{ name: string }>('select pg_get_serial_sequence(quote_ident($1), $2) as name', [
    table,
    column,
  ]);
  // The server has quoted the name already.
  const { rows } = await client.query<{ last: number }>(
    `select case when is_called then last_value else 0 end as last from ${named.rows[0]?.name}`,
  );
  return rows[0]?.last ?? 0;
}

async function shapesOf(client: pg.Client): Promise<TableShape[]> {
  const { rows } = await client.query<ColumnRow>(columnsQuery);
  const shapes: TableShape[] = [];
  for (const name of new Set(rows.map(({ table }) => table))) {
    const own = rows.filter(({ table }) => table === name);
    const columns = own.map(({ column }) => column);
    const counted = own.find((row) => row.counted)?.column;
    const counter =
      counted === undefined ? {} : { counter: { column: counted, last: await lastOf(client, name, counted) } };
    shapes.push({ name, columns, ...counter });
  }
  return shapes;
}

async function* batches(client: pg.Client, { name, columns }: TableShape) {
  const quoted = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  await client.query(`declare dump no scroll cursor for select ${quoted} from ${client.escapeIdentifier(name)}`);
  try {
    for (;;) {
      const text = `fetch ${batchRows} from dump`;
      const { rows } = await client.query<unknown[]>({ text, rowMode: 'array' });
      if (rows.length === 0) return;
      yield rows.map((row) => row.map(asCell));
    }
  } finally {
    await client.query('close dump');
  }
}

/** One transaction that sees the database as its first statement found it. */
export async function openPostgresSnapshot(database: string): Promise<Snapshot> {
  const { Client, url } = serversAt(database);
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs, types });
  // A connection that is lost while nothing is asked shows at the next query.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const shapes = await shapesOf(client);
    if (!shapes.some(({ name }) => name === migrationTable)) {
      throw new Error('The PostgreSQL database has no tables of the service');
    }
    const run = await client.query<{ name: string }>(`select name from ${migrationTable} order by name`);
    return {
      kind: 'postgres',
      migrations: run.rows.map(({ name }) => name),
      tables: shapes.filter(({ name }) => isRecordTable(name)),
      rows: (table) => batches(client, table),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}
