import { randomUUID } from 'node:crypto';
import { type ProductRecord, type productsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { goesWith, nothingGoes } from '../../engine/db/references.ts';
import type { RowChange } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { listed } from '../../engine/http/record-from.ts';
import { type Call, type Caller, type Deps, type Handler, type Handlers, handlers } from '../../engine/http/types.ts';
import { allowedProduct } from '../access/products.ts';
import { refuseQuota } from '../access/quotas.ts';
import { authorise, generalRoles, may, productRoles, viewerFor } from '../access/rules.ts';
import { descriptionHtml } from './description.ts';
import type { ProductDeps } from './hooks.ts';
import {
  changeProduct,
  deleteProduct,
  flavorForProduct,
  insertProduct,
  listProducts,
  type ProductRow,
  platformForProduct,
  productTaken,
  productTies,
  productUse,
  productView,
} from './queries.ts';
import { productRecord } from './records.ts';
import { changePresence, changePublication, type Presence, productCodes } from './rules.ts';
import { addToken, listTokens, removeToken } from './tokens.ts';

type Contract = typeof productsContract;

/** The record of a product that is there. */
async function recordOf(db: Db, id: string, caller: Caller): Promise<ProductRecord> {
  const view = await productView(db, id, caller);
  if (!view) throw new Error(`Product ${id} is missing within its own transaction`);
  return productRecord(view, caller);
}

/** API-EP-GET-products */
async function list({ storage }: Deps, { query, caller }: Call<Contract['list']>) {
  // The ties that let a user read a product come from the authorisation table; the query finds who has them.
  const ties = productTies.filter((tie) => may('product.read', [tie]));
  const seesAll = may('product.read', generalRoles(caller));
  const page = paging(query, '-created_at');
  return listed(listProducts(storage, query, page, caller, seesAll ? undefined : ties), (row) =>
    productRecord(row, caller),
  );
}

/** API-EP-GET-products-product_id */
async function get({ storage }: Deps, { params, caller }: Call<Contract['get']>) {
  const allowed = await allowedProduct(storage.db, params.product_id, caller, 'product.read');
  return allowed.ok ? success(await recordOf(storage.db, allowed.value.id, caller)) : allowed;
}

/** API-EP-GET-products-product_id-description.html */
async function description({ storage }: Deps, { params, caller }: Call<Contract['description']>) {
  const allowed = await allowedProduct(storage.db, params.product_id, caller, 'product.read');
  if (!allowed.ok) return allowed;
  return success({
    bytes: Buffer.from(descriptionHtml(allowed.value.description)),
    mime: 'text/html; charset=utf-8',
  });
}

/** API-EP-POST-markdown */
const preview: Handler<Contract['preview']> = async ({ body }) =>
  success({ bytes: Buffer.from(descriptionHtml(body.text)), mime: 'text/html; charset=utf-8' });

/**
 * What a new product stands on: its platform, and the flavor sent or that of the platform's base edition. What is not
 * open to the caller is not there for them. Spec: API-RULE-platform-access-1.
 */
async function foundationOf(
  db: Db,
  body: Call<Contract['create']>['body'],
  caller: Caller,
): Promise<Result<{ platformId: string; platformCode: string; flavorId: string | null }, Refusal>> {
  const viewer = viewerFor('platform.access', caller);
  const platform = await platformForProduct(db, body.platform_id, viewer);
  if (!platform) return failure(refusal('NOT_FOUND', { what: 'Platform' }));
  const found = { platformId: platform.id, platformCode: platform.code };
  const flavorId = body.flavor_id ?? platform.base_flavor_id;
  if (flavorId === null) return success({ ...found, flavorId });
  const flavor = await flavorForProduct(db, flavorId, platform.id, viewer);
  if (!flavor) return failure(refusal('NOT_FOUND', { what: 'Flavor' }));
  if (flavor.platform_id === null) {
    return failure(refusal('PLATFORM_MISMATCH', { what: `Flavor "${flavor.code}"`, platform: platform.code }));
  }
  return success({ ...found, flavorId: flavor.id });
}

/** API-EP-POST-products, API-STATE-product-none-preview */
async function create({ storage, clock, settings }: Deps, call: Call<Contract['create']>) {
  const { body, caller } = call;
  const denied = authorise('product.create', generalRoles(caller), 'Product');
  if (denied) return failure(denied);
  const atMs = clock.now();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ProductRecord, Refusal>> => {
    const foundation = await foundationOf(trx, body, caller);
    if (!foundation.ok) return foundation;
    const { platformId, platformCode, flavorId } = foundation.value;
    const codes = productCodes(caller.username, platformCode, body.code);
    if (await productTaken(trx, codes.product)) {
      return failure(refusal('DUPLICATE', { what: 'Product', value: codes.product }));
    }
    const full = await refuseQuota(settings, trx, caller.userId, 'products');
    if (full) return failure(full);
    const id = randomUUID();
    const { title, meta, summary = '', description = '' } = body;
    const texts = { title, meta, summary, description };
    const owned = { user_id: caller.userId, platform_id: platformId, flavor_id: flavorId };
    await insertProduct(trx, { ...codes, ...texts, ...owned, id, created_at: atMs });
    noteMade(id);
    const message = `Product ${codes.product} made`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'product.create', message, productId: id });
    return success(await recordOf(trx, id, caller));
  });
}

/** The fields that a body changes; an empty object when it changes none. */
function changesOf(product: ProductRow, body: Call<Contract['update']>['body']): RowChange<'products'> {
  const texts = ['title', 'summary', 'description', 'meta'] as const;
  const changed = texts.filter((field) => body[field] !== undefined && body[field] !== product[field]);
  const claimable = body.claimable === undefined ? product.claimable : body.claimable ? 1 : 0;
  const part_number = body.part_number === undefined ? product.part_number : body.part_number;
  return {
    ...Object.fromEntries(changed.map((field) => [field, body[field]])),
    ...(claimable !== product.claimable && { claimable }),
    ...(part_number !== product.part_number && { part_number }),
  };
}

/** Fields that not everybody may change who may change a product. Reference: rules 5.1. */
const restrictedFields = [
  ['part_number', 'product.part_number'],
  ['claimable', 'product.claimable'],
] as const;

/** API-EP-PUT-products-product_id, API-STATE-product-update */
async function update({ storage, clock }: Deps, call: Call<Contract['update']>) {
  const { body, caller, params } = call;
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<ProductRecord, Refusal>> => {
    const allowed = await allowedProduct(trx, params.product_id, caller, 'product.change');
    if (!allowed.ok) return allowed;
    const product = allowed.value;
    // API-RULE-product-2: the code is required, and the only code accepted is the one it has.
    if (body.code !== product.code) {
      const detail = `The code of a product never changes; this one's is "${product.code}"`;
      return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['code'] }));
    }
    const publication = body.state === undefined ? success(undefined) : changePublication(product, body.state);
    if (!publication.ok) return publication;
    const wanted = changesOf(product, body);
    const denied = restrictedFields.find(([field]) => wanted[field] !== undefined);
    const refused = denied && authorise(denied[1], productRoles(caller, product), 'Product');
    if (refused) return failure(refused);
    const changes = { ...wanted, ...defined({ publication: publication.value }) };
    const fields = Object.keys(changes);
    if (fields.length === 0) return success(await recordOf(trx, product.id, caller));
    await changeProduct(trx, product.id, { ...changes, updated_at: atMs });
    const log = { ...byCaller(call, atMs), productId: product.id };
    const message = `Product ${product.product} changed`;
    await writeLog(trx, { ...log, type: 'product.update', message, data: { fields } });
    if (publication.value !== undefined) {
      const data = { from: product.publication, to: publication.value };
      const message = `Product ${product.product} is ${publication.value} now`;
      await writeLog(trx, { ...log, type: 'product.state', message, data });
    }
    return success(await recordOf(trx, product.id, caller));
  });
}

/** Trash, restore and delete: one path, because the same things stand in the way. */
async function moveProduct(
  { storage, clock, hooks }: ProductDeps,
  call: { readonly caller: Caller; readonly ip: string; readonly params: { readonly product_id: string } },
  wanted: Presence | 'delete',
): Promise<Result<typeof resultOk, Refusal>> {
  const atMs = clock.now();
  const action = wanted === 'delete' ? 'product.admin' : 'product.change';
  // A device that is activated meanwhile keeps the product by its foreign key; the second look then sees it.
  return transactionOverConflicts(storage, async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const allowed = await allowedProduct(trx, call.params.product_id, call.caller, action);
    if (!allowed.ok) return allowed;
    const product = allowed.value;
    const to = changePresence({ ...product, ...(await productUse(trx, product.id)) }, wanted);
    if (!to.ok) return to;
    if (to.value === undefined) return success(resultOk);
    const taken = to.value === 'gone' ? await goesWith(storage, trx, 'products', product.id) : nothingGoes;
    if (to.value === 'gone') {
      await deleteProduct(trx, product.id);
      await hooks.productGone(trx, product.id, call.caller.userId);
    } else await changeProduct(trx, product.id, { trashed: to.value === 'trash' ? 1 : 0, updated_at: atMs });
    await writeLog(trx, {
      ...byCaller(call, atMs),
      type: wanted === 'delete' ? 'product.delete' : 'product.state',
      message:
        wanted === 'delete'
          ? `Product ${product.product} deleted${taken.text}`
          : `Product ${product.product} is ${wanted} now`,
      productId: product.id,
      data: { product: product.product, to: to.value, ...taken.data },
    });
    return success(resultOk);
  });
}

/** Products and their activation tokens. Spec: API-EP-GET-products and the calls beside it. */
export const productsRoutes = (deps: ProductDeps): Handlers<Contract> => ({
  ...handlers(deps, { list, create, get, description, update, listTokens, addToken, removeToken }),
  preview,
  // API-EP-DELETE-products-product_id
  remove: (call) => moveProduct(deps, call, 'delete'),
  // API-EP-POST-products-product_id-state
  setState: (call) => moveProduct(deps, call, call.body.state),
});
