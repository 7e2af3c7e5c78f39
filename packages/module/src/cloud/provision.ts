import { otaResults } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Flash } from '../device/flash-files.ts';
import { hasIdentity, identityFiles, storeIdentity, storePem } from './identity.ts';
import type { LinkRecord, RecordKeeper } from './record.ts';
import { type LinkFailure, type ProvisionStatus, provisionStatus } from './results.ts';
import { calls } from './service-client.ts';
import type { ServiceLine } from './service-line.ts';

interface ProvisionParts {
  readonly line: ServiceLine;
  readonly keeper: RecordKeeper;
  readonly flash: Flash;
  readonly uuid: string;
  readonly insecure: boolean;
}

/** Follows from what is stored: certificate and key in flash, the token in the record. */
export function statusOf(flash: Flash, { token, acknowledged }: LinkRecord): ProvisionStatus {
  const held = token !== undefined && !acknowledged;
  if (hasIdentity(flash)) return held ? provisionStatus.notAcknowledged : provisionStatus.complete;
  return held ? provisionStatus.tokenHeld : provisionStatus.noToken;
}

/** The provisioning exchange, from wherever it stands. Reference: wire 2.1. */
export async function provision(
  parts: ProvisionParts,
  token?: string,
  ca?: string,
): Promise<Result<void, LinkFailure>> {
  const { line, keeper, flash, uuid } = parts;
  if (ca !== undefined) await storePem(flash, identityFiles.ca, ca);
  if (token) await keeper.change({ token, acknowledged: undefined });
  const status = statusOf(flash, keeper.record);
  if (status === provisionStatus.complete) return success(undefined);
  const held = keeper.record.token;
  if (!held) return failure({ result: otaResults.badRequest, message: 'There is no provisioning token' });
  // A certificate from before a power cut only needs to be acknowledged, unless the service does not know it.
  if (!token && status === provisionStatus.notAcknowledged) {
    const acknowledged = await acknowledge(parts);
    if (acknowledged.ok || acknowledged.error.result !== otaResults.unauthorised) return acknowledged;
  }
  const issued = await line.ask(calls.provision, { body: { token: held, uuid: uuid.toLowerCase() } });
  if (!issued.ok) return issued;
  await storeIdentity(flash, issued.value);
  return acknowledge(parts);
}

async function acknowledge({ line, keeper, insecure }: ProvisionParts): Promise<Result<void, LinkFailure>> {
  const acknowledged = await line.ask(calls.acknowledge, {});
  if (!acknowledged.ok) return acknowledged;
  await keeper.change(insecure ? { acknowledged: true } : { token: undefined });
  return success(undefined);
}
