import { STATUS_CODES } from 'node:http';
import { type ErrorCode, errors, type Refusal, refusal } from '@moorage/api';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageTrouble } from '../core/storage-health.ts';

/** Status of a refusal; the device listener has a narrower set. */
export type StatusOf = (code: ErrorCode) => number;

/** The status of the error table. */
export const statusOf: StatusOf = (code) => errors[code].status;

/** The body of every refusal. Spec: API-ERR-4. Reference: api 2.1, 2.2. */
export const errorBody = (found: Refusal, status: number) => ({
  statusCode: status,
  error: STATUS_CODES[status] ?? 'Error',
  message: found.message,
  code: found.code,
  ...(found.validation && { validation: found.validation }),
});

/** Answers with a refusal, and the headers that belong to its status. */
export function sendRefusal(reply: FastifyReply, found: Refusal, status: number): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  // A body that will not be read would have to be taken in to its end before the next request.
  const { complete, headers, httpVersionMajor } = reply.request.raw;
  if (httpVersionMajor < 2 && !complete && (headers['content-length'] ?? headers['transfer-encoding'] ?? '0') !== '0') {
    reply.header('connection', 'close');
  }
  if (found.retryAfterS !== undefined) reply.header('retry-after', found.retryAfterS);
  return reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(found, status)));
}

const sources = { body: 'body', params: 'params', querystring: 'query', headers: 'headers' } as const;

/** What is wrong with a value, as the validator says it, and where it knows only a few values also which. */
function complaintOf(found: NonNullable<FastifyError['validation']>[number] | undefined): string {
  const allowed = found?.params.allowedValues;
  const said = found?.message ?? 'is not valid';
  if (!Array.isArray(allowed)) return said;
  return `${said}: ${allowed.map((value) => (value === '' ? 'nothing' : String(value))).join(', ')}`;
}

function validationRefusal(error: FastifyError, request: FastifyRequest): Refusal {
  const source = sources[error.validationContext as keyof typeof sources] ?? 'body';
  const [first] = error.validation ?? [];
  const path = first?.instancePath.split('/').slice(1) ?? [];
  const missing = first?.params.missingProperty;
  if (typeof missing === 'string') path.push(missing);
  const key = path.join('.');
  if (key === '' && source === 'body' && first?.keyword === 'type') {
    const detail = request.body === undefined ? 'The body is missing' : 'The body is not a JSON object';
    return refusal('INVALID_REQUEST', { detail }, { source, keys: [] });
  }
  const reason = typeof missing === 'string' ? 'is missing' : complaintOf(first);
  const detail = key === '' ? `The ${source} ${reason}` : `Field "${key}" of the ${source} ${reason}`;
  return refusal('INVALID_REQUEST', { detail }, { source, keys: key === '' ? [] : [key] });
}

type Translate = (error: FastifyError, request: FastifyRequest) => Refusal;

const invalid =
  (detail: string): Translate =>
  () =>
    refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [] });

/** What the HTTP layer itself refuses, as our refusals. */
const frameworkErrors: Readonly<Record<string, Translate>> = {
  FST_ERR_VALIDATION: validationRefusal,
  FST_ERR_CTP_INVALID_JSON_BODY: invalid('The body is not valid JSON'),
  FST_ERR_CTP_EMPTY_JSON_BODY: invalid('The body is empty'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: invalid('The body is not as long as Content-Length says'),
  FST_ERR_CTP_BODY_TOO_LARGE: (_, request) =>
    refusal('BODY_TOO_LARGE', { limitBytes: request.routeOptions.bodyLimit ?? 0 }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (_, request) =>
    refusal('WRONG_MEDIA_TYPE', { mediaType: request.headers['content-type'] ?? '' }),
  FST_ERR_BAD_URL: () => refusal('INVALID_REQUEST', { detail: 'The path is not a valid URL path' }),
  FST_ERR_MAX_PARAM_LENGTH: () => refusal('INVALID_REQUEST', { detail: 'A segment of the path is too long' }),
};

/** Seconds after which a storage that did not answer may do so again, and one that had too much to do. */
const awayRetryS = 5;
const busyRetryS = 2;

const retriable = (code: ErrorCode, retryAfterS: number): Refusal => ({
  ...refusal(code, { retryAfterS }),
  retryAfterS,
});

/** The storage cannot serve now; nothing is wrong with the request. Spec: API-ERR-503, API-ERR-507. */
export function storageRefusal({ kind, what }: StorageTrouble): Refusal {
  if (kind === 'full') return refusal('STORAGE_FULL', { what });
  return kind === 'away' ? retriable('STORAGE_AWAY', awayRetryS) : retriable('STORAGE_BUSY', busyRetryS);
}

/** What an error says of the storage; nothing when the storage has no part in it. */
export type StorageTroubleOf = (error: unknown) => StorageTrouble | undefined;

/**
 * The refusal for a thrown error. An unexpected one becomes INTERNAL: its cause goes to the log alone.
 *
 * @param troubleOf whether it says that the storage cannot serve now
 */
export function refusalOf(
  error: FastifyError,
  request: FastifyRequest,
  troubleOf: StorageTroubleOf = () => undefined,
): Refusal {
  const translate = frameworkErrors[error.code];
  if (translate) return translate(error, request);
  if (error.validation) return validationRefusal(error, request);
  // A few kilobytes of brackets are enough for it, wherever the body is walked through or written down.
  if (error instanceof RangeError && error.message.includes('call stack') && request.body !== undefined) {
    return refusal('INVALID_REQUEST', { detail: 'The body is nested too deeply' }, { source: 'body', keys: [] });
  }
  // What is left of 4xx is the parser's opinion of the request.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return refusal('INVALID_REQUEST', { detail: error.message });
  }
  const trouble = troubleOf(error);
  return trouble ? storageRefusal(trouble) : refusal('INTERNAL');
}
