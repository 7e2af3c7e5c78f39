import { randomUUID } from 'node:crypto';
import {
  type InvitationRecord,
  invitationDays,
  type invitationsContract,
  openInvitationsLimit,
  optionalTimestamp,
  type Refusal,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { hashSecret, newTokenValue, tailOf } from '../core/secrets.ts';
import type { Caller, Deps, Handlers } from '../core/types.ts';
import { byCaller, type LogEntry, writeLog } from '../db/logs.ts';
import { paging } from '../db/paging.ts';
import { createUser, type NewAccount } from './accounts.ts';
import { refuseWhenBusy } from './credentials.ts';
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
import { queueConfirmation } from './links.ts';
import type { UserRow } from './queries.ts';
import { authorise, generalRoles } from './rules.ts';
import { signUpPolicy } from './sign-up-policy.ts';
import { addressKey, limits } from './throttle.ts';

const dayMs = 86_400_000;

/** Refusal: TOO_MANY_SIGN_UPS. Spec: API-LIMIT-signup. */
async function limitSignUps({ attempts }: Pick<Deps, 'attempts'>, ip: string): Promise<Refusal | undefined> {
  const ofAddress = await attempts.begin(limits.signUpOfAddress, addressKey(ip));
  const inAll = ofAddress.ok ? await attempts.begin(limits.signUpInAll, '') : ofAddress;
  if (inAll.ok) return undefined;
  const { retryAfterS } = inAll.error;
  return { ...refusal('TOO_MANY_SIGN_UPS', { retryAfterS }), retryAfterS };
}

/**
 * Makes an account for somebody who has none, by the policy of the service. Refusals: SIGN_UP_CLOSED, INVITATION_NEEDED,
 * WRONG_INVITATION, TOO_MANY_SIGN_UPS, DUPLICATE, BUSY. Spec: API-RULE-signup-1, API-RULE-signup-2.
 */
export async function signUp(
  deps: Deps,
  { invitation, ...account }: NewAccount & { readonly invitation?: string | undefined },
  ip: string,
): Promise<Result<UserRow, Refusal>> {
  const policy = signUpPolicy(deps.settings);
  if (policy === 'closed') return failure(refusal('SIGN_UP_CLOSED'));
  if (invitation === undefined && policy === 'invite') return failure(refusal('INVITATION_NEEDED'));
  const overload = refuseWhenBusy();
  if (overload) return failure(overload);
  if (invitation === undefined) {
    const limited = await limitSignUps(deps, ip);
    if (limited) return failure(limited);
    return createUser(deps, account, 'user', async (trx, user) => {
      await queueConfirmation(deps, trx, user);
      return undefined;
    });
  }
  const { storage, clock } = deps;
  const found = await openInvitation(storage.db, hashSecret(invitation), clock.now());
  const isForOther = found?.email && found.email !== account.email.toLowerCase();
  if (!found || isForOther) return failure(refusal('WRONG_INVITATION'));
  return createUser(deps, account, found.role, async (trx, user) => {
    await queueConfirmation(deps, trx, user);
    const spent = await spendInvitation(trx, found.id, user.id, clock.now());
    return spent ? undefined : refusal('WRONG_INVITATION');
  });
}

export interface NewInvitation {
  readonly email?: string | undefined;
  readonly role?: 'user' | 'admin' | undefined;
  /** How long it is good. */
  readonly days?: number | undefined;
}

/** An invitation as it was made: the only time that its token is known. */
export interface MadeInvitation {
  readonly row: InvitationRow;
  readonly token: string;
}

/** Makes an invitation. The refusal is LIMIT_REACHED. */
export function makeInvitation(
  { storage, clock }: Pick<Deps, 'storage' | 'clock'>,
  { email, role = 'user', days = invitationDays.usual }: NewInvitation,
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
    await writeLog(trx, { ...actor, atMs, type: 'invitation.create', message, data: { invitation_id: row.id } });
    return success({ row, token });
  });
}

const record = (row: ShownInvitation, token = row.tail): InvitationRecord => ({
  id: row.id,
  token,
  email: row.email,
  role: row.role,
  created_by: row.maker,
  created_at: String(row.created_at),
  expires_at: String(row.expires_at),
  used_at: optionalTimestamp(row.used_at),
  used_by: row.user,
});

const refuse = (caller: Caller): Refusal | undefined =>
  authorise('invitation.manage', generalRoles(caller), 'Invitation');

/** Invitations, for administrators. */
export const invitationRoutes = (deps: Deps): Handlers<typeof invitationsContract> => ({
  // API-EP-GET-invitations
  async list({ caller, query }) {
    const refused = refuse(caller);
    if (refused) return failure(refused);
    const { items, total } = await listInvitations(deps.storage.db, paging(query, '-created_at'));
    return success({ items: items.map((row) => record(row)), total });
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
      const log = { ...byCaller(call, deps.clock.now()), message: 'Invitation taken back' };
      await writeLog(trx, { ...log, type: 'invitation.revoke', data: { invitation_id: gone.id } });
      return success(resultOk);
    });
  },
});

/** What an invitation is for. The refusal is WRONG_INVITATION. */
export async function readInvitation({ storage, clock }: Pick<Deps, 'storage' | 'clock'>, token: string) {
  const found = await openInvitation(storage.db, hashSecret(token), clock.now());
  if (!found) return failure(refusal('WRONG_INVITATION'));
  return success({ email: found.email, role: found.role, expires_at: String(found.expires_at) });
}
