import { type ErrorCode, otaResults, type ReportedFailure } from '@moorage/api';
import { defined, failure, type Result, storeProblem } from '@moorage/base';
import type { NetFailure } from '@moorage/net';
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
  /** The service has not been reached, and why; `message` then has the words of the layer below. */
  readonly network?: NetFailure;
  /** Not the service's doing: the device could not join its network, or it is stopping. */
  readonly local?: true;
  /** In which way an update has failed; it is the download without it. */
  readonly kind?: ReportedFailure;
}

/** What the device itself says of a request that failed, with `{blanks}`. */
export const failureTexts = {
  unknownReply: 'The reply to {path} is not understood',
  noToken: 'There is no provisioning token',
  fileMissing: 'File "{path}" not found',
  fileUnreadable: '{name} cannot be read: {why}',
  noPlace: 'No place for {name}: {why}',
  fileInvalid: '{name} is not valid: {why}',
  identityFile: 'Bundle {version} has a file "{name}", which belongs to the device',
  badVersion: 'Version "{version}" of {name} is not a version',
  notInBundle: 'Bundle {version} has no file "{name}"',
  restarting: 'The device restarts',
  unhealthy: 'The device does not work with the update',
  storageFull: 'Storage full',
  storageFailed: 'Storage failed',
} as const;

const failureKinds: Readonly<Partial<Record<keyof typeof failureTexts, ReportedFailure>>> = {
  noPlace: 'install',
  fileInvalid: 'check',
  identityFile: 'check',
  badVersion: 'check',
};

/** A failure in the words of the device; a general one unless `result` says otherwise. */
export function ownFailure(
  key: keyof typeof failureTexts,
  blanks: Readonly<Record<string, string | number>> = {},
  result: OtaResultCode = otaResults.failed,
): Result<never, ServiceFailure> {
  const message = failureTexts[key].replace(/\{(\w+)\}/g, (_, name: string) => String(blanks[name]));
  const kind = failureKinds[key];
  return failure({ result, message, ...(kind && { kind }) });
}

/** What a task comes to. A store that fails is one of its failures: it never ends the program. */
export async function withStore<T>(task: () => Promise<Result<T, ServiceFailure>>): Promise<Result<T, ServiceFailure>> {
  try {
    return await task();
  } catch (cause) {
    const problem = storeProblem(cause);
    if (problem === undefined) throw cause;
    return ownFailure(problem === 'full' ? 'storageFull' : 'storageFailed');
  }
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

/** The service does not take the device's identity. */
const identityRefusals: readonly string[] = [
  'DEVICE_NOT_IDENTIFIED',
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_REPLACED',
  'DEVICE_DISABLED',
] satisfies ErrorCode[];

/** The service has answered, whatever it was, and takes the device's identity. */
export function isAnswered({ code, local, result }: ServiceFailure): boolean {
  if (code !== undefined) return !identityRefusals.includes(code);
  return !local && result !== otaResults.unreachable && result !== otaResults.unauthorised;
}

/** Result code and text of a request that failed. Reference: wire 4.1. */
export function httpFailure(error: HttpFailure): ServiceFailure {
  if (error.kind === 'unreachable') {
    const { detail: message, network } = error;
    return { result: otaResults.unreachable, message, ...defined({ network }) };
  }
  if (error.kind === 'malformed') return { result: otaResults.failed, message: error.detail };
  const { status, message, code } = error;
  return { result: resultOfStatus(status), message, ...defined({ code }) };
}
