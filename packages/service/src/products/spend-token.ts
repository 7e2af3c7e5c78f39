import type { Db } from '../db/storage.ts';

/** Counts one use of an activation token; false when none is left. Spec: API-RULE-claim-2. */
export async function spendActivationToken(trx: Db, id: string): Promise<boolean> {
  const [spent] = await trx
    .updateTable('activation_tokens')
    .set((row) => ({ uses_left: row('uses_left', '-', 1) }))
    .where('id', '=', id)
    .where('uses_left', '>', 0)
    .execute();
  return spent !== undefined && spent.numUpdatedRows > 0n;
}
