import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { spellingsOf } from '../../spellings.ts';

/** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. */
export const contains = (text: Expression<string | null>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    spellingsOf(part).map((spelling) => sql`instr(lower(${text}), ${spelling}) > 0`),
    sql` or `,
  )})`;

/** True when all of `text` fits a pattern in which `*` stands for any characters; letter case counts. */
export const matches = (text: Expression<string>, pattern: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${text} glob ${pattern.replace(/[?[]/g, '[$&]')}`;

/** True when `text` begins with `prefix`; letter case counts. */
export const startsWith = (text: Expression<string>, prefix: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`substr(${text}, 1, length(${prefix})) = ${prefix}`;

/** Locks the selected rows until the transaction ends. SQLite's transactions lock the whole file from their start. */
export const lockRows = <Q extends { forUpdate(): Q }>(query: Q): Q => query;

/** The same condition, for which no index is looked into: the sign keeps SQLite from that. */
export const rowByRow = (condition: Expression<SqlBool>): RawBuilder<SqlBool> => sql<SqlBool>`+(${condition})`;

/** A table of texts, in a column `value`: any number in one parameter. */
export const rowsOf = (texts: readonly string[]): RawBuilder<{ value: string }> =>
  sql<{ value: string }>`(select value from json_each(${JSON.stringify(texts)}))`;

export { logNumber } from './logs.ts';
export { findCandidates } from './search.ts';
