import { sql } from 'kysely';
import { countOf, type Paging } from '../../engine/db/paging.ts';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';

const members = (db: Db, productId: string) =>
  db
    .selectFrom('product_users')
    .innerJoin('users', 'users.id', 'product_users.user_id')
    .where('product_users.product_id', '=', productId)
    .where('users.service_product_id', 'is', null);

const memberFields = [
  'product_users.user_id',
  'users.username as user',
  'users.name_given',
  'users.name_family',
  'product_users.role',
  'product_users.created_at',
] as const;

const sortColumns = {
  created_at: 'product_users.created_at',
  user: 'users.username',
  role: 'product_users.role',
} as const;

/** One page of those who work on a product, and how many they are. */
export async function listMembers(db: Db, productId: string, page: Paging<keyof typeof sortColumns>) {
  const items = await members(db, productId)
    .select(memberFields)
    .orderBy(sql.ref(sortColumns[page.field]), page.direction)
    .orderBy('product_users.user_id', page.direction)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { items, total: await countMembers(db, productId) };
}

export type MemberRow = Awaited<ReturnType<typeof listMembers>>['items'][number];

/** How many users work on a product beside its owner. */
export const countMembers = (db: Db, productId: string): Promise<number> => countOf(members(db, productId));

/** The user as a member of the product; its owner does not count. */
export const memberOf = (db: Db, productId: string, userId: string): Promise<MemberRow | undefined> =>
  members(db, productId).select(memberFields).where('product_users.user_id', '=', userId).executeTakeFirst();

/** Adds a member, or changes what they may do. */
export const putMember = (db: Db, row: Row<'product_users'>) =>
  db
    .insertInto('product_users')
    .values(row)
    .onConflict((conflict) => conflict.columns(['product_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();

/** Removes a member. */
export const deleteMember = (db: Db, productId: string, userId: string) =>
  db.deleteFrom('product_users').where('product_id', '=', productId).where('user_id', '=', userId).execute();

/** The row of a customer. */
export const customerById = (db: Db, id: string) =>
  db.selectFrom('customers').selectAll().where('id', '=', id).executeTakeFirst();

/** The code of a platform that is there. */
export const platformCode = async (db: Db, id: string): Promise<string> =>
  (await db.selectFrom('platforms').select('code').where('id', '=', id).executeTakeFirstOrThrow()).code;

/** Ids of those who own a product: its user, or the people of its customer. */
export async function peopleOfOwner(
  db: Db,
  { user_id, customer_id }: { readonly user_id: string | null; readonly customer_id: string | null },
): Promise<string[]> {
  if (customer_id === null) return user_id === null ? [] : [user_id];
  const rows = await db.selectFrom('users').select('id').where('customer_id', '=', customer_id).execute();
  return rows.map(({ id }) => id);
}

/** What there is to know of a product before a user is made a member of it. */
export const productToJoin = (db: Db, id: string) =>
  db.selectFrom('products').select(['product', 'user_id']).where('id', '=', id).executeTakeFirst();
