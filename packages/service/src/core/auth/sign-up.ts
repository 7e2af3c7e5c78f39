import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  InvitationRecord,
  invitationDays,
  type invitationsContract,
  openInvitationsLimit,
  type Refusal,
  refusal,
  refusalFor,
  resultOk,
  type SignUpPolicy,
} from '@moorage/api';
import { dayMs, failure, type Result, success } from '@moorage/base';
import { byCaller, type LogEntry, writeLog } from '../../engine/db/logs.ts';
import { noteBefore, noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { listed, recordFrom } from '../../engine/http/record-from.ts';
import type { Caller, Deps, Handlers } from '../../engine/http/types.ts';
import { hashSecret, newTokenValue, tailOf } from '../../engine/secrets.ts';
import { isLoopbackHost } from '../../engine/settings/setting-texts.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { refuseLookUp } from '../access/accounts.ts';
import { authorise, generalRoles } from '../access/rules.ts';
import { createUser, type NewAccount } from './accounts.ts';
import { refuseWhenBusy } from './credentials.ts';
import type { AuthDeps } from './hooks.ts';
import {
  countOpenInvitations,
  deleteInvitation,
  type InvitationRow,
  insertInvitation,
  listInvitations,
  openInvitation,
  type ShownInvitation,
  spendInvitation,
} from './invitation-queries.ts';
import type { UserRow } from './queries.ts';
import { countsOf, limits, refuseOverLimits, trySecret } from './throttle.ts';

type InvitedAccount = NewAccount & { readonly invitation: string };

/**
 * Makes an account without an invitation. What counts for all together is the accounts that are made: attempts that fail
 * keep no other client out. Refusals: TOO_MANY_SIGN_UPS, DUPLICATE. Spec: API-LIMIT-signup.
 */
async function signUpFreely(deps: AuthDeps, account: NewAccount, ip: string): Promise<Result<UserRow, Refusal>> {
  const limited = await refuseOverLimits(deps, 'TOO_MANY_SIGN_UPS', countsOf(limits.signUpOfAddress, ip));
  if (limited) return failure(limited);
  const inAll = await deps.attempts.begin(limits.signUpInAll, '');
  if (!inAll.ok) return failure(refusalFor('TOO_MANY_SIGN_UPS', inAll.error.retryAfterS));
  const made = await createUser(deps, account, 'user', async (trx, user) => {
    await deps.hooks.accountMade(trx, user);
    return undefined;
  });
  if (!made.ok) await inAll.value.undo();
  return made;
}

/** Makes the account of an invitation. Refusals: WRONG_INVITATION, TOO_MANY_LOOK_UPS, DUPLICATE. Spec: API-RULE-signup-2. */
async function signUpInvited(
  deps: AuthDeps,
  { invitation, ...account }: InvitedAccount,
): Promise<Result<UserRow, Refusal>> {
  const { storage, clock } = deps;
  const found = await openInvitation(storage.db, hashSecret(invitation), clock.now());
  const isForOther = found?.email && found.email !== account.email.toLowerCase();
  if (!found || isForOther) return failure(refusal('WRONG_INVITATION'));
  // A name that is taken leaves it unused, to try the next one.
  const limited = await refuseLookUp(deps, found.id);
  if (limited) return failure(limited);
  return createUser(deps, account, found.role, async (trx, user) => {
    await deps.hooks.accountMade(trx, user);
    const spent = await spendInvitation(trx, found.id, user.id, clock.now());
    return spent ? undefined : refusal('WRONG_INVITATION');
  });
}

/**
 * Makes an account for a person who has none, by the policy of the service. Refusals: SIGN_UP_CLOSED, INVITATION_NEEDED,
 * BUSY, those of the two ways. Spec: API-RULE-signup-1.
 */
export async function signUp(
  deps: AuthDeps,
  { invitation, ...account }: NewAccount & { readonly invitation?: string | undefined },
  ip: string,
): Promise<Result<UserRow, Refusal>> {
  const policy = signUpPolicy(deps.settings);
  if (policy === 'closed') return failure(refusal('SIGN_UP_CLOSED'));
  if (invitation === undefined && policy === 'invite') return failure(refusal('INVITATION_NEEDED'));
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  if (invitation === undefined) return signUpFreely(deps, account, ip);
  return trySecret(deps, 'secret', { ip }, () => signUpInvited(deps, { invitation, ...account }));
}

/** An invitation as it was made: the only time that its token is known. */
export interface MadeInvitation {
  readonly row: InvitationRow;
  readonly token: string;
}

/** Makes an invitation. The refusal is LIMIT_REACHED. */
export function makeInvitation(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  { email, role = 'user', days = invitationDays.usual }: BodyOf<(typeof invitationsContract)['create']>,
  actor: Pick<LogEntry, 'userId' | 'ip' | 'client'> = {},
): Promise<Result<MadeInvitation, Refusal>> {
  const atMs = clock.now();
  const token = newTokenValue();
  const row: InvitationRow = {
    id: randomUUID(),
    token_hash: hashSecret(token),
    tail: tailOf(token),
    email: email?.toLowerCase() ?? null,
    role,
    created_by: actor.userId ?? null,
    created_at: atMs,
    expires_at: atMs + days * dayMs,
    used_at: null,
    used_by: null,
  };
  return storage.transaction(async (trx) => {
    if ((await countOpenInvitations(trx, atMs)) >= openInvitationsLimit) {
      const blanks = { what: 'The service', limit: openInvitationsLimit, things: 'open invitations' };
      return failure(refusal('LIMIT_REACHED', blanks));
    }
    await insertInvitation(trx, row);
    const whom = row.email === null ? '' : ` for ${row.email}`;
    const message = `Invitation${whom} made, role ${role}`;
    noteMade(row.id);
    await writeLog(trx, { ...actor, atMs, type: 'invitation.create', message, data: { invitation_id: row.id } });
    return success({ row, token });
  });
}

const record = (row: ShownInvitation, token = row.tail): InvitationRecord =>
  recordFrom(InvitationRecord, row, { token, created_by: row.maker, used_by: row.user });

const refuse = (caller: Caller): Refusal | undefined =>
  authorise('invitation.manage', generalRoles(caller), 'Invitation');

/** Invitations, for administrators. */
export const invitationRoutes = (deps: Deps): Handlers<typeof invitationsContract> => ({
  // API-EP-GET-invitations
  async list({ caller, query }) {
    const refused = refuse(caller);
    if (refused) return failure(refused);
    return listed(listInvitations(deps.storage.db, paging(query, '-created_at')), (row) => record(row));
  },

  // API-EP-POST-invitations
  async create(call) {
    const refused = refuse(call.caller);
    if (refused) return failure(refused);
    const made = await makeInvitation(deps, call.body, byCaller(call, deps.clock.now()));
    if (!made.ok) return made;
    const { row, token } = made.value;
    return success(record({ ...row, maker: call.caller.username, user: null }, token));
  },

  // API-EP-DELETE-invitations-invitation_id
  async revoke(call) {
    const refused = refuse(call.caller);
    if (refused) return failure(refused);
    return deps.storage.transaction(async (trx) => {
      const gone = await deleteInvitation(trx, call.params.invitation_id);
      if (!gone) return failure(refusal('NOT_FOUND', { what: 'Invitation' }));
      noteBefore(gone);
      const log = { ...byCaller(call, deps.clock.now()), message: 'Invitation taken back' };
      await writeLog(trx, { ...log, type: 'invitation.revoke', data: { invitation_id: gone.id } });
      return success(resultOk);
    });
  },
});

/** What an invitation is for. Refusals: WRONG_INVITATION, TOO_MANY_LOGINS. */
export async function readInvitation(
  deps: Pick<Deps, 'storage' | 'clock' | 'attempts'>,
  token: string,
  ip: string,
): Promise<Result<Pick<InvitationRow, 'email' | 'role'> & { readonly expires_at: string }, Refusal>> {
  const { storage, clock } = deps;
  return trySecret(deps, 'secret', { ip }, async () => {
    const found = await openInvitation(storage.db, hashSecret(token), clock.now());
    if (!found) return failure(refusal('WRONG_INVITATION'));
    return success({ email: found.email, role: found.role, expires_at: String(found.expires_at) });
  });
}

/** Who may make an account: anybody only where the service can be reached from its machine alone, unless the setting says so. */
export function signUpPolicy({
  signUp,
  host,
  publicUrl,
}: Pick<Settings, 'signUp' | 'host' | 'publicUrl'>): SignUpPolicy {
  const isAlone = isLoopbackHost(host) && (publicUrl === undefined || isLoopbackHost(new URL(publicUrl).hostname));
  return signUp ?? (isAlone ? 'open' : 'invite');
}
