import { randomUUID } from 'node:crypto';
import {
  type CustomerRecord,
  type CustomerRole,
  type customersContract,
  customerUsersLimit,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { refuseLookUp } from '../access/look-ups.ts';
import { type Action, authorise, generalRoles, ownershipRoles } from '../auth/rules.ts';
import type { Caller, Deps, Handler, Handlers } from '../core/types.ts';
import { announceAccess, findAccount } from '../db/accounts.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import { nameOwner } from '../db/names.ts';
import { paging } from '../db/paging.ts';
import type { Db, Storage } from '../db/storage.ts';
import { accountById } from './account-queries.ts';
import {
  type CustomerRow,
  customerById,
  insertCustomer,
  joinCustomer,
  listCustomers,
  peopleOf,
} from './customer-queries.ts';

type Contract = typeof customersContract;

type Person = { readonly id: string; readonly username: string; readonly customer_role: CustomerRole };

const customerRecord = (row: CustomerRow, people: readonly Person[]): CustomerRecord => ({
  id: row.id,
  name: row.name,
  title: row.title,
  users: people.map(({ id, username, customer_role }) => ({ user_id: id, user: username, role: customer_role })),
  product_count: row.product_count ?? 0,
  created_at: String(row.created_at),
});

const refuseManaging = (caller: Caller): Refusal | undefined =>
  authorise('customer.manage', generalRoles(caller), 'Customer');

/** The refusal of what a caller wants with one customer, who need not be there. */
const refuseWithin = (caller: Caller, customerId: string, action: Action): Refusal | undefined =>
  authorise(
    action,
    [...generalRoles(caller), ...ownershipRoles(caller, { user_id: null, customer_id: customerId })],
    'Customer',
  );

async function recordOf(db: Db, id: string): Promise<CustomerRecord> {
  const row = await customerById(db, id);
  if (!row) throw new Error(`Customer ${id} is gone within its own transaction`);
  return customerRecord(row, await peopleOf(db, [id]));
}

/** Makes a user one of the people of a customer, or gives them another role; `false` when nothing changes. */
async function join(
  storage: Storage,
  trx: Db,
  customerId: string,
  name: string,
  role?: CustomerRole,
): Promise<Result<boolean, Refusal>> {
  const account = await findAccount(trx, name);
  if (!account) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
  const isIn = account.customer_id === customerId;
  if (isIn && (role === undefined || role === account.customer_role)) return success(false);
  if (!isIn && account.customer_id !== null) {
    return failure(refusal('DUPLICATE', { what: 'User of another customer', value: account.username }));
  }
  await joinCustomer(trx, account, customerId, role);
  announceAccess(storage, trx, account.id);
  return success(true);
}

/** API-EP-GET-customers */
const list =
  ({ storage }: Deps): Handler<Contract['list']> =>
  async ({ caller, query }) => {
    const refused = refuseManaging(caller);
    if (refused) return failure(refused);
    const { items, total } = await listCustomers(storage, query.q, paging(query, '-created_at'));
    const people =
      items.length === 0
        ? []
        : await peopleOf(
            storage.db,
            items.map(({ id }) => id),
          );
    const by = Map.groupBy(people, ({ customer_id }) => customer_id);
    return success({ items: items.map((row) => customerRecord(row, by.get(row.id) ?? [])), total });
  };

/** API-EP-POST-customers */
const create =
  ({ storage, clock }: Deps): Handler<Contract['create']> =>
  async (call) => {
    const refused = refuseManaging(call.caller);
    if (refused) return failure(refused);
    const atMs = clock.now();
    const id = randomUUID();
    const name = call.body.name.toLowerCase();
    return transactionOverConflicts(storage, async (trx): Promise<Result<CustomerRecord, Refusal>> => {
      if (await nameOwner(trx, name)) return failure(refusal('DUPLICATE', { what: 'Name', value: name }));
      await insertCustomer(trx, { id, name, title: call.body.title ?? call.body.name, created_at: atMs });
      for (const user of call.body.users ?? []) {
        const joined = await join(storage, trx, id, user);
        if (!joined.ok) return joined;
      }
      const log = { ...byCaller(call, atMs), message: `Customer ${name} added`, data: { customer_id: id } };
      await writeLog(trx, { ...log, type: 'customer.create' });
      return success(await recordOf(trx, id));
    });
  };

/** API-EP-GET-customers-customer_id */
const get =
  ({ storage }: Deps): Handler<Contract['get']> =>
  async ({ caller, params: { customer_id: id } }) => {
    const refused = refuseWithin(caller, id, 'customer.read');
    if (refused) return failure(refused);
    const row = await customerById(storage.db, id);
    if (!row) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
    return success(customerRecord(row, await peopleOf(storage.db, [id])));
  };

/** API-EP-POST-customers-customer_id-users. Spec: API-RULE-customer-1. */
const addUser =
  (deps: Deps): Handler<Contract['addUser']> =>
  async (call) => {
    const { storage, clock } = deps;
    const id = call.params.customer_id;
    const refused = refuseWithin(call.caller, id, 'customer.people') ?? (await refuseLookUp(deps, call.caller));
    if (refused) return failure(refused);
    const atMs = clock.now();
    const { user, role } = call.body;
    return transactionOverConflicts(storage, async (trx): Promise<Result<CustomerRecord, Refusal>> => {
      const customer = await customerById(trx, id);
      if (!customer) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
      const joined = await join(storage, trx, id, user, role);
      if (!joined.ok) return joined;
      // API-LIMIT-customer: counted after the fact, for a user who was in already is no more.
      if ((await peopleOf(trx, [id])).length > customerUsersLimit) {
        const blanks = { what: `Customer "${customer.name}"`, limit: customerUsersLimit, things: 'users' };
        return failure(refusal('LIMIT_REACHED', blanks));
      }
      if (joined.value) {
        const data = { customer_id: id, user, role: role ?? 'owner' };
        const message = `User ${user} is ${data.role} at customer ${customer.name} now`;
        await writeLog(trx, { ...byCaller(call, atMs), type: 'customer.update', message, data });
      }
      return success(await recordOf(trx, id));
    });
  };

/** API-EP-DELETE-customers-customer_id-users-user_id */
const removeUser =
  ({ storage, clock }: Deps): Handler<Contract['removeUser']> =>
  async (call) => {
    const { customer_id: id, user_id: userId } = call.params;
    // Whoever belongs to it may leave.
    const action = userId === call.caller.userId ? 'customer.read' : 'customer.people';
    const refused = refuseWithin(call.caller, id, action);
    if (refused) return failure(refused);
    return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
      const customer = await customerById(trx, id);
      const account = await accountById(trx, userId);
      if (!customer || account?.customer_id !== id) {
        return failure(refusal('NOT_FOUND', { what: 'User of this customer' }));
      }
      await joinCustomer(trx, account, null);
      announceAccess(storage, trx, userId);
      const data = { customer_id: id, user: account.username };
      const message = `User ${account.username} taken off customer ${customer.name}`;
      const entry = { ...byCaller(call, clock.now()), message, data, concernedId: userId };
      await writeLog(trx, { ...entry, type: 'customer.update' });
      return success(resultOk);
    });
  };

/** Organisations that own products; administrators make them, their owners say who belongs to them. */
export const customersRoutes = (deps: Deps): Handlers<Contract> => ({
  list: list(deps),
  create: create(deps),
  get: get(deps),
  addUser: addUser(deps),
  removeUser: removeUser(deps),
});
