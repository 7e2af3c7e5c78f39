import { otaResults } from '@moorage/api';
import type { HttpFailure } from '@moorage/net/http/client';
import type { JoinFailure } from '../wlan/join-table.ts';

/** Values of `dms.ota_result`. Spec: MOD-OTA-result. */
export type OtaResultCode = (typeof otaResults)[keyof typeof otaResults];

/** Values of `dms.provision.status`. Spec: MOD-VAR-dms.provision.status. */
export const provisionStatus = {
  noToken: 0,
  tokenHeld: 1,
  notAcknowledged: 2,
  complete: 3,
} as const;

export type ProvisionStatus = (typeof provisionStatus)[keyof typeof provisionStatus];

/** Why a call of the service came to nothing: the code for the variable, the text for the log line. */
export interface LinkFailure {
  readonly result: OtaResultCode;
  readonly message: string;
  /** The service's own code of the refusal. */
  readonly code?: string;
  /** The module has printed why in other lines. */
  readonly printed?: true;
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

/** Result code and text of a call to the service that failed. Reference: wire 4.1. */
export function httpFailure(error: HttpFailure): LinkFailure {
  if (error.kind === 'unreachable') return { result: otaResults.unreachable, message: error.detail };
  if (error.kind === 'malformed') return { result: otaResults.failed, message: error.detail };
  const { status, message, code } = error;
  return { result: resultOfStatus(status), message, ...(code !== undefined && { code }) };
}

export const joinFailure = (reason: JoinFailure): LinkFailure => ({
  result: reason === 'no-ssid' || reason === 'no-passkey' ? otaResults.noCredentials : otaResults.joinFailed,
  message: `The network is not joined: ${reason}`,
  printed: true,
});
