import { type ColumnDefinitionBuilder, type Kysely, sql } from 'kysely';
import type { Table } from '../../table.ts';
import { guardAudit } from './audit.ts';
import { countDevices } from './counts.ts';
import { indexDevices } from './search.ts';

export { refer } from './refer.ts';

export const types = { text: 'text', name: 'text', int64: 'integer', real: 'real' } as const;

/**
 * STRICT makes SQLite refuse values of another type, as PostgreSQL does. A table that is its own index by key is half the
 * size for rows as short as samples.
 */
export const tableEnd = ({ ordered }: Table) => (ordered ? sql`strict, without rowid` : sql`strict`);

export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.autoIncrement();

export async function addToFirst(db: Kysely<unknown>): Promise<void> {
  for (const make of [indexDevices, countDevices, guardAudit]) await make(db);
}
