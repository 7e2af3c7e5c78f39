import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  type ProductRecord,
  ProductUserRecord,
  type productPeopleContract,
  productUsersLimit,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { listed, recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { announceAccess, findAccount, refuseLookUp } from '../access/accounts.ts';
import { allowedProduct } from '../access/products.ts';
import { refuseQuota } from '../access/quotas.ts';
import {
  countMembers,
  customerById,
  deleteMember,
  listMembers,
  type MemberRow,
  memberOf,
  peopleOfOwner,
  platformCode,
  putMember,
} from './people-queries.ts';
import { changeProduct, insertProduct, productTaken, productView } from './queries.ts';
import { productRecord } from './records.ts';
import { type NewOwner, productCodes, refuseMove, refuseProduction } from './rules.ts';

type Contract = typeof productPeopleContract;

/** What people call an owner. */
type Named = { readonly name: string };

export interface PeopleDeps extends Deps {
  /**
   * Copies the bundle with the highest tag, with its resources, from one product to another; false when no bundle of
   * the product has a tag.
   */
  copyReleaseCandidate(
    trx: Db,
    from: string,
    to: { readonly productId: string; readonly userId: string; readonly atMs: number },
  ): Promise<boolean>;
}

const memberRecord = (row: MemberRow): ProductUserRecord => recordFrom(ProductUserRecord, row);

/** API-EP-POST-products-product_id-users */
async function add(deps: Deps, call: Call<Contract['add']>) {
  const { storage, clock } = deps;
  const { body, params, caller } = call;
  const atMs = clock.now();
  const limited = await refuseLookUp(deps, caller);
  if (limited) return failure(limited);
  return transactionOverConflicts(storage, async (trx): Promise<Result<ProductUserRecord, Refusal>> => {
    const allowed = await allowedProduct(trx, params.product_id, caller, 'product.admin');
    if (!allowed.ok) return allowed;
    const { id: productId, product, user_id, customer_id } = allowed.value;
    const account = await findAccount(trx, body.user);
    if (!account) return failure(refusal('NOT_FOUND', { what: 'User' }));
    if (account.id === user_id || (customer_id !== null && account.customer_id === customer_id)) {
      return failure(refusal('DUPLICATE', { what: 'Owner', value: account.username }));
    }
    const known = await memberOf(trx, productId, account.id);
    if (known?.role === body.role) return success(memberRecord(known));
    if (!known && (await countMembers(trx, productId)) >= productUsersLimit) {
      const blanks = { what: `Product "${product}"`, limit: productUsersLimit, things: 'users' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    announceAccess(storage, trx, account.id);
    await putMember(trx, { product_id: productId, user_id: account.id, role: body.role, created_at: atMs });
    const message = `User ${account.username} is ${body.role} of product ${product} now`;
    const data = { user_id: account.id, role: body.role };
    const entry = { ...byCaller(call, atMs), message, productId, data, concernedId: account.id };
    await writeLog(trx, { ...entry, type: 'product.user_add' });
    const made = await memberOf(trx, productId, account.id);
    if (!made) throw new Error(`User ${account.id} is missing within the transaction that added them`);
    return success(memberRecord(made));
  });
}

/** API-EP-DELETE-products-product_id-users-user_id */
async function remove({ storage, clock }: Deps, call: Call<Contract['remove']>) {
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    // Whoever was let in may leave.
    const action = call.params.user_id === call.caller.userId ? 'product.read' : 'product.admin';
    const allowed = await allowedProduct(trx, call.params.product_id, call.caller, action);
    if (!allowed.ok) return allowed;
    const { id: productId, product } = allowed.value;
    const member = await memberOf(trx, productId, call.params.user_id);
    if (!member) return failure(refusal('NOT_FOUND', { what: 'User of this product' }));
    await deleteMember(trx, productId, member.user_id);
    announceAccess(storage, trx, member.user_id);
    const message = `User ${member.user} taken off product ${product}`;
    const data = { user_id: member.user_id };
    const entry = { ...byCaller(call, atMs), message, productId, data, concernedId: member.user_id };
    await writeLog(trx, { ...entry, type: 'product.user_remove' });
    return success(resultOk);
  });
}

/** API-EP-POST-products-product_id-production, API-RULE-production-2 */
async function makeProduction(
  { storage, clock, copyReleaseCandidate }: PeopleDeps,
  call: Call<Contract['makeProduction']>,
) {
  const { body, params, caller } = call;
  const atMs = clock.now();
  const id = randomUUID();
  return transactionOverConflicts(storage, async (trx): Promise<Result<ProductRecord, Refusal>> => {
    const allowed = await allowedProduct(trx, params.product_id, caller, 'product.production');
    if (!allowed.ok) return allowed;
    const source = allowed.value;
    const refused = refuseProduction(source);
    if (refused) return failure(refused);
    const customer = await customerById(trx, body.customer_id);
    if (!customer) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
    const codes = productCodes(customer.name, await platformCode(trx, source.platform_id), source.code);
    if (await productTaken(trx, codes.product)) {
      return failure(refusal('DUPLICATE', { what: 'Product', value: codes.product }));
    }
    const { title, meta, summary, description, platform_id, flavor_id } = source;
    const texts = { title, meta, summary, description };
    const { part_number } = body;
    const made = { id, ...codes, ...texts, customer_id: customer.id, platform_id, flavor_id, part_number };
    await insertProduct(trx, { ...made, claimable: 0, production: 1, created_at: atMs });
    if (!(await copyReleaseCandidate(trx, source.id, { productId: id, userId: caller.userId, atMs }))) {
      return failure(refusal('NO_RELEASE_CANDIDATE', { product: source.product }));
    }
    noteMade(id);
    const message = `Production product ${codes.product} made from ${source.product}`;
    const data = { from: source.id, customer_id: customer.id, part_number };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'product.create', message, productId: id, data });
    const view = await productView(trx, id, caller);
    if (!view) throw new Error(`Product ${id} is missing within its own transaction`);
    return success(productRecord(view, caller));
  });
}

/** The owner that a request names; a refusal for none, for both, and for one that is not there. */
async function namedOwner(trx: Db, body: BodyOf<Contract['move']>): Promise<Result<NewOwner & Named, Refusal>> {
  const { user, customer_id } = body;
  if ((user === undefined) === (customer_id === undefined)) {
    const detail = 'Either a user or a customer is named';
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['user', 'customer_id'] }));
  }
  if (customer_id !== undefined) {
    const customer = await customerById(trx, customer_id);
    if (!customer) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
    return success({ user_id: null, customer_id, name: customer.name });
  }
  const account = await findAccount(trx, user ?? '');
  if (!account) return failure(refusal('NOT_FOUND', { what: 'User' }));
  return success({ user_id: account.id, customer_id: null, name: account.username });
}

/** API-EP-PUT-products-product_id-owner. Spec: API-RULE-customer-2. */
async function move(deps: PeopleDeps, call: Call<Contract['move']>) {
  const { storage, clock, settings } = deps;
  const { params, body, caller } = call;
  const atMs = clock.now();
  const limited = body.user === undefined ? undefined : await refuseLookUp(deps, caller);
  if (limited) return failure(limited);
  return transactionOverConflicts(storage, async (trx): Promise<Result<ProductRecord, Refusal>> => {
    const allowed = await allowedProduct(trx, params.product_id, caller, 'product.admin');
    if (!allowed.ok) return allowed;
    const product = allowed.value;
    const named = await namedOwner(trx, body);
    if (!named.ok) return named;
    const { name, ...owner } = named.value;
    const isNew = owner.user_id !== product.user_id || owner.customer_id !== product.customer_id;
    const refused =
      refuseMove(caller, product, owner) ??
      (isNew ? await refuseQuota(settings, trx, owner.user_id, 'products') : undefined);
    if (refused) return failure(refused);
    if (isNew) {
      const former = await peopleOfOwner(trx, product);
      await changeProduct(trx, product.id, { ...owner, updated_at: atMs });
      for (const id of [...former, ...(await peopleOfOwner(trx, owner))]) announceAccess(storage, trx, id);
      const message = `Product ${product.product} is owned by ${name} now`;
      const entry = { ...byCaller(call, atMs), message, productId: product.id, data: owner };
      await writeLog(trx, { ...entry, type: 'product.update' });
    }
    const view = await productView(trx, product.id, caller);
    if (!view) throw new Error(`Product ${product.id} is missing within its own transaction`);
    return success(productRecord(view, caller));
  });
}

/** API-EP-GET-products-product_id-users */
async function list(deps: PeopleDeps, { params, query, caller }: Call<Contract['list']>) {
  const allowed = await allowedProduct(deps.storage.db, params.product_id, caller, 'product.people');
  if (!allowed.ok) return allowed;
  return listed(listMembers(deps.storage.db, allowed.value.id, paging(query, '-created_at')), memberRecord);
}

/** Who works on a product, and for whom it is made. */
export const productPeopleRoutes = (deps: PeopleDeps): Handlers<Contract> =>
  handlers(deps, { list, add, remove, move, makeProduction });
