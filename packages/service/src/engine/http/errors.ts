import { STATUS_CODES } from 'node:http';
import { type EndpointShape, type ErrorCode, errors, type Refusal, refusal } from '@moorage/api';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageTrouble } from '../stores/health.ts';
import { takeOver } from './answer-headers.ts';
import { answerAndLinger, isStillSent } from './linger.ts';

/** Status of a refusal; the device listener has a narrower set. */
export type StatusOf = (code: ErrorCode) => number;

/** The status of the error table. */
export const statusOf: StatusOf = (code) => errors[code].status;

/** What the device listener refuses with 400 since it has no other status for it. */
const unsaid: Refusal['validation'] = { source: 'body', keys: [] };

/** The body of every refusal; with status 400 it says what is wrong with the request. Spec: API-ERR-4. Reference: api 2.1, 2.2. */
export function errorBody({ message, code, validation, challenge }: Refusal, status: number) {
  const wrong = validation ?? (status === 400 ? unsaid : undefined);
  const error = STATUS_CODES[status] ?? 'Error';
  return {
    statusCode: status,
    error,
    message,
    code,
    ...(wrong && { validation: wrong }),
    ...(challenge && { challenge }),
  };
}

/** The statuses of an endpoint: those of its listener, or those of the error table where its clients know them. */
export const statusesOf = (
  { hasAllStatuses }: Pick<EndpointShape, 'hasAllStatuses'>,
  ofListener: StatusOf,
): StatusOf => (hasAllStatuses ? statusOf : ofListener);

/** Answers with a refusal, and the headers that belong to its status. */
export function sendRefusal(reply: FastifyReply, found: Refusal, status: number): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (found.retryAfterS !== undefined) reply.header('retry-after', found.retryAfterS);
  const body = JSON.stringify(errorBody(found, status));
  reply.code(status).header('content-type', 'application/json; charset=utf-8');
  const { raw } = reply.request;
  if (!isStillSent(raw)) return reply.send(body);
  // A body that will not be read would have to be taken in to its end before the next request.
  reply.headers({ connection: 'close', 'content-length': Buffer.byteLength(body) });
  const response = takeOver(reply);
  response.statusCode = status;
  answerAndLinger(raw, response, body);
  return reply;
}

const sources = { body: 'body', params: 'params', querystring: 'query', headers: 'headers' } as const;

/** Every wrong field of one part of a request, named in one sentence and in a list. Spec: API-RULE-payload-1. */
function validationRefusal(error: FastifyError, request: FastifyRequest): Refusal {
  const source = sources[error.validationContext as keyof typeof sources] ?? 'body';
  if (source === 'body' && (typeof request.body !== 'object' || request.body === null || Array.isArray(request.body))) {
    const detail = request.body === undefined ? 'The body is missing' : 'The body is not a JSON object';
    return refusal('INVALID_REQUEST', { detail }, { source, keys: [] });
  }
  const problems = (error.validation ?? []).map(({ params, message }) => ({
    key: [params.path].flat().join('.'),
    said: message ?? 'is not valid',
  }));
  const detail = problems
    .map(({ key, said }) => (key === '' ? `The ${source} ${said}` : `Field "${key}" of the ${source} ${said}`))
    .join('; ');
  const keys = [...new Set(problems.map(({ key }) => key))].filter((key) => key !== '');
  return refusal('INVALID_REQUEST', { detail }, { source, keys });
}

type Translate = (error: FastifyError, request: FastifyRequest) => Refusal;

const invalid =
  (detail: string, source: 'body' | 'params' = 'body'): Translate =>
  () =>
    refusal('INVALID_REQUEST', { detail }, { source, keys: [] });

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
  FST_ERR_BAD_URL: invalid('The path is not a valid URL path', 'params'),
  FST_ERR_MAX_PARAM_LENGTH: invalid('A segment of the path is too long', 'params'),
};

/** Seconds after which a storage that did not answer may do so again, and one that had too much to do. */
const awayRetryS = 5;
const busyRetryS = 2;

/** The storage cannot serve now; nothing is wrong with the request. Spec: API-ERR-503, API-ERR-507. */
function storageRefusal({ kind, what }: StorageTrouble): Refusal {
  if (kind === 'full') return refusal('STORAGE_FULL', { what });
  if (kind === 'damaged') return refusal('STORAGE_DAMAGED', { what });
  const retryAfterS = kind === 'away' ? awayRetryS : busyRetryS;
  const found =
    kind === 'away' ? refusal('STORAGE_AWAY', { what, retryAfterS }) : refusal('STORAGE_BUSY', { retryAfterS });
  return { ...found, retryAfterS };
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
  // A few kilobytes of brackets are enough for it, wherever the body is walked through: the framework gives it a code, too.
  if (error instanceof RangeError && error.message.includes('call stack') && request.body !== undefined) {
    return refusal('INVALID_REQUEST', { detail: 'The body is nested too deeply' }, { source: 'body', keys: [] });
  }
  const translate = frameworkErrors[error.code];
  if (translate) return translate(error, request);
  if (error.validation) return validationRefusal(error, request);
  // What is left of 4xx is the parser's opinion of the request.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return refusal('INVALID_REQUEST', { detail: error.message }, { source: 'headers', keys: [] });
  }
  const trouble = troubleOf(error);
  return trouble ? storageRefusal(trouble) : refusal('INTERNAL');
}
