import type { DeleteResult, UpdateResult } from 'kysely';

interface Statement<R> {
  executeTakeFirst(): Promise<R>;
}

/** Whether a query finds a row. */
export const finds = async (query: Statement<object | undefined>): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined;

/** Whether a statement changes or removes a row. */
export async function changes(statement: Statement<UpdateResult | DeleteResult>): Promise<boolean> {
  const outcome = await statement.executeTakeFirst();
  return ('numUpdatedRows' in outcome ? outcome.numUpdatedRows : outcome.numDeletedRows) > 0n;
}
