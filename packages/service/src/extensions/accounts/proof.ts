import { type proofContract, type Refusal, refusal, type ShownProof } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { proofMs } from '../../core/access/token-limits.ts';
import { checkOwnPassword } from '../../core/auth/credentials.ts';
import { noteProof } from '../../core/auth/queries.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Deps, Handlers } from '../../engine/http/types.ts';
import { accountOf, type OwnCall } from './factors.ts';
import { accountOfPasskey } from './passkeys.ts';
import { spendAnyCode, tryFactor } from './second-step.ts';

const none = refusal(
  'INVALID_REQUEST',
  { detail: 'Field "current_password", "code" or "credential" has to be there' },
  { source: 'body', keys: ['current_password', 'code', 'credential'] },
);

/** Looks at what a caller shows, as often as the limits of logins and factors allow. */
async function check(deps: Deps, call: OwnCall, shown: ShownProof): Promise<Result<unknown, Refusal>> {
  const { current_password: password, code, credential } = shown;
  const { userId } = call.caller;
  if (password !== undefined) return checkOwnPassword(deps, call, password);
  if (code !== undefined) {
    return tryFactor(
      deps,
      accountOf(call),
      call.ip,
      async (trx): Promise<Result<void, Refusal>> =>
        (await spendAnyCode(trx, userId, code, deps.clock.now()))
          ? success(undefined)
          : failure(refusal('WRONG_SECOND_FACTOR')),
    );
  }
  if (credential === undefined) return failure(none);
  const found = await accountOfPasskey(deps, credential, call.ip);
  return found.ok && found.value.id !== userId ? failure(refusal('WRONG_PASSKEY')) : found;
}

/** Proof of who calls. It counts for the token that it came with, and for no other of its user. */
export const proofRoutes = (deps: Deps): Handlers<typeof proofContract> => ({
  // API-EP-POST-user-proof
  async show(call) {
    const found = await check(deps, call, call.body);
    if (!found.ok) return found;
    return deps.storage.transaction(async (trx) => {
      const atMs = deps.clock.now();
      await noteProof(trx, call.caller.tokenId, atMs);
      await writeLog(trx, { ...byCaller(call, atMs), type: 'user.update', message: 'Showed who they are' });
      return success({ result: 'ok', until: String(atMs + proofMs) });
    });
  },
});
