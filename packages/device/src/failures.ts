import { otaResults } from '@moorage/api';
import type { HttpFailure } from '@moorage/net/http/client';

/** What an update came to, or a request. Spec: MOD-OTA-result. */
export type OtaResultCode = (typeof otaResults)[keyof typeof otaResults];

/** How far provisioning has come. Spec: MOD-VAR-dms.provision.status. */
export const provisionStatus = {
  noToken: 0,
  tokenHeld: 1,
  notAcknowledged: 2,
  complete: 3,
} as const;

export type ProvisionStatus = (typeof provisionStatus)[keyof typeof provisionStatus];

/** Why a request to the service failed; `message` says it in words. */
export interface ServiceFailure {
  readonly result: OtaResultCode;
  readonly message: string;
  /** The service's own code of the refusal. */
  readonly code?: string;
  /** Not the service's doing: the device could not join its network, or it is stopping. */
  readonly local?: true;
}

const statusResults: Readonly<Record<number, OtaResultCode>> = {
  400: otaResults.badRequest,
  401: otaResults.unauthorised,
  403: otaResults.unauthorised,
  404: otaResults.notFound,
};

/** Spec: MOD-OTA-result. Statuses that the device listener does not use count by their class. */
function resultOfStatus(status: number): OtaResultCode {
  if (status >= 500) return otaResults.unreachable;
  return statusResults[status] ?? (status >= 400 ? otaResults.badRequest : otaResults.failed);
}

/** The service has understood and said no: asking again would bring the same. */
export const isRefusal = ({ result }: ServiceFailure): boolean =>
  result === otaResults.unauthorised || result === otaResults.badRequest || result === otaResults.notFound;

/** Result code and text of a request that failed. Reference: wire 4.1. */
export function httpFailure(error: HttpFailure): ServiceFailure {
  if (error.kind === 'unreachable') return { result: otaResults.unreachable, message: error.detail };
  if (error.kind === 'malformed') return { result: otaResults.failed, message: error.detail };
  const { status, message, code } = error;
  return { result: resultOfStatus(status), message, ...(code !== undefined && { code }) };
}
