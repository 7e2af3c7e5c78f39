import { type DeviceCredentials, otaResults } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import {
  dropRenewed,
  hasIdentity,
  type IdentityPair,
  identityFiles,
  promoteRenewed,
  renewedFiles,
  storeRenewed,
} from './identity.ts';
import type { LinkFailure } from './results.ts';
import { calls, type ServiceClient } from './service-client.ts';

export interface RenewalParts {
  readonly flash: Flash;
  /** Makes calls over a connection that shows this pair. */
  readonly withPair: <T>(
    pair: IdentityPair,
    task: (client: ServiceClient) => Promise<Result<T, LinkFailure>>,
  ) => Promise<Result<T, LinkFailure>>;
}

/** How the renewed pair that was found ended: it is the identity now, or it is gone. */
export type Settled = 'renewed' | 'dropped' | 'kept';

/** A renewed pair is stored that the service may not have heard of. */
export const isRenewalOpen = (flash: Flash): boolean => hasIdentity(flash, renewedFiles);

/** Asks for a new pair with the one that is in use, and stores it beside that. */
export async function fetchRenewed(flash: Flash, client: ServiceClient): Promise<Result<void, LinkFailure>> {
  const issued = await client.call(calls.renew, {});
  if (!issued.ok) return issued;
  const credentials: DeviceCredentials = issued.value;
  const stored = await storeRenewed(flash, credentials);
  if (stored.ok) return stored;
  await dropRenewed(flash);
  const message = `The flash has no room for a new certificate: ${stored.error}`;
  return failure({ result: otaResults.failed, message });
}

/**
 * Ends a renewal from wherever it stands: acknowledges the renewed pair, which thereby becomes the identity. The service
 * takes both pairs until it hears that, and the renewed one alone from then on; so whichever it takes is kept. A service
 * that cannot be reached leaves all as it is. Spec: MOD-ID-renew.
 */
export async function settleRenewal({ flash, withPair }: RenewalParts): Promise<Result<Settled, LinkFailure>> {
  const heard = await withPair(renewedFiles, (client) => client.call(calls.acknowledge, {}));
  if (heard.ok) {
    await promoteRenewed(flash);
    return success('renewed');
  }
  if (heard.error.result !== otaResults.unauthorised) return heard;
  // Not this pair: it may have been taken back, or the device is disabled. What the other one gets tells the two apart.
  const known = await withPair(identityFiles, (client) => client.call(calls.info, {}));
  if (!known.ok) return success('kept');
  await dropRenewed(flash);
  return success('dropped');
}
