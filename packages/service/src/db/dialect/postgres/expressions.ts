import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** True when `text` contains `part`, letter case aside; `%` and `_` in `part` mean themselves. */
export const contains = (text: Expression<string | null>, part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`strpos(lower(${text}), ${part.toLowerCase()}) > 0`;

/** Locks the selected rows until the transaction ends. */
export const lockRows = <Q extends { forUpdate(): Q }>(query: Q): Q => query.forUpdate();
