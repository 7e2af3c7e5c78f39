import type { Db } from '../../engine/db/storage.ts';

/** Takes connectors that have been deleted out of the rules that named them, which could not be saved any more. */
export async function forgetDeletedConnectors(db: Db): Promise<void> {
  const there = new Set((await db.selectFrom('connectors').select('id').execute()).map(({ id }) => id));
  for (const rule of await db.selectFrom('alert_rules').select(['id', 'connectors']).execute()) {
    const named: readonly string[] = JSON.parse(rule.connectors);
    const left = named.filter((id) => there.has(id));
    if (left.length === named.length) continue;
    await db
      .updateTable('alert_rules')
      .set({ connectors: JSON.stringify(left) })
      .where('id', '=', rule.id)
      .execute();
  }
}
