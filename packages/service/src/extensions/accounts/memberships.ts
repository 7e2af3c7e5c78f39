import { MembershipRecord, type membershipsContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { announceAccess } from '../../core/access/accounts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { paging } from '../../engine/db/paging.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Call, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { accountById } from './account-queries.ts';
import { deleteInvitation, invitationOf, listInvitations, setCustomer } from './customer-queries.ts';

type Contract = typeof membershipsContract;

const none = refusal('NOT_FOUND', { what: 'Invitation' });

/** API-EP-GET-user-memberships */
async function list({ storage }: Deps, { caller, query }: Call<Contract['list']>) {
  const { items, total } = await listInvitations(storage.db, caller.userId, paging(query, '-created_at'));
  const records = items.map((row) => recordFrom(MembershipRecord, row));
  return success({ items: records, total });
}

/** API-EP-POST-user-memberships-membership_id-accept. Spec: API-RULE-customer-4. */
const accept = ({ storage, clock }: Deps, call: Call<Contract['accept']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const { userId } = call.caller;
    const account = await accountById(trx, userId);
    const invitation = await invitationOf(trx, userId, call.params.membership_id);
    if (!account || !invitation) return failure(none);
    const { id, customer_id, customer, role } = invitation;
    // One taken back meanwhile is no consent of the customer any more.
    if (!(await deleteInvitation(trx, id, { customer_id }))) return failure(none);
    if (account.customer_id !== null || !(await setCustomer(trx, account, customer_id, role))) {
      return failure(refusal('DUPLICATE', { what: 'User of another customer', value: account.username }));
    }
    announceAccess(storage, trx, userId);
    const message = `User ${account.username} is ${role} at customer ${customer} now`;
    const data = { customer_id, user: account.username, role };
    await writeLog(trx, { ...byCaller(call, clock.now()), type: 'customer.update', message, data });
    return success(resultOk);
  });

/** API-EP-DELETE-user-memberships-membership_id */
const decline = ({ storage, clock }: Deps, call: Call<Contract['decline']>) =>
  storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const { userId } = call.caller;
    const declined = await deleteInvitation(trx, call.params.membership_id, { user_id: userId });
    if (!declined) return failure(none);
    const data = { customer_id: declined.customer_id };
    const log = { ...byCaller(call, clock.now()), message: 'Invitation of a customer declined', data };
    await writeLog(trx, { ...log, type: 'customer.update' });
    return success(resultOk);
  });

/** What customers have invited people to. */
export const membershipsRoutes = (deps: Deps): Handlers<Contract> => handlers(deps, { list, accept, decline });
