import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. ASCII case only. */
export const contains = (text: Expression<string | null>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`instr(lower(${text}), ${part.toLowerCase()}) > 0`;

/** True when all of `text` fits a pattern in which `*` stands for any characters; letter case counts. */
export const matches = (text: Expression<string>, pattern: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${text} glob ${pattern.replace(/[?[]/g, '[$&]')}`;

/** True when `text` begins with `prefix`; letter case counts. */
export const startsWith = (text: Expression<string>, prefix: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`substr(${text}, 1, length(${prefix})) = ${prefix}`;

/** Locks the selected rows until the transaction ends. SQLite's transactions lock the whole file from their start. */
export const lockRows = <Q extends { forUpdate(): Q }>(query: Q): Q => query;
