import { otaResults } from '@moorage/api';
import { type Result, success } from '@moorage/base';
import type { ServiceAccess } from './access.ts';
import { endpoints } from './connection.ts';
import { ownFailure, type ProvisionStatus, provisionStatus, type ServiceFailure } from './failures.ts';
import { hasIdentity, identityFiles, storeIdentity, storePem } from './identity.ts';
import type { DeviceFiles } from './ports.ts';
import type { ClientRecord, RecordKeeper } from './record.ts';

interface ProvisionParts {
  readonly access: ServiceAccess;
  readonly keeper: RecordKeeper;
  readonly files: DeviceFiles;
  readonly uuid: string;
  /** Without TLS the token goes on to identify the device. */
  readonly insecure: boolean;
}

/** Follows from what is stored: certificate and key among the files, the token in the record. */
export function statusOf(files: DeviceFiles, { token, acknowledged }: ClientRecord): ProvisionStatus {
  const held = token !== undefined && !acknowledged;
  if (hasIdentity(files)) return held ? provisionStatus.notAcknowledged : provisionStatus.complete;
  return held ? provisionStatus.tokenHeld : provisionStatus.noToken;
}

/** The provisioning exchange, from wherever it stands. Reference: wire 2.1. */
export async function provision(
  parts: ProvisionParts,
  token?: string,
  ca?: string,
): Promise<Result<void, ServiceFailure>> {
  const { access, keeper, files, uuid } = parts;
  if (ca !== undefined) await storePem(files, identityFiles.ca, ca);
  if (token) await keeper.change({ token, acknowledged: undefined });
  const status = statusOf(files, keeper.record);
  if (status === provisionStatus.complete) return success(undefined);
  const held = keeper.record.token;
  if (!held) return ownFailure('noToken', {}, otaResults.badRequest);
  // A certificate from before a power cut only needs to be acknowledged, unless the service does not know it.
  if (!token && status === provisionStatus.notAcknowledged) {
    const acknowledged = await acknowledge(parts);
    if (acknowledged.ok || acknowledged.error.result !== otaResults.unauthorised) return acknowledged;
  }
  const issued = await access.request(endpoints.provision, { body: { token: held, uuid: uuid.toLowerCase() } });
  if (!issued.ok) return issued;
  await storeIdentity(files, issued.value);
  return acknowledge(parts);
}

async function acknowledge({ access, keeper, insecure }: ProvisionParts): Promise<Result<void, ServiceFailure>> {
  const acknowledged = await access.request(endpoints.acknowledge, {});
  if (!acknowledged.ok) return acknowledged;
  await keeper.change(insecure ? { acknowledged: true } : { token: undefined });
  return success(undefined);
}
