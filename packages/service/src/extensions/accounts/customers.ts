import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  CustomerRecord,
  type customersContract,
  customerUsersLimit,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { announceAccess, findAccount, refuseLookUp } from '../../core/access/accounts.ts';
import { nameOwner } from '../../core/access/names.ts';
import { type Action, authorise, generalRoles, ownershipRoles } from '../../core/access/rules.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { accountById } from './account-queries.ts';
import {
  type CustomerRow,
  customerById,
  deleteInvitation,
  insertCustomer,
  invitedBy,
  listCustomers,
  peopleOf,
  putInvitation,
  setCustomer,
} from './customer-queries.ts';
import { refuseLastOwner } from './owners.ts';

type Contract = typeof customersContract;

/** The records of customers, with their people and those whom they have invited. */
async function recordsOf(db: Db, rows: readonly CustomerRow[]): Promise<CustomerRecord[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const people = Map.groupBy(await peopleOf(db, ids), ({ customer_id }) => customer_id);
  const invited = Map.groupBy(await invitedBy(db, ids), ({ customer_id }) => customer_id);
  return rows.map((row) =>
    recordFrom(CustomerRecord, row, {
      users: (people.get(row.id) ?? []).map(({ id, username, customer_role }) => ({
        user_id: id,
        user: username,
        role: customer_role,
      })),
      invited: (invited.get(row.id) ?? []).map((one) =>
        recordFrom(CustomerRecord.properties.invited.items, one, { user: one.name }),
      ),
      product_count: row.product_count ?? 0,
    }),
  );
}

const refuseManaging = (caller: Caller): Refusal | undefined =>
  authorise('customer.manage', generalRoles(caller), 'Customer');

/** The refusal of what a caller wants with one customer, who need not be there. */
const refuseWithin = (caller: Caller, customerId: string, action: Action): Refusal | undefined =>
  authorise(
    action,
    [...generalRoles(caller), ...ownershipRoles(caller, { user_id: null, customer_id: customerId })],
    'Customer',
  );

async function recordOf(db: Db, id: string): Promise<Result<CustomerRecord, Refusal>> {
  const row = await customerById(db, id);
  const [record] = row ? await recordsOf(db, [row]) : [];
  return record ? success(record) : failure(refusal('NOT_FOUND', { what: 'Customer' }));
}

/**
 * Gives one of the people of a customer another role, and invites anybody else; callers who name themselves have accepted.
 * Resolves with what was done, for the log, or with nothing when nothing changes. Refusals: NOT_FOUND, LAST_OWNER, DUPLICATE.
 * Spec: API-RULE-customer-4.
 */
async function place(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  trx: Db,
  caller: Caller,
  { customerId, user, role }: BodyOf<Contract['addUser']> & { readonly customerId: string },
): Promise<Result<'is' | 'is invited as' | undefined, Refusal>> {
  const account = await findAccount(trx, user);
  if (!account) return failure(refusal('NOT_FOUND', { what: `User "${user}"` }));
  const isIn = account.customer_id === customerId;
  if (isIn && (role === undefined || role === account.customer_role)) return success(undefined);
  if (!isIn && account.id !== caller.userId) {
    const row = { customer_id: customerId, user_id: account.id, role: role ?? 'owner', name: user.toLowerCase() };
    await putInvitation(trx, { id: randomUUID(), ...row, created_at: clock.now() });
    return success('is invited as');
  }
  const refused = isIn && (await refuseLastOwner(storage, trx, account, { customer_role: role ?? 'owner' }, caller));
  if (refused) return failure(refused);
  if (!(await setCustomer(trx, account, customerId, role))) {
    return failure(refusal('DUPLICATE', { what: 'User of another customer', value: account.username }));
  }
  announceAccess(storage, trx, account.id);
  return success('is');
}

/** API-EP-GET-customers */
async function list({ storage }: Deps, { caller, query }: Call<Contract['list']>) {
  const refused = refuseManaging(caller);
  if (refused) return failure(refused);
  const { items, total } = await listCustomers(storage, query.q, paging(query, '-created_at'));
  return success({ items: await recordsOf(storage.db, items), total });
}

/** API-EP-POST-customers */
async function create(deps: Deps, call: Call<Contract['create']>) {
  const { storage, clock } = deps;
  const refused = refuseManaging(call.caller);
  if (refused) return failure(refused);
  const atMs = clock.now();
  const id = randomUUID();
  const name = call.body.name.toLowerCase();
  return transactionOverConflicts(storage, async (trx): Promise<Result<CustomerRecord, Refusal>> => {
    if (await nameOwner(trx, name)) return failure(refusal('DUPLICATE', { what: 'Name', value: name }));
    await insertCustomer(trx, { id, name, title: call.body.title ?? call.body.name, created_at: atMs });
    for (const user of call.body.users ?? []) {
      const placed = await place(deps, trx, call.caller, { customerId: id, user });
      if (!placed.ok) return placed;
    }
    noteMade(id);
    const log = { ...byCaller(call, atMs), message: `Customer ${name} added`, data: { customer_id: id } };
    await writeLog(trx, { ...log, type: 'customer.create' });
    return recordOf(trx, id);
  });
}

/** API-EP-GET-customers-customer_id */
async function get({ storage }: Deps, { caller, params: { customer_id: id } }: Call<Contract['get']>) {
  const refused = refuseWithin(caller, id, 'customer.read');
  if (refused) return failure(refused);
  return recordOf(storage.db, id);
}

/** API-EP-POST-customers-customer_id-users. Spec: API-RULE-customer-1. */
async function addUser(deps: Deps, call: Call<Contract['addUser']>) {
  const { storage, clock } = deps;
  const id = call.params.customer_id;
  const refused = refuseWithin(call.caller, id, 'customer.people') ?? (await refuseLookUp(deps, call.caller));
  if (refused) return failure(refused);
  const atMs = clock.now();
  const { user, role } = call.body;
  return transactionOverConflicts(storage, async (trx): Promise<Result<CustomerRecord, Refusal>> => {
    const customer = await customerById(trx, id);
    if (!customer) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
    const placed = await place(deps, trx, call.caller, { customerId: id, ...call.body });
    if (!placed.ok) return placed;
    const record = await recordOf(trx, id);
    if (!record.ok || placed.value === undefined) return record;
    // API-LIMIT-customer: counted after the fact, for a user who was in already is no more.
    if (record.value.users.length + record.value.invited.length > customerUsersLimit) {
      const blanks = { what: `Customer "${customer.name}"`, limit: customerUsersLimit, things: 'users' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    const data = { customer_id: id, user, role: role ?? 'owner' };
    const message = `User ${user} ${placed.value} ${data.role} at customer ${customer.name} now`;
    await writeLog(trx, { ...byCaller(call, atMs), type: 'customer.update', message, data });
    return record;
  });
}

/** API-EP-DELETE-customers-customer_id-users-user_id */
async function removeUser({ storage, clock }: Deps, call: Call<Contract['removeUser']>) {
  const { customer_id: id, user_id: userId } = call.params;
  // Whoever belongs to it may leave.
  const action = userId === call.caller.userId ? 'customer.read' : 'customer.people';
  const refused = refuseWithin(call.caller, id, action);
  if (refused) return failure(refused);
  return transactionOverConflicts(storage, async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const customer = await customerById(trx, id);
    const account = await accountById(trx, userId);
    if (!customer || account?.customer_id !== id) {
      return failure(refusal('NOT_FOUND', { what: 'User of this customer' }));
    }
    const last = await refuseLastOwner(storage, trx, account, { customer_id: null }, call.caller);
    if (last) return failure(last);
    await setCustomer(trx, account, null);
    announceAccess(storage, trx, userId);
    const data = { customer_id: id, user: account.username };
    const message = `User ${account.username} taken off customer ${customer.name}`;
    const entry = { ...byCaller(call, clock.now()), message, data, concernedId: userId };
    await writeLog(trx, { ...entry, type: 'customer.update' });
    return success(resultOk);
  });
}

/** API-EP-DELETE-customers-customer_id-memberships-membership_id */
async function takeBack({ storage, clock }: Deps, call: Call<Contract['takeBack']>) {
  const { customer_id, membership_id } = call.params;
  const refused = refuseWithin(call.caller, customer_id, 'customer.people');
  if (refused) return failure(refused);
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const taken = await deleteInvitation(trx, membership_id, { customer_id });
    if (!taken) return failure(refusal('NOT_FOUND', { what: 'Invitation of this customer' }));
    const message = `Invitation of ${taken.name} taken back`;
    const data = { customer_id, user: taken.name };
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'customer.update', message, data });
    return success(resultOk);
  });
}

/** Organisations that own products; administrators make them, their owners say who belongs to them. */
export const customersRoutes = (deps: Deps): Handlers<Contract> =>
  handlers(deps, { list, create, get, addUser, removeUser, takeBack });
