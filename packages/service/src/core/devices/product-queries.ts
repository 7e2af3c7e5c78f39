import type { CustomerRole } from '@moorage/api';
import type { Db } from '../../engine/db/storage.ts';
import { reachability } from '../access/catalogue.ts';
import type { ProductTies } from '../access/rules.ts';
import type { ViewingUser } from '../access/viewer.ts';

/** A person as authorisation sees them. */
export interface Person {
  readonly userId: string;
  readonly role: 'user' | 'customer' | 'admin';
  readonly customerId: string | null;
  readonly customerRole: CustomerRole;
}

/** A user as authorisation sees them, and the name that records show. */
export async function findPerson(db: Db, id: string): Promise<(Person & { readonly username: string }) | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['id', 'role', 'customer_id', 'customer_role', 'username'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  const { role, customer_id: customerId, customer_role: customerRole, username } = row;
  return { userId: row.id, role, customerId, customerRole, username };
}

/** One to whom nothing has been given. */
const nobody: ViewingUser = { userId: '', customerId: null, customerRole: 'owner' };

/** Products with what activation asks of them, and what ties a person to each. */
const targets = (db: Db, viewer: ViewingUser = nobody) =>
  db
    .selectFrom('products as p')
    .leftJoin('product_users as pu', (join) =>
      join.onRef('pu.product_id', '=', 'p.id').on('pu.user_id', '=', viewer.userId),
    )
    .select([
      'p.id',
      'p.code',
      'p.product',
      'p.title',
      'p.platform_id',
      'p.user_id',
      'p.customer_id',
      'p.publication',
      'p.trashed',
      'p.edition',
      'p.claimable',
      'p.production',
      'pu.role as membership',
    ])
    .select((eb) => reachability(viewer, eb.ref('p.platform_id'), eb.ref('p.flavor_id')).as('reachable'))
    .select((select) =>
      select
        .selectFrom('bundles as b')
        .select('b.version')
        .whereRef('b.product_id', '=', 'p.id')
        .where('b.state', '=', 'published')
        .orderBy('b.created_at', 'desc')
        .orderBy('b.version_key', 'desc')
        .limit(1)
        .as('version'),
    );

export type TargetRow = Awaited<ReturnType<ReturnType<typeof targets>['executeTakeFirstOrThrow']>>;

/** A product, trashed or not, with what ties a person to it. */
export const findTarget = (db: Db, id: string, viewer: ViewingUser): Promise<TargetRow | undefined> =>
  targets(db, viewer).where('p.id', '=', id).executeTakeFirst();

/** Products whose full or short code is `code`, in upper case. Those in trash are left out. */
export const findTargetsByCode = (db: Db, code: string, viewer?: ViewingUser): Promise<TargetRow[]> =>
  targets(db, viewer)
    .where('p.trashed', '=', 0)
    .where((where) => where.or([where('p.product', '=', code), where('p.code', '=', code)]))
    .execute();

/** Products of a platform that take new devices, by code. */
export const listTargets = (db: Db, platformId: string, viewer: ViewingUser | undefined): Promise<TargetRow[]> =>
  targets(db, viewer)
    .where('p.platform_id', '=', platformId)
    .where('p.trashed', '=', 0)
    .where('p.publication', '<>', 'archive')
    .orderBy('p.product')
    .execute();

/** The row as authorisation wants it. Owning another device of a product gives no right to activate more to it. */
export const tiesOf = (row: TargetRow): ProductTies => ({ ...row, ownsDevice: false });

/** An activation token by the SHA-256 of its value. */
export const findActivationToken = (db: Db, hash: string) =>
  db
    .selectFrom('activation_tokens')
    .select(['id', 'product_id', 'user_id', 'uses_left'])
    .where('token_hash', '=', hash)
    .executeTakeFirst();
