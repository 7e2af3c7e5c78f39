import { type DeviceCredentials, otaResults } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { endpoints, type ServiceConnection } from './connection.ts';
import type { ServiceFailure } from './failures.ts';
import {
  dropRenewed,
  hasIdentity,
  type IdentityPair,
  identityFiles,
  promoteRenewed,
  renewedFiles,
  storeRenewed,
} from './identity.ts';
import type { DeviceFiles } from './ports.ts';

interface RenewalParts {
  readonly files: DeviceFiles;
  /** Makes requests over a connection that presents this pair. */
  readonly withPair: <T>(
    pair: IdentityPair,
    task: (connection: ServiceConnection) => Promise<Result<T, ServiceFailure>>,
  ) => Promise<Result<T, ServiceFailure>>;
}

/** A renewed pair is stored that the service may not have acknowledged. */
export const isRenewalOpen = (files: DeviceFiles): boolean => hasIdentity(files, renewedFiles);

/** Asks for a new pair with the one that is in use, and stores it beside that. */
export async function fetchRenewed(
  files: DeviceFiles,
  connection: ServiceConnection,
): Promise<Result<void, ServiceFailure>> {
  const issued = await connection.request(endpoints.renew, {});
  if (!issued.ok) return issued;
  const credentials: DeviceCredentials = issued.value;
  const stored = await storeRenewed(files, credentials);
  if (stored.ok) return stored;
  await dropRenewed(files);
  const message = `There is no room for a new certificate: ${stored.error}`;
  return failure({ result: otaResults.failed, message });
}

/**
 * Ends a renewal from wherever it stands: acknowledges the renewed pair, which thereby becomes the identity. The service
 * takes both pairs until it knows that, and the renewed one alone from then on; so whichever it takes is kept. A service
 * that cannot be reached leaves all as it is. The result says whether the renewed pair is the identity now; if not, it
 * is gone, or kept where the other pair is not taken either. Spec: MOD-ID-renew.
 */
export async function settleRenewal({ files, withPair }: RenewalParts): Promise<Result<boolean, ServiceFailure>> {
  const acknowledged = await withPair(renewedFiles, (connection) => connection.request(endpoints.acknowledge, {}));
  if (acknowledged.ok) {
    await promoteRenewed(files);
    return success(true);
  }
  if (acknowledged.error.result !== otaResults.unauthorised) return acknowledged;
  // Not this pair: it may have been taken back, or the device is disabled. What the other one gets tells the two apart.
  const known = await withPair(identityFiles, (connection) => connection.request(endpoints.info, {}));
  if (known.ok) await dropRenewed(files);
  return success(false);
}
