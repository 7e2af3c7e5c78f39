import { type Refusal, refusal, type UserRecord, type usersContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Deps, Handler, Handlers } from '../core/types.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import { changeDetails, emailTaken, type OwnDetails, userById } from './queries.ts';
import { userRecord } from './records.ts';

type Contract = typeof usersContract;

/** The fields of a request that are there. */
const given = (body: Partial<OwnDetails>): Partial<OwnDetails> => ({
  ...(body.email !== undefined && { email: body.email.toLowerCase() }),
  ...(body.name_given !== undefined && { name_given: body.name_given }),
  ...(body.name_family !== undefined && { name_family: body.name_family }),
  ...(body.organisation !== undefined && { organisation: body.organisation }),
});

/** API-EP-GET-user */
const get =
  ({ storage }: Deps): Handler<Contract['get']> =>
  async ({ caller }) => {
    return success(userRecord(await userById(storage.db, caller.userId)));
  };

/** API-EP-PUT-user */
const update =
  ({ storage, clock }: Deps): Handler<Contract['update']> =>
  async (call) => {
    const { caller, body } = call;
    const details = given(body);
    const fields = Object.keys(details);
    if (fields.length === 0) return success(userRecord(await userById(storage.db, caller.userId)));
    return transactionOverConflicts(storage, async (trx): Promise<Result<UserRecord, Refusal>> => {
      if (details.email !== undefined && (await emailTaken(trx, details.email, caller.userId))) {
        return failure(refusal('DUPLICATE', { what: 'Email', value: details.email }));
      }
      const row = await changeDetails(trx, caller.userId, details);
      const log = { ...byCaller(call, clock.now()), message: 'Details changed', data: { fields } };
      await writeLog(trx, { ...log, type: 'user.update' });
      return success(userRecord(row));
    });
  };

/** The caller's own account. */
export const usersRoutes = (deps: Deps): Handlers<Contract> => ({
  get: get(deps),
  update: update(deps),
});
