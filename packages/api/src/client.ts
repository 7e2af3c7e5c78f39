import { failure, type Result, success } from '@moorage/base';
import type { Static } from 'typebox';
import { type Contract, contract } from './contract.ts';
import { type BodyOf, type EndpointShape, isBinary, type ParamsOf, type QueryOf, type ReplyOf } from './endpoint.ts';
import type { ErrorBody } from './fields.ts';

/** Names of endpoints: `devices.get`, `bundles.setTag`, … */
export type EndpointName = {
  [R in keyof Contract & string]: `${R}.${keyof Contract[R] & string}`;
}[keyof Contract & string];

type EndpointOf<Name extends EndpointName> = Name extends `${infer R}.${infer A}`
  ? R extends keyof Contract
    ? A extends keyof Contract[R]
      ? Contract[R][A] extends EndpointShape
        ? Contract[R][A]
        : never
      : never
    : never
  : never;

type Present<Key extends string, T> = [T] extends [undefined]
  ? { readonly [K in Key]?: undefined }
  : Record<never, never> extends T
    ? { readonly [K in Key]?: T }
    : { readonly [K in Key]: T };

/** What `fetch` takes as a body. */
type UploadBody = NonNullable<RequestInit['body']>;

type RequestBody<E extends EndpointShape> = E extends { body: { binary: true } } ? UploadBody : BodyOf<E>;

/** What a call takes: what the endpoint's entry declares. */
export type CallInput<E extends EndpointShape> = Present<'params', ParamsOf<E>> &
  Present<'query', QueryOf<E>> &
  Present<'body', RequestBody<E>>;

type CallReply<E extends EndpointShape> = E extends { reply: { binary: true } } ? Uint8Array : ReplyOf<E>;

/** What a call of this name takes, and what it answers. */
export type InputOf<Name extends EndpointName> = CallInput<EndpointOf<Name>>;
export type AnswerOf<Name extends EndpointName> = CallReply<EndpointOf<Name>>;

/** A refused call: the status and the service's error body, or what came instead of one. */
export interface CallFailure {
  readonly status: number;
  readonly body: Static<typeof ErrorBody>;
}

/** What a call has brought. */
export interface Reply<T> {
  readonly value: T;
  /** Of a list: how many items there are in all. */
  readonly total: number | undefined;
  readonly headers: Headers;
}

/** Where a client calls, and as whom. */
export interface ClientOptions {
  /** Where the service is, without `/api`. */
  readonly baseUrl: string;
  /** Bearer value of the caller; without one only endpoints for everybody answer. */
  readonly token?: string | undefined;
  /** The host's own when absent. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** Calls of the service, typed by the contract. */
export interface Client {
  /**
   * Calls an endpoint of the contract. A refusal of the service is returned; that it cannot be reached is thrown, as
   * `fetch` does.
   */
  call<Name extends EndpointName>(
    name: Name,
    ...input: Record<never, never> extends CallInput<EndpointOf<Name>>
      ? [input?: CallInput<EndpointOf<Name>>]
      : [input: CallInput<EndpointOf<Name>>]
  ): Promise<Result<Reply<CallReply<EndpointOf<Name>>>, CallFailure>>;
  /** The same client with another bearer value. */
  as(token: string | undefined): Client;
}

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** The address of a call: the contract's path with its blanks filled, and the query. */
export function callUrl(shape: EndpointShape, { params = {}, query = {} }: Omit<LooseInput, 'body'>): string {
  const path = shape.path.replace(/\/?\{(\w+)([*?]?)\}/g, (blank, name: string, kind: string) => {
    const value = params[name];
    if (value === undefined) return kind === '' ? blank : '';
    const slash = blank.startsWith('/') ? '/' : '';
    const segments = kind === '*' ? String(value).split('/') : [String(value)];
    return slash + segments.map(encodeURIComponent).join('/');
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
}

/** The entry of the contract under a name. @throws {Error} when there is none */
export const endpointNamed = (name: string): EndpointShape => {
  const [resource = '', action = ''] = name.split('.');
  const actions: Readonly<Record<string, EndpointShape>> | undefined = contract[resource as keyof Contract];
  const shape = actions?.[action];
  if (!shape) throw new Error(`The contract has no endpoint "${name}"`);
  return shape;
};

async function refused(response: Response): Promise<CallFailure> {
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    // Something between us and the service answered.
    const { status, statusText } = response;
    return { status, body: { statusCode: status, error: statusText, message: text.slice(0, 200), code: 'UNKNOWN' } };
  }
}

/** A client of the service whose calls are typed by the contract. */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, token, fetch = globalThis.fetch } = options;

  async function call(name: string, input: LooseInput = {}): Promise<Result<Reply<unknown>, CallFailure>> {
    const shape = endpointNamed(name);
    const headers = new Headers();
    if (token !== undefined && shape.auth === 'bearer') headers.set('authorization', `Bearer ${token}`);
    const init: RequestInit & { duplex?: 'half' } = { method: shape.method, headers };
    if (isBinary(shape.body)) {
      // A Blob knows its own media type, and a form its boundary: there `fetch` sets the header.
      const saysItself = input.body instanceof FormData || (input.body instanceof Blob && input.body.type !== '');
      if (!saysItself) headers.set('content-type', shape.body.mediaType);
      // Safe: the type of `call` asks for this of endpoints with binary bodies.
      init.body = input.body as UploadBody;
      init.duplex = 'half';
    } else if (input.body !== undefined) {
      headers.set('content-type', 'application/json');
      init.body = JSON.stringify(input.body);
    }
    const response = await fetch(baseUrl.replace(/\/$/, '') + callUrl(shape, input), init);
    if (!response.ok) return failure(await refused(response));
    const total = response.headers.get('x-total-count');
    const value = isBinary(shape.reply) ? new Uint8Array(await response.arrayBuffer()) : await response.json();
    return success({ value, total: total === null ? undefined : Number(total), headers: response.headers });
  }

  return {
    // Safe: the service serialises replies by the entry that the reply's type derives from.
    call: call as Client['call'],
    as: (other) => createClient({ ...options, token: other }),
  };
}
