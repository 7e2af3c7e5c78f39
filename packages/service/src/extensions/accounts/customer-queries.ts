import type { CustomerRole } from '@moorage/api';
import type { UserRow } from '../../core/users/queries.ts';
import { onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db, Expressions, Storage } from '../../engine/db/storage.ts';

const customers = (db: Db) =>
  db
    .selectFrom('customers')
    .selectAll('customers')
    .select((eb) =>
      eb
        .selectFrom('products')
        .select((count) => count.fn.countAll<number>().as('n'))
        .whereRef('products.customer_id', '=', 'customers.id')
        .as('product_count'),
    );

export type CustomerRow = Row<'customers'> & { readonly product_count: number | null };

/** A customer, and how many products it has. */
export const customerById = (db: Db, id: string): Promise<CustomerRow | undefined> =>
  customers(db).where('customers.id', '=', id).executeTakeFirst();

/** One page of customers, and how many fit in all. */
export async function listCustomers(
  { db, expressions }: Storage,
  q: string | undefined,
  page: Paging<'created_at' | 'name' | 'title'>,
): Promise<{ items: CustomerRow[]; total: number }> {
  let query = customers(db);
  if (q) {
    query = query.where((eb) =>
      eb.or([expressions.contains(eb.ref('customers.name'), q), expressions.contains(eb.ref('customers.title'), q)]),
    );
  }
  const items = query.orderBy(page.field, page.direction).orderBy('id', page.direction);
  return onePage(items, query, page);
}

/** Adds a customer, which has no people yet. */
export const insertCustomer = (db: Db, row: NewRow<'customers'>) => db.insertInto('customers').values(row).execute();

/** The people of customers, by user name. */
export const peopleOf = (db: Db, customerIds: readonly string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'customer_id', 'customer_role', 'disabled_at'])
    .where('customer_id', 'in', [...customerIds])
    .orderBy('username')
    .execute();

/** Locks the people of a customer until the transaction ends, so that their changes come one after the other. */
export const lockPeople = (trx: Db, expressions: Expressions, customerId: string) =>
  expressions
    .lockRows(trx.selectFrom('users').select('id').where('customer_id', '=', customerId).orderBy('id'))
    .execute();

/**
 * Makes a user one of the people of a customer, or with null of none; false when they belong to another one meanwhile. An
 * administrator stays one.
 */
export async function setCustomer(
  trx: Db,
  user: Pick<UserRow, 'id' | 'role' | 'customer_id'>,
  customerId: string | null,
  customerRole: CustomerRole = 'owner',
): Promise<boolean> {
  const plain = customerId === null ? 'user' : 'customer';
  const role = user.role === 'admin' ? 'admin' : plain;
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ customer_id: customerId, customer_role: customerRole, role })
    .where('id', '=', user.id)
    .where((eb) => eb.or([eb('customer_id', 'is', null), eb('customer_id', '=', customerId ?? user.customer_id)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Those whom customers have invited, as the customers know them. */
export const invitedBy = (db: Db, customerIds: readonly string[]) =>
  db
    .selectFrom('customer_invitations')
    .selectAll()
    .where('customer_id', 'in', [...customerIds])
    .orderBy('name')
    .execute();

/** The invitations of a user. */
const invitationsOf = (db: Db, userId: string) =>
  db
    .selectFrom('customer_invitations as i')
    .innerJoin('customers as c', 'c.id', 'i.customer_id')
    .where('i.user_id', '=', userId)
    .select(['i.id', 'i.customer_id', 'c.name as customer', 'c.title', 'i.role', 'i.created_at']);

/** One page of the invitations of a user, and how many there are. */
export const listInvitations = (db: Db, userId: string, page: Paging<'created_at'>) => {
  const rows = invitationsOf(db, userId);
  return onePage(rows.orderBy('i.created_at', page.direction).orderBy('i.id', page.direction), rows, page);
};

/** An invitation, if it is that user's. */
export const invitationOf = (db: Db, userId: string, id: string) =>
  invitationsOf(db, userId).where('i.id', '=', id).executeTakeFirst();

/** Invites a user, or gives the invitation another role. */
export const putInvitation = (trx: Db, row: Row<'customer_invitations'>) =>
  trx
    .insertInto('customer_invitations')
    .values(row)
    .onConflict((conflict) => conflict.columns(['customer_id', 'user_id']).doUpdateSet({ role: row.role }))
    .execute();

/** Removes an invitation of a customer, or of a user; returns it. */
export async function deleteInvitation(
  trx: Db,
  id: string,
  of: { readonly customer_id: string } | { readonly user_id: string },
): Promise<Row<'customer_invitations'> | undefined> {
  return trx
    .deleteFrom('customer_invitations')
    .where('id', '=', id)
    .where((eb) => eb.and(of))
    .returningAll()
    .executeTakeFirst();
}
