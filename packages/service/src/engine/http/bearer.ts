import { type Refusal, refusal, type SecondFactorPolicy, type TokenScope } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { FastifyRequest } from 'fastify';
import type { TokenOwner } from '../db/hot.ts';
import type { Row } from '../db/schema.ts';
import { hashSecret } from '../secrets.ts';
import { clientAddress } from './client-address.ts';
import { isFromConsole, mayUseCookie, sessionIdleS, sessionMaxAgeS, sessionToken } from './console-session.ts';
import type { Authenticate } from './mount.ts';
import { minuteRate } from './rates.ts';
import type { Caller, Deps, TokenLimits } from './types.ts';

/** `last_used_at` of a token is this exact; more would be a write for each request. */
const lastUsedResolutionMs = 60_000;
/** Tokens whose last use this process remembers. */
const rememberedLimit = 10_000;

/** What a token may do less than its user, as its row has it. */
function limitsOf({ scopes, product_ids }: TokenOwner): TokenLimits | undefined {
  if (scopes === null && product_ids === null) return undefined;
  // Safe: the slice of tokens writes them.
  return {
    scopes: scopes === null ? ['all'] : (JSON.parse(scopes) as TokenScope[]),
    productIds: product_ids === null ? undefined : (JSON.parse(product_ids) as string[]),
  };
}

const callerOf = (owner: TokenOwner, policy: SecondFactorPolicy): Caller => ({
  userId: owner.user_id,
  tokenId: owner.token_id,
  username: owner.username,
  role: owner.role,
  customerId: owner.customer_id,
  customerRole: owner.customer_role,
  client: owner.client,
  limits: limitsOf(owner),
  provenAtMs: owner.proven_at,
  expiresAtMs: owner.expires_at,
  // Programs go on with their tokens. Spec: API-RULE-factor-4.
  needsFactor: owner.client !== null && lacksFactor(policy, owner),
});

/** Why the cookie of a session does not count for a request. Spec: API-RULE-session-2. */
function refuseCookie({ method, headers }: Parameters<Authenticate<Caller>>[0]): Refusal | undefined {
  // A browser sends the cookie along whichever page makes it ask.
  const changes = method !== 'GET' && method !== 'HEAD';
  if (changes && !isFromConsole(headers)) return refusal('CROSS_SITE');
  return mayUseCookie(headers) ? undefined : refusal('UNAUTHENTICATED');
}

/** Notes when tokens are used and from which address, no more often than it is kept exactly. */
function tokenUses({ storage, clock, log, health }: Pick<Deps, 'storage' | 'clock' | 'log' | 'health'>) {
  const touched = new Map<string, number>();

  const lastUse = (tokenId: string, lastUsedMs: number | null): number =>
    Math.max(lastUsedMs ?? 0, touched.get(tokenId) ?? 0);

  function note(tokenId: string, lastUsedMs: number | null, request: FastifyRequest): void {
    if (clock.now() - lastUse(tokenId, lastUsedMs) < lastUsedResolutionMs) return;
    const now = clock.now();
    if (touched.size >= rememberedLimit) touched.clear();
    touched.set(tokenId, now);
    // Not awaited: the request is not held up by a bookkeeping write.
    storage.hot.touchToken(tokenId, now, clientAddress(request)).catch((error: unknown) => {
      // What keeps it from being written, other requests tell.
      if (!health.troubleOf(error)) log.error({ err: error }, 'Token use could not be recorded');
    });
  }

  return { lastUse, note };
}

/**
 * Checks `Authorization: Bearer <token>`, the scheme in either letter case, by the token's hash. A revoked token
 * fails at once.
 */
export function bearerCheck(
  deps: Pick<Deps, 'storage' | 'clock' | 'log' | 'health' | 'settings'>,
): Authenticate<Caller> {
  const { storage, clock, settings } = deps;
  const rate = minuteRate(clock, settings.requestsPerMinute);
  const uses = tokenUses(deps);

  /** A login session ends by its age and when it is not used, however its token is shown. Spec: API-RULE-session-4. */
  function hasEnded({ token_id, client, expires_at, created_at, last_used_at }: TokenOwner): boolean {
    const now = clock.now();
    if (client === null) return expires_at !== null && now >= expires_at;
    const usedMs = Math.max(created_at, uses.lastUse(token_id, last_used_at));
    return now - created_at > sessionMaxAgeS * 1_000 || now - usedMs > sessionIdleS * 1_000;
  }

  return async (request) => {
    const cookie = request.headers.authorization === undefined ? sessionToken(request.headers) : undefined;
    const header = request.headers.authorization ?? (cookie === undefined ? '' : `Bearer ${cookie}`);
    const refused = cookie === undefined ? undefined : refuseCookie(request);
    if (refused) return failure(refused);
    // API-AUTH-1: the scheme word appears in either letter case.
    const token = /^bearer +(\S+) *$/i.exec(header)?.[1];
    const owner = token === undefined ? undefined : await storage.hot.callerByTokenHash(hashSecret(token));
    if (!owner || hasEnded(owner)) return failure(refusal('UNAUTHENTICATED'));
    uses.note(owner.token_id, owner.last_used_at, request);
    // Spec: API-LIMIT-requests.
    const retryAfterS = rate.count(owner.user_id);
    if (retryAfterS === undefined) return success(callerOf(owner, settings.secondFactor));
    const blanks = { limit: settings.requestsPerMinute, retryAfterS };
    return failure({ ...refusal('TOO_MANY_REQUESTS', blanks), retryAfterS });
  };
}

interface SessionOf extends Pick<Row<'users'>, 'role' | 'second_factor'> {
  readonly opened_by: Row<'tokens'>['opened_by'];
}

/** Whether the service wants a second factor of an account. Spec: API-RULE-factor-4. */
export const wantsFactor = (policy: SecondFactorPolicy, role: Row<'users'>['role']): boolean =>
  policy === 'all' || (policy === 'administrators' && role === 'admin');

/** Whether a session is without the second factor that is wanted of its account; a provider stands for its own. */
export const lacksFactor = (policy: SecondFactorPolicy, { role, second_factor, opened_by }: SessionOf): boolean =>
  second_factor === 0 && opened_by !== 'provider' && wantsFactor(policy, role);
