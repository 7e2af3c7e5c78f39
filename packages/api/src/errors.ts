import type { ErrorStatus } from './endpoint.ts';

interface ErrorRow {
  readonly status: ErrorStatus;
  /** Sentence case, active voice, no final period; `{name}` is filled in by the refusal. */
  readonly message: string;
}

/**
 * Every refusal of the service: stable code, status and text. Codes are never reused for another meaning.
 * docs/generated/errors.md is made from this table. Spec: API-ERR-*.
 */
export const errors = {
  INVALID_REQUEST: { status: 400, message: '{detail}' },
  INVALID_VERSION: { status: 400, message: 'Version "{version}" is not four dot-separated numbers of 0 to 65535' },
  INVALID_BASE64: { status: 400, message: 'Field "{field}" is not valid base64' },
  INVALID_DEVICE_UUID: { status: 400, message: 'Field "uuid" is not 40 hexadecimal digits' },
  WRONG_LOGIN: { status: 401, message: 'User name or password is wrong' },
  UNAUTHENTICATED: { status: 401, message: 'A valid bearer token is required' },
  FORBIDDEN: { status: 403, message: 'You may not {action}' },
  NOT_FOUND: { status: 404, message: '{what} not found' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'Method {method} is not allowed here' },
  DUPLICATE: { status: 409, message: '{what} "{value}" exists already' },
  BODY_TOO_LARGE: { status: 413, message: 'The body is over the limit of {limitBytes} bytes' },
  WRONG_MEDIA_TYPE: { status: 415, message: 'Media type "{mediaType}" is not accepted here' },
  RANGE_NOT_SATISFIABLE: { status: 416, message: 'The range is outside the {sizeBytes} bytes of the file' },
  TOO_MANY_LOGINS: { status: 429, message: 'Too many failed logins; try again in {retryAfterS} seconds' },
  INTERNAL: { status: 500, message: 'The service failed; the log has the cause under this request id' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** A refused request, as handlers and rules return it. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** Which fields of which part of the request are wrong (status 400). */
  readonly validation?: { readonly source: 'params' | 'query' | 'body' | 'headers'; readonly keys: readonly string[] };
}

/** Makes a refusal from its row, filling the blanks of the message. */
export function refusal(
  code: ErrorCode,
  blanks: Readonly<Record<string, string | number>> = {},
  validation?: Refusal['validation'],
): Refusal {
  const message = errors[code].message.replace(/\{(\w+)\}/g, (blank, name: string) => String(blanks[name] ?? blank));
  return { code, message, ...(validation && { validation }) };
}
