import { type ColumnDefinitionBuilder, sql } from 'kysely';

/** Column type of a whole number of up to 53 bits. */
export const int64 = 'integer';

/** Column type of a text that compares and sorts by its bytes. */
export const name = 'text';

/** Column type of a number of double precision. */
export const real = 'real';

/** What follows the column list: STRICT makes SQLite refuse values of another type, as PostgreSQL does. */
export const tableEnd = sql`strict`;

/** The same for a table that is its own index by key: half the size for rows as short as samples. */
export const orderedTableEnd = sql`strict, without rowid`;

/** An integer key that the database counts up and never gives out twice. */
export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.autoIncrement();

/** SQLite keeps them in one table. */
export const splitSamples = async (): Promise<void> => {};

/** A look at them costs little. */
export const looseExecutions = async (): Promise<void> => {};

/** They lie beside each other, and a look at the stream costs little. */
export const looseSamples = async (): Promise<void> => {};
export { guardAudit } from './audit.ts';
export { countDevices } from './counts.ts';
export { numberLogs } from './logs.ts';

/** Here a product and owner has one row, which each device counts up. */
export const countStatements = async (): Promise<void> => {};

export { indexDevices } from './search.ts';
