import { type Refusal, refusal, type Session, type SessionRecord, type sessionContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { goneCookie, isFromConsole, sessionCookie } from '../core/console-session.ts';
import { type Call, type Deps, type Handlers, HeadedReply } from '../core/types.ts';
import { announceAccess } from '../db/accounts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import { revokeToken } from './accounts.ts';
import { checkCredentials } from './credentials.ts';
import { hashPassword } from './passwords.ts';
import { endSessions, hasInitialPassword, setPassword, type UserRow } from './queries.ts';
import { signUp } from './sign-up.ts';

/** Opens a login session for a user whose password was right. */
type OpenSession = (user: UserRow, call: Pick<NewSession, 'ip' | 'headers'>) => Promise<Result<Session, Refusal>>;

type NewSession = Pick<Call<typeof sessionContract.open>, 'headers' | 'ip' | 'isEncrypted'>;

/** Sessions of the console: as logging in with a token, but the token travels in a cookie. */
export const sessionRoutes = (deps: Deps, openSession: OpenSession): Handlers<typeof sessionContract> => {
  const { storage, clock } = deps;

  const record = async (user: Pick<UserRow, 'id' | 'username' | 'role'>): Promise<SessionRecord> => ({
    user_id: user.id,
    username: user.username,
    role: user.role,
    initial_password: await hasInitialPassword(storage.db, user.id),
  });

  async function begin(call: NewSession, user: UserRow) {
    const opened = await openSession(user, call);
    if (!opened.ok) return opened;
    return success(new HeadedReply(await record(user), sessionCookie(opened.value.token, call)));
  }

  return {
    // API-EP-POST-auth-session
    async open(call) {
      // Spec: API-RULE-session-2. Otherwise another page could sign its visitor in under a name of its choice.
      if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
      const found = await checkCredentials(deps, { ...call.body, ip: call.ip });
      return found.ok ? begin(call, found.value) : found;
    },

    // API-EP-POST-auth-session-signup
    async signup(call) {
      if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
      const made = await signUp(deps, call.body, call.ip);
      return made.ok ? begin(call, made.value) : made;
    },

    // API-EP-GET-auth-session
    async get({ caller }) {
      return success(await record({ ...caller, id: caller.userId }));
    },

    // API-EP-DELETE-auth-session
    async close(call) {
      await revokeToken(deps, call.caller.tokenId, call.caller.userId);
      return success(new HeadedReply({ result: 'ok' as const }, goneCookie(call)));
    },

    // API-EP-PUT-user-password
    async changePassword(call) {
      const { caller, ip } = call;
      const { current_password, password } = call.body;
      const found = await checkCredentials(deps, { username: caller.username, password: current_password, ip });
      if (!found.ok) return failure(found.error.code === 'WRONG_LOGIN' ? refusal('WRONG_PASSWORD') : found.error);
      if (password === current_password) {
        const validation = { source: 'body', keys: ['password'] } as const;
        return failure(refusal('INVALID_REQUEST', { detail: 'The new password is the current one' }, validation));
      }
      const passwordHash = await hashPassword(password);
      await storage.transaction(async (trx) => {
        await setPassword(trx, caller.userId, passwordHash);
        // Spec: API-RULE-session-3. A client that knew the old password is out.
        await endSessions(trx, caller.userId, caller.tokenId);
        announceAccess(storage, trx, caller.userId);
        await writeLog(trx, { ...byCaller(call, clock.now()), type: 'user.update', message: 'Password changed' });
      });
      return success({ result: 'ok' });
    },
  };
};
