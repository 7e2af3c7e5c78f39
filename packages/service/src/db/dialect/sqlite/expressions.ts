import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. ASCII case only. */
export const contains = (text: Expression<string | null>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`instr(lower(${text}), ${part.toLowerCase()}) > 0`;

/** Locks the selected rows until the transaction ends. SQLite's transactions lock the whole file from their start. */
export const lockRows = <Q extends { forUpdate(): Q }>(query: Q): Q => query;
