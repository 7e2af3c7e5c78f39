import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Db } from '../../engine/db/storage.ts';
import type { Viewer } from './viewer.ts';

/** What products and bundles are made from, and where its rows are. */
const kinds = {
  platform: { table: 'platforms', column: 'platform_id' },
  flavor: { table: 'flavors', column: 'flavor_id' },
} as const;
export type CatalogueKind = keyof typeof kinds;

type IdOf = Expression<string | null>;

/** Whether a platform or flavor is for everybody, or has been given to the viewer or to their customer. No flavor is open. */
export function isOpenTo(viewer: Viewer, kind: CatalogueKind, id: IdOf): RawBuilder<SqlBool> {
  if (viewer === 'everyone') return sql`1 = 1`;
  const { table, column } = kinds[kind];
  const { userId, customerId } = viewer;
  return sql`(not exists (
    select 1 from ${sql.table(table)} as thing where thing.id = ${id} and thing.restricted = 1
  ) or exists (
    select 1 from catalogue_grants as given where ${sql.ref(`given.${column}`)} = ${id}
    and (given.user_id = ${userId} or given.customer_id = ${customerId})
  ))`;
}

/** 1 where both are open to the viewer, else 0. Spec: API-RULE-platform-access-1. */
export const reachability = (viewer: Viewer, platformId: IdOf, flavorId: IdOf): RawBuilder<number> =>
  sql`case when ${isOpenTo(viewer, 'platform', platformId)} and ${isOpenTo(viewer, 'flavor', flavorId)} then 1 else 0 end`;

/** Whether a viewer may use a platform, and a flavor where one is named. */
export async function mayUse(
  db: Db,
  viewer: Viewer,
  { platformId, flavorId = null }: { readonly platformId: string; readonly flavorId?: string | null },
): Promise<boolean> {
  if (viewer === 'everyone') return true;
  const open = reachability(viewer, sql`${platformId}`, sql`${flavorId}`);
  const { reachable } = await db.selectNoFrom(open.as('reachable')).executeTakeFirstOrThrow();
  return reachable === 1;
}
