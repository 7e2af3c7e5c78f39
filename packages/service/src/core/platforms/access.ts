import { type CatalogueAccess, type platformsContract, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Call, Caller, Deps, Handlers } from '../../engine/http/types.ts';
import { findAccount } from '../access/accounts.ts';
import type { CatalogueKind } from '../access/catalogue.ts';
import { authorise, generalRoles } from '../access/rules.ts';
import { customerByName, flavorById, grantsOf, platformById, replaceGrants } from './queries.ts';

type Contract = Pick<typeof platformsContract, 'access' | 'setAccess' | 'flavorAccess' | 'setFlavorAccess'>;

/** A platform or a flavor. */
interface Thing {
  readonly kind: CatalogueKind;
  readonly id: string;
}

const nouns = { platform: 'Platform', flavor: 'Flavor' } as const;
const rowOf = (db: Db, { kind, id }: Thing) => (kind === 'platform' ? platformById(db, id) : flavorById(db, id));

const refuse = (caller: Caller, { kind }: Thing): Refusal | undefined =>
  authorise('platform.access', generalRoles(caller), nouns[kind]);

/** Who may use a thing. Refusals: NOT_FOUND, FORBIDDEN. */
async function read(db: Db, caller: Caller, thing: Thing): Promise<Result<CatalogueAccess, Refusal>> {
  const refused = refuse(caller, thing);
  if (refused) return failure(refused);
  const row = await rowOf(db, thing);
  if (!row) return failure(refusal('NOT_FOUND', { what: nouns[thing.kind] }));
  const grants = await grantsOf(db, thing.kind, thing.id);
  return success({
    restricted: row.restricted === 1,
    users: grants.flatMap(({ user_id, user }) => (user_id && user ? [{ user_id, user }] : [])),
    customers: grants.flatMap(({ customer_id, customer }) =>
      customer_id && customer ? [{ customer_id, customer }] : [],
    ),
  });
}

type Wanted = Call<Contract['setAccess']>['body'];

/** The ids of those who are named by address, user name or name of a customer, each once. The refusal is NOT_FOUND. */
async function idsOf(db: Db, { users = [], customers = [] }: Wanted) {
  const ids = { users: new Set<string>(), customers: new Set<string>() };
  for (const name of users) {
    const account = await findAccount(db, name);
    if (!account) return failure(refusal('NOT_FOUND', { what: `User "${name}"` }));
    ids.users.add(account.id);
  }
  for (const name of customers) {
    const customer = await customerByName(db, name.toLowerCase());
    if (!customer) return failure(refusal('NOT_FOUND', { what: `Customer "${name}"` }));
    ids.customers.add(customer.id);
  }
  return success(ids);
}

/** Says who may use a thing, in place of what was said before. Spec: API-RULE-platform-access-1. */
async function write(
  { storage, clock }: Deps,
  call: Pick<Call<Contract['setAccess']>, 'caller' | 'ip' | 'body'>,
  thing: Thing,
): Promise<Result<CatalogueAccess, Refusal>> {
  const refused = refuse(call.caller, thing);
  if (refused) return failure(refused);
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<CatalogueAccess, Refusal>> => {
    const row = await rowOf(trx, thing);
    if (!row) return failure(refusal('NOT_FOUND', { what: nouns[thing.kind] }));
    const ids = await idsOf(trx, call.body);
    if (!ids.ok) return ids;
    const { restricted } = call.body;
    await replaceGrants(trx, thing.kind, thing.id, { restricted, ...ids.value, atMs });
    const { users, customers } = ids.value;
    const message = restricted
      ? `${nouns[thing.kind]} ${row.code} is for ${users.size} users and the people of ${customers.size} customers now`
      : `${nouns[thing.kind]} ${row.code} is for everybody now`;
    const data = { [`${thing.kind}_id`]: thing.id, restricted };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'platform.update', message, data });
    return read(trx, call.caller, thing);
  });
}

const platform = (params: { readonly platform_id: string }): Thing => ({ kind: 'platform', id: params.platform_id });
const flavor = (params: { readonly flavor_id: string }): Thing => ({ kind: 'flavor', id: params.flavor_id });

/** Who may use platforms and flavors. */
export const accessRoutes = (deps: Deps): Handlers<Contract> => ({
  // API-EP-GET-platforms-platform_id-access
  access: ({ caller, params }) => read(deps.storage.db, caller, platform(params)),
  // API-EP-PUT-platforms-platform_id-access
  setAccess: (call) => write(deps, call, platform(call.params)),
  // API-EP-GET-flavors-flavor_id-access
  flavorAccess: ({ caller, params }) => read(deps.storage.db, caller, flavor(params)),
  // API-EP-PUT-flavors-flavor_id-access
  setFlavorAccess: (call) => write(deps, call, flavor(call.params)),
});
