import { type Refusal, refusal, resultOk, type SessionRecord, type sessionContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { lacksFactor } from '../../engine/http/bearer.ts';
import { goneCookie, isFromConsole, sessionCookie } from '../../engine/http/console-session.ts';
import { type Call, type Deps, type Handlers, HeadedReply } from '../../engine/http/types.ts';
import { announceAccess } from '../access/accounts.ts';
import { passwordOf, revokeToken } from './accounts.ts';
import { checkLogin, checkOwnPassword } from './credentials.ts';
import type { AuthDeps } from './hooks.ts';
import { hashNewPassword } from './passwords.ts';
import { endSessions, hasInitialPassword, setPassword, type TokenRow, type UserRow } from './queries.ts';
import { openSession } from './routes.ts';
import { signUp } from './sign-up.ts';

type OpenedBy = NonNullable<TokenRow['opened_by']>;

type NewSession = Pick<Call<typeof sessionContract.open>, 'headers' | 'ip' | 'isEncrypted'>;

const recordOf = async (
  { storage }: Deps,
  user: Pick<UserRow, 'id' | 'username' | 'role'>,
  factorNeeded: boolean,
): Promise<SessionRecord> => ({
  user_id: user.id,
  username: user.username,
  role: user.role,
  initial_password: await hasInitialPassword(storage.db, user.id),
  factor_needed: factorNeeded,
});

/** Opens a session whose token travels in a cookie, for a user who has shown what they need. */
export async function beginSession(
  deps: Deps,
  call: NewSession,
  user: UserRow,
  openedBy: OpenedBy,
): Promise<Result<HeadedReply<SessionRecord>, Refusal>> {
  const opened = await openSession(deps, user, call, openedBy);
  if (!opened.ok) return opened;
  const factorNeeded = lacksFactor(deps.settings.secondFactor, { ...user, opened_by: openedBy });
  return success(new HeadedReply(await recordOf(deps, user, factorNeeded), sessionCookie(opened.value.token, call)));
}

/** Sessions of the console: as logging in with a token, but the token travels in a cookie. */
export const sessionRoutes = (deps: AuthDeps): Handlers<typeof sessionContract> => {
  const { storage, clock, hooks } = deps;

  return {
    // API-EP-POST-auth-session
    async open(call) {
      // Spec: API-RULE-session-2. Otherwise another page could sign its visitor in under a name of its choice.
      if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
      const found = await checkLogin(deps, { ...call.body, ip: call.ip });
      return found.ok ? beginSession(deps, call, found.value, 'password') : found;
    },

    // API-EP-POST-auth-session-signup
    async signup(call) {
      if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
      const made = await signUp(deps, call.body, call.ip);
      return made.ok ? beginSession(deps, call, made.value, 'password') : made;
    },

    // API-EP-GET-auth-session
    async get({ caller }) {
      return success(await recordOf(deps, { ...caller, id: caller.userId }, caller.needsFactor === true));
    },

    // API-EP-DELETE-auth-session
    async close(call) {
      const reply = { ...resultOk, ...(await hooks.sessionEnds(call.caller.tokenId)) };
      await revokeToken(deps, call.caller.tokenId, call.caller.userId);
      return success(new HeadedReply(reply, goneCookie(call)));
    },

    // API-EP-PUT-user-password
    async changePassword(call) {
      const { caller } = call;
      const { current_password, password } = call.body;
      const found = await checkOwnPassword(deps, call, current_password);
      if (!found.ok) return found;
      if (password === current_password) {
        const validation = { source: 'body', keys: ['password'] } as const;
        return failure(refusal('INVALID_REQUEST', { detail: 'The new password is the current one' }, validation));
      }
      const hashed = await hashNewPassword(password, passwordOf(found.value));
      if (!hashed.ok) return hashed;
      await storage.transaction(async (trx) => {
        await setPassword(trx, caller.userId, hashed.value);
        await hooks.passwordChanged(trx, caller.userId);
        // Spec: API-RULE-session-3. A client that knew the old password is out.
        await endSessions(trx, caller.userId, caller.tokenId);
        announceAccess(storage, trx, caller.userId);
        await writeLog(trx, { ...byCaller(call, clock.now()), type: 'user.update', message: 'Password changed' });
      });
      return success({ result: 'ok' });
    },
  };
};
