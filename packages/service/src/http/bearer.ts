import { refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import { hashSecret } from '../db/secrets.ts';
import type { Authenticate } from './mount.ts';
import type { Caller, Deps } from './types.ts';

/** `last_used_at` of a token is this exact; more would be a write for each request. */
const lastUsedResolutionMs = 60_000;
/** Tokens whose last recording this process remembers. */
const rememberedLimit = 10_000;

/**
 * Checks `Authorization: Bearer <token>`, the scheme in either letter case, by the token's hash. A revoked token
 * fails at once: nothing is remembered of a good one.
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

  return async (request) => {
    // API-AUTH: the scheme word appears in either letter case.
    const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    const owner = token === undefined ? undefined : await storage.hot.callerByTokenHash(hashSecret(token));
    if (!owner) return failure(refusal('UNAUTHENTICATED'));
    touch(owner.token_id, owner.last_used_at);
    return success({
      userId: owner.user_id,
      tokenId: owner.token_id,
      username: owner.username,
      role: owner.role,
      customerId: owner.customer_id,
      client: owner.client,
    });
  };
}
