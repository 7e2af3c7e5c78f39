import type { ProductListQuery } from '@moorage/api';
import type { ExpressionBuilder, ExpressionWrapper, SelectQueryBuilder, SqlBool } from 'kysely';
import { countOf, onePage, type Paging } from '../../engine/db/paging.ts';
import type { NewRow, Row, RowChange, Schema } from '../../engine/db/schema.ts';
import { changes, finds } from '../../engine/db/statements.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { isOpenTo, reachability } from '../access/catalogue.ts';
import { customerRoles, type Role } from '../access/rules.ts';
import type { Viewer, ViewingUser } from '../access/viewer.ts';
import { tagRank } from './rules.ts';

export type ProductRow = Row<'products'>;
export type ActivationTokenRow = Row<'activation_tokens'>;
type ProductQuery<O> = SelectQueryBuilder<Schema, 'products', O>;

/** Products with the rows that their labels, the caller's role and the newest published bundle are read from. */
const joinedProducts = (db: Db, page: ProductQuery<ProductRow>, userId: string) =>
  db
    .selectFrom(page.as('products'))
    .innerJoin('platforms', 'platforms.id', 'products.platform_id')
    .leftJoin('flavors', 'flavors.id', 'products.flavor_id')
    .leftJoin('users', 'users.id', 'products.user_id')
    .leftJoin('customers', 'customers.id', 'products.customer_id')
    .leftJoin('product_users', (join) =>
      join.onRef('product_users.product_id', '=', 'products.id').on('product_users.user_id', '=', userId),
    )
    // API-RULE-product-1: the version shown is that of the newest published bundle.
    .leftJoin('bundles as newest', (join) =>
      join.on('newest.id', '=', (eb) =>
        eb
          .selectFrom('bundles')
          .select('bundles.id')
          .whereRef('bundles.product_id', '=', 'products.id')
          .where('bundles.state', '=', 'published')
          .orderBy('bundles.created_at', 'desc')
          .orderBy('bundles.version_key', 'desc')
          .limit(1),
      ),
    )
    .leftJoin('firmwares', 'firmwares.id', 'newest.firmware_id');

/** Products with every field that a record computes. Only the rows of `page` are computed. */
const computeProducts = (db: Db, page: ProductQuery<ProductRow>, viewer: ViewingUser) =>
  joinedProducts(db, page, viewer.userId)
    .selectAll('products')
    .select((eb) => [
      'platforms.code as platform',
      'flavors.code as flavor',
      'users.username as user',
      'customers.name as customer',
      'product_users.role as membership',
      reachability(viewer, eb.ref('products.platform_id'), eb.ref('products.flavor_id')).as('reachable'),
      'newest.version as newest_version',
      eb
        .selectFrom('bundles')
        .whereRef('bundles.product_id', '=', 'products.id')
        .where('bundles.tag', '=', 'release')
        .select('bundles.version')
        .as('release'),
      'firmwares.label as firmware',
      'firmwares.version as firmware_version',
      eb
        .selectFrom('devices')
        .whereRef('devices.product_id', '=', 'products.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('device_count'),
      eb
        .selectFrom('bundles')
        .whereRef('bundles.product_id', '=', 'products.id')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('bundle_count'),
      eb
        .selectFrom('devices')
        .whereRef('devices.product_id', '=', 'products.id')
        .where('devices.user_id', '=', viewer.userId)
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('own_device_count'),
      eb
        .selectFrom('bundles')
        .whereRef('bundles.product_id', '=', 'products.id')
        .where('bundles.state', '=', 'published')
        .select((count) => count.fn.countAll<number>().as('n'))
        .as('published_count'),
      eb
        .selectFrom('bundles')
        .whereRef('bundles.product_id', '=', 'products.id')
        // The highest tag held by any bundle. Reference: rules 2.2.
        .select((rank) =>
          rank.fn
            .max<number | null>(
              rank
                .case('bundles.tag')
                .when('release')
                .then(tagRank('release'))
                .when('beta')
                .then(tagRank('beta'))
                .when('alpha')
                .then(tagRank('alpha'))
                .else(tagRank(null))
                .end(),
            )
            .as('rank'),
        )
        .as('tag_rank'),
    ]);

export type ProductView = Awaited<ReturnType<ReturnType<typeof computeProducts>['executeTakeFirstOrThrow']>>;

/** A product with every field that its record computes for this user. */
export const productView = (db: Db, id: string, viewer: ViewingUser): Promise<ProductView | undefined> =>
  computeProducts(
    db,
    db.selectFrom('products').selectAll('products').where('products.id', '=', id),
    viewer,
  ).executeTakeFirst();

/** How a caller can be tied to a product; what each tie allows is the authorisation table's to say. */
export const productTies = [
  'onlooker',
  'visitor',
  'endUser',
  'deviceOwner',
  'tester',
  'operator',
  'manager',
  'owner',
] as const satisfies readonly Role[];
export type ProductTie = (typeof productTies)[number];

type ProductTest = (
  eb: ExpressionBuilder<Schema, 'products'>,
  viewer: ViewingUser,
) => ExpressionWrapper<Schema, 'products', SqlBool>;

/** The products of the viewer's customer, where the viewer has a role towards these. */
const ofCustomer = (
  eb: ExpressionBuilder<Schema, 'products'>,
  { customerId, customerRole }: ViewingUser,
  role: Role,
): ReturnType<ProductTest>[] =>
  customerId !== null && customerRoles[customerRole] === role ? [eb('products.customer_id', '=', customerId)] : [];

const hasRole =
  (role: 'manager' | 'tester'): ProductTest =>
  (eb, viewer) =>
    eb.or([
      eb.exists(
        eb
          .selectFrom('product_users')
          .select('product_users.user_id')
          .whereRef('product_users.product_id', '=', 'products.id')
          .where('product_users.user_id', '=', viewer.userId)
          .where('product_users.role', '=', role),
      ),
      ...ofCustomer(eb, viewer, role),
    ]);

const operatesProduct: ProductTest = (eb, viewer) => eb.or(ofCustomer(eb, viewer, 'operator'));

const ownsProduct: ProductTest = (eb, viewer) =>
  eb.or([eb('products.user_id', '=', viewer.userId), ...ofCustomer(eb, viewer, 'owner')]);

const isPublished = (eb: ExpressionBuilder<Schema, 'products'>) => eb('products.publication', '=', 'published');

const isPublic: ProductTest = (eb, viewer) =>
  eb.and([
    eb('products.trashed', '=', 0),
    eb.or([isPublished(eb), eb('products.edition', '=', 1)]),
    eb(reachability(viewer, eb.ref('products.platform_id'), eb.ref('products.flavor_id')), '=', 1),
  ]);

const ownsDevice: ProductTest = (eb, { userId }) =>
  eb.exists(
    eb
      .selectFrom('devices')
      .select('devices.id')
      .whereRef('devices.product_id', '=', 'products.id')
      .where('devices.user_id', '=', userId),
  );

const where =
  (test: ProductTest, production: 0 | 1): ProductTest =>
  (eb, viewer) =>
    eb.and([eb('products.production', '=', production), test(eb, viewer)]);

/** What makes each tie, as a condition on a list. `productRoles` says the same of one product. */
const tieTests: Readonly<Record<ProductTie, ProductTest>> = {
  onlooker: where(isPublic, 1),
  visitor: where(isPublic, 0),
  endUser: where(ownsDevice, 1),
  deviceOwner: where(ownsDevice, 0),
  tester: hasRole('tester'),
  operator: operatesProduct,
  manager: hasRole('manager'),
  owner: ownsProduct,
};

const roleTies = {
  owner: ['owner'],
  manager: ['manager'],
  any: ['owner', 'manager', 'operator', 'tester'],
} as const satisfies Record<string, readonly ProductTie[]>;

const categories: Readonly<Record<NonNullable<ProductListQuery['category']>, ProductTest>> = {
  mine: ownsProduct,
  managed: hasRole('manager'),
  published: isPublished,
  edition: (eb) => eb('products.edition', '=', 1),
};

const anyTie = (
  eb: ExpressionBuilder<Schema, 'products'>,
  viewer: ViewingUser,
  ties: readonly ProductTie[],
): ExpressionWrapper<Schema, 'products', SqlBool> => eb.or(ties.map((tie) => tieTests[tie](eb, viewer)));

/** The filters that products have. Reference: api 1.2. */
function filtered(storage: Storage, filter: ProductListQuery, viewer: ViewingUser): ProductQuery<unknown> {
  const { contains } = storage.expressions;
  const { q, role, state, category } = filter;
  const only = viewer.limits?.productIds;
  let query = storage.db.selectFrom('products').where('products.trashed', '=', state === 'trash' ? 1 : 0);
  if (only) query = query.where('products.id', 'in', only);
  if (state !== undefined && state !== 'trash') query = query.where('products.publication', '=', state);
  if (filter.platform_id !== undefined) query = query.where('products.platform_id', '=', filter.platform_id);
  if (filter.flavor_id !== undefined) query = query.where('products.flavor_id', '=', filter.flavor_id);
  if (filter.production !== undefined) query = query.where('products.production', '=', filter.production ? 1 : 0);
  if (filter.edition !== undefined) query = query.where('products.edition', '=', filter.edition ? 1 : 0);
  if (role !== undefined) query = query.where((eb) => anyTie(eb, viewer, roleTies[role]));
  if (category !== undefined) query = query.where((eb) => categories[category](eb, viewer));
  if (q) {
    query = query.where((eb) =>
      eb.or([contains(eb.ref('products.title'), q), contains(eb.ref('products.product'), q)]),
    );
  }
  return query;
}

/**
 * One page of products, and how many fit in all. Products in trash are left out unless asked for by state.
 *
 * @param ties the ties that let the caller see a product; `undefined` when the caller sees all of them
 */
export async function listProducts(
  storage: Storage,
  filter: ProductListQuery,
  page: Paging<'created_at' | 'updated_at' | 'title' | 'code' | 'product'>,
  viewer: ViewingUser,
  ties: readonly ProductTie[] | undefined,
): Promise<{ items: ProductView[]; total: number }> {
  let query = filtered(storage, filter, viewer);
  if (ties) query = query.where((eb) => anyTie(eb, viewer, ties));
  const rows = query
    .selectAll('products')
    .orderBy(`products.${page.field}`, page.direction)
    .orderBy('products.id', page.direction)
    .limit(page.limit)
    .offset(page.offset);
  const items = await computeProducts(storage.db, rows, viewer)
    .orderBy(`products.${page.field}`, page.direction)
    .orderBy('products.id', page.direction)
    .execute();
  const { total } = await query.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { items, total };
}

/** Whether some product has this full code already. */
export const productTaken = (db: Db, product: string): Promise<boolean> =>
  finds(db.selectFrom('products').select('id').where('product', '=', product));

/** What a new product is unless it is said. */
const freshProduct = {
  meta: '',
  summary: '',
  description: '',
  user_id: null,
  customer_id: null,
  publication: 'preview',
  trashed: 0,
  claimable: 1,
  production: 0,
  edition: 0,
  part_number: null,
} as const;

type Fresh = keyof typeof freshProduct;

/** Adds a product. A full code that is taken violates an index. */
export const insertProduct = (
  db: Db,
  { created_at, ...row }: Omit<NewRow<'products'>, Fresh | 'updated_at'> & Partial<Pick<NewRow<'products'>, Fresh>>,
) =>
  db
    .insertInto('products')
    .values({ ...freshProduct, ...row, created_at, updated_at: created_at })
    .execute();

/** Writes what a change says of a product. */
export const changeProduct = (db: Db, id: string, change: RowChange<'products'>) =>
  db.updateTable('products').set(change).where('id', '=', id).execute();

/** Removes a product; its bundles, resources, users and tokens go with it (foreign keys cascade). */
export const deleteProduct = (db: Db, id: string) => db.deleteFrom('products').where('id', '=', id).execute();

/** What keeps a product from going away: activated devices, or a platform whose base edition it is. */
export async function productUse(db: Db, id: string): Promise<{ deviceCount: number; baseEdition: boolean }> {
  const deviceCount = await countOf(db.selectFrom('devices').where('product_id', '=', id));
  const platform = await db.selectFrom('platforms').select('id').where('product_id', '=', id).executeTakeFirst();
  return { deviceCount, baseEdition: platform !== undefined };
}

/** What creating a product needs to know of its platform, where that is open to the viewer. */
export const platformForProduct = (db: Db, platformId: string, viewer: Viewer) =>
  db
    .selectFrom('platforms')
    .leftJoin('products', 'products.id', 'platforms.product_id')
    .select(['platforms.id', 'platforms.code', 'products.flavor_id as base_flavor_id'])
    .where('platforms.id', '=', platformId)
    .where((eb) => isOpenTo(viewer, 'platform', eb.ref('platforms.id')))
    .executeTakeFirst();

/** A flavor that is open to the viewer, and whether the platform has it. */
export const flavorForProduct = (db: Db, flavorId: string, platformId: string, viewer: Viewer) =>
  db
    .selectFrom('flavors')
    .leftJoin('platform_flavors', (join) =>
      join.onRef('platform_flavors.flavor_id', '=', 'flavors.id').on('platform_flavors.platform_id', '=', platformId),
    )
    .select(['flavors.id', 'flavors.code', 'platform_flavors.platform_id'])
    .where('flavors.id', '=', flavorId)
    .where((eb) => isOpenTo(viewer, 'flavor', eb.ref('flavors.id')))
    .executeTakeFirst();

/** One page of a product's activation tokens, and how many there are. */
export async function listActivationTokens(
  db: Db,
  productId: string,
  page: Paging<'created_at'>,
): Promise<{ items: (ActivationTokenRow & { user: string })[]; total: number }> {
  const query = db.selectFrom('activation_tokens').where('activation_tokens.product_id', '=', productId);
  const items = query
    .innerJoin('users', 'users.id', 'activation_tokens.user_id')
    .selectAll('activation_tokens')
    .select('users.username as user')
    .orderBy('activation_tokens.created_at', page.direction)
    .orderBy('activation_tokens.id', page.direction);
  return onePage(items, query, page);
}

/** Adds an activation token. */
export const insertActivationToken = (db: Db, row: NewRow<'activation_tokens'>) =>
  db.insertInto('activation_tokens').values(row).execute();

/** Whether there was such a token of the product. */
export const deleteActivationToken = (db: Db, productId: string, tokenId: string): Promise<boolean> =>
  changes(db.deleteFrom('activation_tokens').where('product_id', '=', productId).where('id', '=', tokenId));

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

/** Gives the products of one user, and the tokens that they have made for others, to another user. */
export async function handOverProducts(trx: Db, from: string, to: string): Promise<void> {
  await trx.updateTable('products').set({ user_id: to }).where('user_id', '=', from).execute();
  await trx.updateTable('activation_tokens').set({ user_id: to }).where('user_id', '=', from).execute();
}
