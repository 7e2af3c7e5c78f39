import type { Insertable, Selectable, Updateable } from 'kysely';
import type { SchemaOf } from './table.ts';
import type { engineTables } from './tables.ts';

/** The tables by their names: the engine's own here, and all others by the list of them, which adds to this. */
export interface Schema extends SchemaOf<typeof engineTables> {}

/** A row as it is read, as it is first written, and what may be changed of it. */
export type Row<T extends keyof Schema> = Selectable<Schema[T]>;
export type NewRow<T extends keyof Schema> = Insertable<Schema[T]>;
export type RowChange<T extends keyof Schema> = Updateable<Schema[T]>;
