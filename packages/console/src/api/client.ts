import {
  type AnswerOf,
  type CallFailure,
  type Client,
  callUrl,
  consoleHeader,
  createClient,
  type EndpointName,
  type ErrorCode,
  endpointNamed,
  type InputOf,
  isBinary,
  type Reply,
} from '@moorage/api';
import { t } from '../texts/shell.ts';

/** A refused call, or one that did not reach the service (status 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Fields of the request that the refusal is about. */
  readonly fields: readonly string[];
  /** What a login that wants a second factor is finished with. */
  readonly challenge: string | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    fields: readonly string[] = [],
    challenge: string | undefined = undefined,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.challenge = challenge;
  }
}

const unreachable = (cause: unknown): ApiError =>
  Object.assign(new ApiError(0, 'UNREACHABLE', t.serviceCannotBeReached), { cause });

/** What a call may find of the session: it is over, or it may only set up a second factor from now on. */
type Found = 'over' | 'limited';

let sessionChanged = (_found: Found): void => {};

/** The one listener for calls that find that the session is not what it was. */
export function onSessionChanged(listener: (found: Found) => void): void {
  sessionChanged = listener;
}

let askForProof: () => Promise<boolean> = async () => false;

/** What asks the user to show who they are, before the call that wants it is made again; false when they will not. */
export function onProofNeeded(ask: () => Promise<boolean>): void {
  askForProof = ask;
}

/** A wrong password is another refusal of the same status. */
function refused({ status, body }: CallFailure): ApiError {
  if (body.code === ('UNAUTHENTICATED' satisfies ErrorCode)) sessionChanged('over');
  if (body.code === ('SECOND_FACTOR_NEEDED' satisfies ErrorCode)) sessionChanged('limited');
  return new ApiError(status, body.code, body.message, body.validation?.keys ?? [], body.challenge);
}

/** Every request says that it comes from a page of the console; the session's cookie goes along by itself. */
function clientFor(signal?: AbortSignal, ifMatch?: string): Client {
  return createClient({
    baseUrl: '',
    fetch(url, init) {
      const headers = new Headers(init.headers);
      headers.set(consoleHeader.name, consoleHeader.value);
      if (ifMatch !== undefined) headers.set('if-match', ifMatch);
      return fetch(url, { ...init, headers, credentials: 'same-origin', ...(signal && { signal }) });
    },
  });
}

/** What a call has brought, and from where. */
export interface Answer<N extends EndpointName> extends Reply<AnswerOf<N>> {
  readonly address: string;
}

/**
 * Calls an endpoint of the contract under its name.
 *
 * @param ifMatch the ETag of the record as it was read: a change of what others have changed since is refused (412)
 *
 * @throws {ApiError} when the service refuses or cannot be reached; a DOMException when `signal` has ended it
 */
export async function call<N extends EndpointName>(
  name: N,
  input: InputOf<N>,
  signal?: AbortSignal,
  ifMatch?: string,
): Promise<Answer<N>> {
  const client = clientFor(signal, ifMatch);
  // Safe: `InputOf` and `AnswerOf` are what the client's own signature makes of the name.
  const loose = client.call as (name: N, input: InputOf<N>) => ReturnType<Client['call']>;
  const send = () =>
    loose(name, input).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw unreachable(error);
    });
  let result = await send();
  const needsProof = !result.ok && result.error.body.code === ('PROOF_NEEDED' satisfies ErrorCode);
  if (needsProof && (await askForProof())) result = await send();
  if (!result.ok) throw refused(result.error);
  return { ...(result.value as Reply<AnswerOf<N>>), address: addressOf(name, input) };
}

export interface UploadOptions {
  /** Called with the share that has been sent, 0 to 1. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** The refusal in an answer, as far as it has one. */
function refusalIn(status: number, text: string): ApiError {
  try {
    return refused({ status, body: JSON.parse(text) });
  } catch {
    return new ApiError(status, 'UNKNOWN', text.slice(0, 200) || t.serviceAnsweredWithStatus(status));
  }
}

/**
 * Calls an endpoint that takes a large body, and reports how much of it is gone; `fetch` cannot.
 *
 * @throws {ApiError} as `call`
 */
export function upload<N extends EndpointName>(
  name: N,
  input: InputOf<N> & { readonly body?: unknown },
  { onProgress, signal }: UploadOptions = {},
): Promise<AnswerOf<N>> {
  const shape = endpointNamed(name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.open(shape.method, addressOf(name, input));
    request.setRequestHeader(consoleHeader.name, consoleHeader.value);
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 200) resolve(JSON.parse(request.responseText) as AnswerOf<N>);
      else reject(refusalIn(request.status, request.responseText));
    };
    request.onerror = () => reject(unreachable(undefined));
    request.onabort = () => reject(new DOMException(t.uploadWasCancelled, 'AbortError'));
    request.onloadend = () => signal?.removeEventListener('abort', abort);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) return abort();
    if (isBinary(shape.body)) {
      if (!(input.body instanceof Blob && input.body.type !== '')) {
        request.setRequestHeader('content-type', shape.body.mediaType);
      }
      // Safe: the type of the input asks for this of endpoints with binary bodies.
      request.send(input.body as Blob);
    } else {
      request.setRequestHeader('content-type', 'application/json');
      request.send(JSON.stringify(input.body));
    }
  });
}

/** The address of a GET endpoint, for links, images and event streams: the cookie goes along with those, too. */
export const addressOf = <N extends EndpointName>(name: N, input: InputOf<N>): string =>
  // Safe: every input is an object with at most these.
  callUrl(endpointNamed(name), input as { params?: Record<string, unknown>; query?: Record<string, unknown> });
