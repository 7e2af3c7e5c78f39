import { type Refusal, refusalFor } from '@moorage/api';
import type { Caller, Deps, Limit } from '../../engine/http/types.ts';

/** Accounts that one account may look for. Spec: API-LIMIT-look-ups. */
export const lookUps: Limit = { kind: 'look-up', most: 30, windowMs: 3_600_000 };

/**
 * Counts a request whose answer says whether a name or an address has an account, before the transaction that finds out.
 * Administrators see all accounts anyway. Refusal: TOO_MANY_LOOK_UPS. Spec: API-LIMIT-look-ups.
 *
 * @param by the caller, or the id of the invitation by which somebody wants to become one
 */
export async function refuseLookUp(
  { attempts }: Pick<Deps, 'attempts'>,
  by: Pick<Caller, 'userId' | 'role'> | string,
): Promise<Refusal | undefined> {
  if (typeof by !== 'string' && by.role === 'admin') return undefined;
  const begun = await attempts.begin(lookUps, typeof by === 'string' ? by : by.userId);
  return begun.ok ? undefined : refusalFor('TOO_MANY_LOOK_UPS', begun.error.retryAfterS);
}
