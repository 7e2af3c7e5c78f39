import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result } from '@moorage/base';
import { RecordCache } from '../db/record-cache.ts';
import { hashSecret } from '../db/secrets.ts';
import type { Authenticate } from './mount.ts';
import type { Caller, Deps } from './types.ts';

/** `last_used_at` of a token is this exact; more would be a write for each request. */
const lastUsedResolutionMs = 60_000;
/** Tokens that this process remembers. */
const rememberedLimit = 10_000;

interface Known {
  readonly passed: { readonly ok: true; readonly value: Caller };
  readonly lastUsedMs: number | null;
}

/**
 * Checks `Authorization: Bearer <token>`, the scheme in either letter case, by the token's hash. A revoked token
 * fails at once: what is remembered of a good one goes with any write.
 */
export function bearerCheck({ storage, clock, log }: Pick<Deps, 'storage' | 'clock' | 'log'>): Authenticate<Caller> {
  const touched = new Map<string, number>();

  function touch(tokenId: string, lastUsedMs: number | null): void {
    const now = clock.now();
    if (now - Math.max(lastUsedMs ?? 0, touched.get(tokenId) ?? 0) < lastUsedResolutionMs) return;
    if (touched.size >= rememberedLimit) touched.clear();
    touched.set(tokenId, now);
    // Nobody waits for this: the request is not held up by a bookkeeping write.
    storage.hot.touchToken(tokenId, now).catch((error) => log.error({ err: error }, 'Token use could not be recorded'));
  }

  const known = new RecordCache<Known>(storage.changes, rememberedLimit);

  async function lookUp(tokenHash: string): Promise<Result<Caller, Refusal>> {
    const keep = known.beginRead();
    const owner = await storage.hot.callerByTokenHash(tokenHash);
    if (!owner) return failure(refusal('UNAUTHENTICATED'));
    const caller = {
      userId: owner.user_id,
      tokenId: owner.token_id,
      username: owner.username,
      role: owner.role,
      customerId: owner.customer_id,
      client: owner.client,
    };
    const passed = { ok: true, value: caller } as const;
    touch(owner.token_id, owner.last_used_at);
    keep(tokenHash, { passed, lastUsedMs: owner.last_used_at });
    return passed;
  }

  return (request) => {
    // API-AUTH-1: the scheme word appears in either letter case.
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) return failure(refusal('UNAUTHENTICATED'));
    const tokenHash = hashSecret(token);
    const remembered = known.get(tokenHash);
    if (!remembered) return lookUp(tokenHash);
    touch(remembered.passed.value.tokenId, remembered.lastUsedMs);
    return remembered.passed;
  };
}
