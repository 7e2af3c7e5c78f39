import { codePart } from '@moorage/base';
import type { Db } from '../../engine/db/storage.ts';

/** What may have a name: the codes of products begin with that of their owner or maker. */
export type NameOwner = 'user' | 'customer' | 'manufacturer';

/** A name as codes of products have it: two that look alike there are one. */
const keyOf = (name: string): string => codePart(name).toLowerCase();

/** The manufacturers of platforms: few, and their names may have any characters. */
async function manufacturers(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('platforms').select('manufacturer').distinct().execute();
  return rows.flatMap(({ manufacturer }) => (manufacturer ? [keyOf(manufacturer)] : []));
}

/**
 * Who has a name already, in any letter case: users, customers and manufacturers share one space of names. In a
 * transaction that then takes the name, of two at once one sees the other. Spec: API-RULE-names-1.
 */
export async function nameOwner(db: Db, name: string): Promise<NameOwner | undefined> {
  const key = keyOf(name);
  const user = await db.selectFrom('users').select('id').where('username', '=', key).executeTakeFirst();
  if (user) return 'user';
  const customer = await db.selectFrom('customers').select('id').where('name', '=', key).executeTakeFirst();
  if (customer) return 'customer';
  return (await manufacturers(db)).includes(key) ? 'manufacturer' : undefined;
}

/** The names that begin with `start` and that are taken, as codes spell them, in lower case. */
export async function namesFrom(db: Db, start: string): Promise<Set<string>> {
  const end = `${start}\u{10ffff}`;
  const users = await db
    .selectFrom('users')
    .select('username')
    .where('username', '>=', start)
    .where('username', '<', end)
    .execute();
  const customers = await db
    .selectFrom('customers')
    .select('name')
    .where('name', '>=', start)
    .where('name', '<', end)
    .execute();
  return new Set([
    ...users.map(({ username }) => username),
    ...customers.map(({ name }) => name),
    ...(await manufacturers(db)),
  ]);
}

/** Names that several have: they were taken before names were one space, and stay until they are changed. */
export async function nameClashes(db: Db): Promise<string[]> {
  const made = await manufacturers(db);
  const customers = await db.selectFrom('customers').select('name').execute();
  const names = [...new Set([...made, ...customers.map(({ name }) => name)])];
  if (names.length === 0) return [];
  const users = await db.selectFrom('users').select('username').where('username', 'in', names).execute();
  const clashing = customers.map(({ name }) => name).filter((name) => made.includes(name));
  return [...new Set([...users.map(({ username }) => username), ...clashing])].sort();
}
