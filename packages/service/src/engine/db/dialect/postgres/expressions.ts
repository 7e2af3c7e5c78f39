import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { spellingsOf } from '../../spellings.ts';
import { plannedForValues } from './prepared.ts';

/** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. */
export const contains = (text: Expression<string | null>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.join(
    spellingsOf(part).map((spelling) => sql`strpos(lower(${text}), ${spelling}) > 0`),
    sql` or `,
  )})`;

/** True when all of `text` fits a pattern in which `*` stands for any characters; letter case counts. */
export const matches = (text: Expression<string>, pattern: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${text} like ${pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')}`;

/** True when `text` begins with `prefix`; letter case counts. */
export const startsWith = (text: Expression<string>, prefix: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`starts_with(${text}, ${prefix})`;

/** Locks the selected rows until the transaction ends; of a join, those that `lock` names. */
export const lockRows = <Q extends { forUpdate(): Q }>(query: Q, lock = (rows: Q): Q => rows.forUpdate()): Q =>
  lock(query);

/** The same condition, in a statement that is planned each time: the server would settle on one plan for all values. */
export const forItsValues = (condition: Expression<SqlBool>): RawBuilder<SqlBool> =>
  sql<SqlBool>`${condition} ${sql.raw(plannedForValues)}`;

/** A table of texts, in a column `value`: any number in one parameter. */
export const rowsOf = (texts: readonly string[]): RawBuilder<{ value: string }> =>
  sql<{ value: string }>`(select value from json_array_elements_text(${JSON.stringify(texts)}::json))`;

export { logNumber } from './logs.ts';
export { findCandidates } from './search.ts';
