import { type Refusal, refusal, type SecondFactorPolicy, type TokenScope } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import type { FastifyRequest } from 'fastify';
import type { TokenOwner } from '../db/hot.ts';
import { RecordCache } from '../db/record-cache.ts';
import { hashSecret } from '../secrets.ts';
import { clientAddress } from './client-address.ts';
import { isFromConsole, mayUseCookie, sessionIdleS, sessionMaxAgeS, sessionToken } from './console-session.ts';
import type { Authenticate } from './mount.ts';
import { requestRate } from './request-rate.ts';
import { lacksFactor } from './second-factor.ts';
import type { Caller, Deps, TokenLimits } from './types.ts';

/** `last_used_at` of a token is this exact; more would be a write for each request. */
const lastUsedResolutionMs = 60_000;
/** Tokens that this process remembers. */
const rememberedLimit = 10_000;

interface Known {
  readonly passed: { readonly ok: true; readonly value: Caller };
  readonly lastUsedMs: number | null;
  readonly createdMs: number;
}

/** The check of bearer tokens, and what it remembers. */
export interface Bearers {
  readonly check: Authenticate<Caller>;
  /** The caller whose header has passed before and would pass now, whatever they ask for; says nothing of others. */
  remembered(header: string): Caller | undefined;
  /** Counts a request of a remembered caller that is answered; false when they have made too many. */
  admits(caller: Caller): boolean;
}

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

/** Whether what a caller may read depends on their user alone. */
const isUnlimited = ({ limits, needsFactor }: Caller): boolean => !limits?.productIds && !needsFactor;

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
  const isDue = (tokenId: string, lastUsedMs: number | null): boolean =>
    clock.now() - lastUse(tokenId, lastUsedMs) >= lastUsedResolutionMs;

  function note(tokenId: string, lastUsedMs: number | null, request: FastifyRequest): void {
    if (!isDue(tokenId, lastUsedMs)) return;
    const now = clock.now();
    if (touched.size >= rememberedLimit) touched.clear();
    touched.set(tokenId, now);
    // Not awaited: the request is not held up by a bookkeeping write.
    storage.hot.touchToken(tokenId, now, clientAddress(request)).catch((error: unknown) => {
      // What keeps it from being written, other requests tell.
      if (!health.troubleOf(error)) log.error({ err: error }, 'Token use could not be recorded');
    });
  }

  return { lastUse, isDue, note };
}

/**
 * Checks `Authorization: Bearer <token>`, the scheme in either letter case, by the token's hash. A revoked token
 * fails at once: what is remembered of a good one goes with any write.
 */
export function openBearers(deps: Pick<Deps, 'storage' | 'clock' | 'log' | 'health' | 'settings'>): Bearers {
  const { storage, clock, settings } = deps;
  const rate = requestRate(clock, settings.requestsPerMinute);
  const uses = tokenUses(deps);
  const known = new RecordCache<Known>(storage.changes, rememberedLimit);

  async function lookUp(header: string, token: string, request: FastifyRequest): Promise<Result<Caller, Refusal>> {
    const keep = known.beginRead();
    const owner = await storage.hot.callerByTokenHash(hashSecret(token));
    if (!owner) return failure(refusal('UNAUTHENTICATED'));
    const passed = { ok: true, value: callerOf(owner, settings.secondFactor) } as const;
    const found = { passed, lastUsedMs: owner.last_used_at, createdMs: owner.created_at };
    if (hasEnded(found)) return failure(refusal('UNAUTHENTICATED'));
    uses.note(owner.token_id, owner.last_used_at, request);
    keep(header, found);
    return passed;
  }

  /** A login session ends by its age and when it is not used, however its token is shown. Spec: API-RULE-session-4. */
  function hasEnded({ passed: { value }, lastUsedMs, createdMs }: Known): boolean {
    const now = clock.now();
    const { client, tokenId, expiresAtMs = null } = value;
    if (client === null) return expiresAtMs !== null && now >= expiresAtMs;
    const usedMs = Math.max(createdMs, uses.lastUse(tokenId, lastUsedMs));
    return now - createdMs > sessionMaxAgeS * 1_000 || now - usedMs > sessionIdleS * 1_000;
  }

  function recall(header: string): Known | undefined {
    // By the whole header: a good one is neither taken apart nor hashed a second time.
    const remembered = known.get(header);
    return remembered && !hasEnded(remembered) ? remembered : undefined;
  }

  /** Counts the request of a caller who has passed. Spec: API-LIMIT-requests. */
  function counted(found: Result<Caller, Refusal>): Result<Caller, Refusal> {
    const refused = found.ok ? rate.count(found.value.userId) : undefined;
    return refused ? failure(refused) : found;
  }

  return {
    remembered(header) {
      const found = recall(header);
      if (!found) return undefined;
      const { value } = found.passed;
      // Where something is to be checked or written, the request takes the long way.
      return isUnlimited(value) && !uses.isDue(value.tokenId, found.lastUsedMs) ? value : undefined;
    },
    admits: ({ userId }) => rate.count(userId) === undefined,
    check(request) {
      const cookie = request.headers.authorization === undefined ? sessionToken(request.headers) : undefined;
      const header = request.headers.authorization ?? (cookie === undefined ? '' : `Bearer ${cookie}`);
      const refused = cookie === undefined ? undefined : refuseCookie(request);
      if (refused) return failure(refused);
      const known = recall(header);
      if (known) {
        uses.note(known.passed.value.tokenId, known.lastUsedMs, request);
        return counted(known.passed);
      }
      // API-AUTH-1: the scheme word appears in either letter case.
      const token = /^bearer +(\S+) *$/i.exec(header)?.[1];
      if (token === undefined) return failure(refusal('UNAUTHENTICATED'));
      return lookUp(header, token, request).then(counted);
    },
  };
}
