import type { CustomerRole } from '@moorage/api';
import type { Insertable, Selectable } from 'kysely';
import { onePage, type Paging } from '../db/paging.ts';
import type { CustomerTable } from '../db/schema.ts';
import type { Db, Storage } from '../db/storage.ts';

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

export type CustomerRow = Selectable<CustomerTable> & { readonly product_count: number | null };

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
export async function insertCustomer(db: Db, row: Insertable<CustomerTable>): Promise<void> {
  await db.insertInto('customers').values(row).execute();
}

/** The people of customers, by user name. */
export const peopleOf = (db: Db, customerIds: readonly string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'customer_id', 'customer_role'])
    .where('customer_id', 'in', [...customerIds])
    .orderBy('username')
    .execute();

/** Makes a user one of the people of a customer, or with null of none. An administrator stays one. */
export async function joinCustomer(
  db: Db,
  user: { readonly id: string; readonly role: 'user' | 'customer' | 'admin' },
  customerId: string | null,
  customerRole: CustomerRole = 'owner',
): Promise<void> {
  const plain = customerId === null ? 'user' : 'customer';
  const role = user.role === 'admin' ? 'admin' : plain;
  const change = { customer_id: customerId, customer_role: customerRole, role } as const;
  await db.updateTable('users').set(change).where('id', '=', user.id).execute();
}
