import { randomUUID } from 'node:crypto';
import { type CustomerRecord, type customersContract, customerUsersLimit, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { authorise, generalRoles } from '../auth/rules.ts';
import type { Caller, Deps, Handler, Handlers } from '../core/types.ts';
import { announceAccess, findAccount } from '../db/accounts.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import { nameOwner } from '../db/names.ts';
import { paging } from '../db/paging.ts';
import type { Db, Storage } from '../db/storage.ts';
import {
  type CustomerRow,
  customerById,
  insertCustomer,
  joinCustomer,
  listCustomers,
  peopleOf,
} from './customer-queries.ts';

type Contract = typeof customersContract;

type Person = { readonly id: string; readonly username: string };

const customerRecord = (row: CustomerRow, people: readonly Person[]): CustomerRecord => ({
  id: row.id,
  name: row.name,
  title: row.title,
  users: people.map(({ id, username }) => ({ user_id: id, user: username })),
  product_count: row.product_count ?? 0,
  created_at: String(row.created_at),
});

const refuseManaging = (caller: Caller): Refusal | undefined =>
  authorise('customer.manage', generalRoles(caller), 'Customer');

async function recordOf(db: Db, id: string): Promise<CustomerRecord> {
  const row = await customerById(db, id);
  if (!row) throw new Error(`Customer ${id} is gone within its own transaction`);
  return customerRecord(row, await peopleOf(db, [id]));
}

/** Makes a user one of the people of a customer; `false` when they are already. */
async function join(storage: Storage, trx: Db, customerId: string, name: string): Promise<Result<boolean, Refusal>> {
  const account = await findAccount(trx, name);
  if (!account) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
  if (account.customer_id === customerId) return success(false);
  if (account.customer_id !== null) {
    return failure(refusal('DUPLICATE', { what: 'User of another customer', value: account.username }));
  }
  await joinCustomer(trx, account, customerId);
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

/** API-EP-POST-customers-customer_id-users */
const addUser =
  ({ storage, clock }: Deps): Handler<Contract['addUser']> =>
  async (call) => {
    const refused = refuseManaging(call.caller);
    if (refused) return failure(refused);
    const atMs = clock.now();
    const id = call.params.customer_id;
    return transactionOverConflicts(storage, async (trx): Promise<Result<CustomerRecord, Refusal>> => {
      const customer = await customerById(trx, id);
      if (!customer) return failure(refusal('NOT_FOUND', { what: 'Customer' }));
      const joined = await join(storage, trx, id, call.body.user);
      if (!joined.ok) return joined;
      // API-LIMIT-customer: counted after the fact, for a user who was in already is no more.
      if ((await peopleOf(trx, [id])).length > customerUsersLimit) {
        const blanks = { what: `Customer "${customer.name}"`, limit: customerUsersLimit, things: 'users' };
        return failure(refusal('LIMIT_REACHED', blanks));
      }
      if (joined.value) {
        const data = { customer_id: id, user: call.body.user };
        const message = `User ${call.body.user} added to customer ${customer.name}`;
        await writeLog(trx, { ...byCaller(call, atMs), type: 'customer.update', message, data });
      }
      return success(await recordOf(trx, id));
    });
  };

/** Organisations that own production products; administrators alone know of them. */
export const customersRoutes = (deps: Deps): Handlers<Contract> => ({
  list: list(deps),
  create: create(deps),
  addUser: addUser(deps),
});
