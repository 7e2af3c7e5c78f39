import { type Refusal, refusal, type UserRecord, type usersContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { quotasOf } from '../access/quotas.ts';
import { authorise, generalRoles } from '../auth/rules.ts';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { changeDetails, emailTaken, listUsers, type OwnDetails, type UserRow, userById } from './queries.ts';
import { listedUser, userRecord } from './records.ts';

type Contract = typeof usersContract;

export interface UserDeps extends Deps {
  /** Asks the user of an address that an account has from now on to confirm it, in a transaction of the caller. */
  readonly confirmAddress: (trx: Db, user: Pick<UserRow, 'id' | 'email'>) => Promise<void>;
}

/** The fields of a request that are there. */
const given = (body: Partial<OwnDetails>): Partial<OwnDetails> => ({
  ...(body.email !== undefined && { email: body.email.toLowerCase() }),
  ...(body.name_given !== undefined && { name_given: body.name_given }),
  ...(body.name_family !== undefined && { name_family: body.name_family }),
  ...(body.organisation !== undefined && { organisation: body.organisation }),
});

/** API-EP-GET-users */
const list =
  ({ storage }: Deps): Handler<Contract['list']> =>
  async ({ caller, query }) => {
    const refused = authorise('user.list', generalRoles(caller), 'Account');
    if (refused) return failure(refused);
    const { items, total } = await listUsers(storage, query);
    return success({ items: items.map(listedUser), total });
  };

/** API-EP-GET-user */
const get =
  ({ storage }: Deps): Handler<Contract['get']> =>
  async ({ caller }) => {
    return success(userRecord(await userById(storage.db, caller.userId)));
  };

/** API-EP-PUT-user */
const update =
  ({ storage, clock, confirmAddress }: UserDeps): Handler<Contract['update']> =>
  async (call) => {
    const { caller, body } = call;
    const details = given(body);
    const fields = Object.keys(details);
    if (fields.length === 0) return success(userRecord(await userById(storage.db, caller.userId)));
    return transactionOverConflicts(storage, async (trx): Promise<Result<UserRecord, Refusal>> => {
      if (details.email !== undefined && (await emailTaken(trx, details.email, caller.userId))) {
        return failure(refusal('DUPLICATE', { what: 'Email', value: details.email }));
      }
      const moves = details.email !== undefined && details.email !== (await userById(trx, caller.userId)).email;
      const row = await changeDetails(trx, caller.userId, { ...details, ...(moves && { email_confirmed_at: null }) });
      if (moves) await confirmAddress(trx, row);
      const log = { ...byCaller(call, clock.now()), message: 'Details changed', data: { fields } };
      await writeLog(trx, { ...log, type: 'user.update' });
      return success(userRecord(row));
    });
  };

/** The caller's own account, and for administrators the list of all. */
export const usersRoutes = (deps: UserDeps): Handlers<Contract> => ({
  list: list(deps),
  get: get(deps),
  update: update(deps),
  // API-EP-GET-user-quotas
  quotas: async ({ caller }) => success(await quotasOf(deps.settings, deps.storage.db, caller)),
});
