import { type ColumnDefinitionBuilder, sql } from 'kysely';

/** Column type of a whole number of up to 53 bits. */
export const int64 = 'bigint';

/** Column type of a text that compares and sorts by its bytes. */
export const name = sql`text collate "C"`;

/** Column type of a number of double precision. */
export const real = 'double precision';

/** What follows the column list. */
export const tableEnd = sql``;

/** PostgreSQL keeps rows in the order in which they came. */
export const orderedTableEnd = sql``;

/** An integer key that the database counts up and never gives out twice. */
export const counter = (column: ColumnDefinitionBuilder): ColumnDefinitionBuilder => column.generatedAlwaysAsIdentity();

export { countDevices } from './counts.ts';
export { looseSamples, splitSamples } from './partitions.ts';

export { indexDevices } from './search.ts';
