import { type Refusal, refusal, resultOk, SsoLinkRecord, type ssoContract } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { hasInitialPassword } from '../../core/auth/queries.ts';
import { openSession } from '../../core/auth/routes.ts';
import { countsOf, limits, refuseOverLimits, trySecret } from '../../core/auth/throttle.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { browserCookie, cookieValue, isFromConsole, sessionCookie } from '../../engine/http/console-session.ts';
import { recordFrom } from '../../engine/http/record-from.ts';
import { type Handlers, HeadedReply, type RequestOrigin } from '../../engine/http/types.ts';
import type { OidcError, OidcPerson } from '../../engine/outbound/oidc.ts';
import { hashSecret, newTokenValue } from '../../engine/secrets.ts';
import { accountFor, linkAccount, type SsoDeps } from './sso-accounts.ts';
import {
  deleteLink,
  idTokenOf,
  insertAttempt,
  insertSession,
  linksOf,
  type SsoAttemptRow,
  type SsoLinkRow,
  spendAttempt,
} from './sso-queries.ts';

type BrowserRequest = RequestOrigin & { readonly ip: string };

const cookieName = 'moorage_sso';
/** How long people may take at the provider, in ms. Spec: API-RULE-sso-1. */
const attemptMs = 600_000;
/** A longer ID token is not kept: an address with it would be refused. */
const idTokenLength = 4_000;

/** The refusal that a browser gets for an error of the provider; the log has the rest. */
function refusalOf({ kind, detail }: OidcError): Refusal {
  if (kind === 'away') return refusal('SSO_AWAY');
  if (kind === 'invalid') return refusal('SSO_INVALID');
  return refusal('SSO_REFUSED', { reason: /^[a-z_]{1,40}$/.test(detail) ? detail : 'error' });
}

/** Begins a sign-in in this browser, or a link for a user. Refusals: NO_SSO, TOO_MANY_LOGINS, SSO_AWAY. */
async function begin(
  { storage, clock, attempts, log, provider }: SsoDeps,
  call: BrowserRequest,
  returnTo: string,
  userId: string | null,
) {
  if (!provider) return failure(refusal('NO_SSO'));
  const counts = countsOf(limits.ssoOfAddress, call.ip);
  const limited = await refuseOverLimits({ attempts }, 'TOO_MANY_LOGINS', counts);
  if (limited) return failure(limited);
  const begun = await provider.begin();
  if (!begun.ok) {
    log.warn(`Single sign-on could not begin: ${begun.error.detail}`);
    return failure(refusalOf(begun.error));
  }
  const { url, state, nonce, verifier } = begun.value;
  const browser = newTokenValue();
  await insertAttempt(storage.db, {
    state_hash: hashSecret(state),
    browser_hash: hashSecret(browser),
    nonce,
    verifier,
    return_to: returnTo,
    user_id: userId,
    expires_at: clock.now() + attemptMs,
  });
  return success(new HeadedReply({ url }, browserCookie(cookieName, browser, attemptMs / 1_000, call)));
}

/** The person whom the provider has signed in for this browser. Refusals: NO_SSO, SSO_STATE and those of the provider. */
async function personOf(
  { storage, clock, log, provider }: SsoDeps,
  call: BrowserRequest,
  query: string,
): Promise<Result<{ readonly attempt: SsoAttemptRow; readonly person: OidcPerson }, Refusal>> {
  if (!provider) return failure(refusal('NO_SSO'));
  const state = new URLSearchParams(query).get('state') ?? '';
  const browser = cookieValue(call.headers, cookieName) ?? '';
  const attempt = await spendAttempt(storage.db, hashSecret(state), hashSecret(browser), clock.now());
  if (!attempt) return failure(refusal('SSO_STATE'));
  const found = await provider.finish(query, { state, nonce: attempt.nonce, verifier: attempt.verifier });
  if (found.ok) return success({ attempt, person: found.value });
  log.warn(`Single sign-on failed: ${found.error.detail}`);
  return failure(refusalOf(found.error));
}

/** Writes a failed sign-in to the log. */
const noteFailure = ({ storage, clock }: SsoDeps, { ip }: BrowserRequest, { code }: Refusal, person?: OidcPerson) =>
  writeLog(storage.db, {
    type: 'user.login_failed',
    level: 'warning',
    message: 'A login by single sign-on failed',
    atMs: clock.now(),
    ip,
    data: { code, ...(person && { issuer: person.issuer, subject: person.subject }) },
  });

/** Signs a person in. */
async function signIn(deps: SsoDeps, call: BrowserRequest, person: OidcPerson, returnTo: string) {
  const found = await accountFor(deps, person, call.ip);
  if (!found.ok) {
    await noteFailure(deps, call, found.error, person);
    return found;
  }
  const user = found.value;
  const opened = await openSession(deps, user, call, 'provider');
  if (!opened.ok) return opened;
  const { token } = opened.value;
  const idToken = person.idToken.length <= idTokenLength ? person.idToken : '';
  await insertSession(deps.storage.db, hashSecret(token), idToken);
  const session = {
    user_id: user.id,
    username: user.username,
    role: user.role,
    initial_password: await hasInitialPassword(deps.storage.db, user.id),
    // The provider stands for its own.
    factor_needed: false,
  };
  return success(new HeadedReply({ session, return_to: returnTo }, sessionCookie(token, call)));
}

const record = (row: SsoLinkRow): SsoLinkRecord => recordFrom(SsoLinkRecord, row);

/** Single sign-on, and what accounts are linked to. */
export const ssoRoutes = (deps: SsoDeps): Handlers<typeof ssoContract> => ({
  // API-EP-POST-auth-sso
  async start(call) {
    if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
    return begin(deps, call, call.body.return_to ?? '/', null);
  },

  // API-EP-POST-auth-sso-finish
  async finish(call) {
    if (!isFromConsole(call.headers)) return failure(refusal('CROSS_SITE'));
    const found = await trySecret(deps, 'secret', { ip: call.ip }, () => personOf(deps, call, call.body.query));
    if (!found.ok) {
      if (found.error.code !== 'NO_SSO') await noteFailure(deps, call, found.error);
      return found;
    }
    const { attempt, person } = found.value;
    if (attempt.user_id === null) return signIn(deps, call, person, attempt.return_to);
    const refused = await linkAccount(deps, person, attempt.user_id, call.ip);
    return refused ? failure(refused) : success({ session: null, return_to: attempt.return_to });
  },

  // API-EP-POST-user-sso
  link: (call) => begin(deps, call, call.body.return_to ?? '/account', call.caller.userId),

  // API-EP-GET-user-sso
  async list({ caller }) {
    return success((await linksOf(deps.storage.db, caller.userId)).map(record));
  },

  // API-EP-DELETE-user-sso-link_id
  unlink: (call) =>
    deps.storage.transaction(async (trx) => {
      const gone = await deleteLink(trx, call.caller.userId, call.params.link_id);
      if (!gone) return failure(refusal('NOT_FOUND', { what: 'Link' }));
      const message = 'Link to single sign-on taken back';
      await writeLog(trx, { ...byCaller(call, deps.clock.now()), type: 'user.update', message });
      return success(resultOk);
    }),
});

/** The page of the provider that ends its session beside the one here; none for sessions that began otherwise. */
export async function providerSignOut(
  { storage, provider }: Pick<SsoDeps, 'storage' | 'provider'>,
  tokenId: string,
): Promise<{ readonly sign_out_url?: string }> {
  const idToken = provider && (await idTokenOf(storage.db, tokenId));
  const url = idToken === undefined ? undefined : await provider?.signOutUrl(idToken);
  return url === undefined ? {} : { sign_out_url: url };
}
