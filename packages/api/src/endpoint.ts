import type { Static, TObject, TSchema } from 'typebox';

/** Statuses that a refusal may carry. Reference: api 2.2. */
export type ErrorStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 409
  | 410
  | 412
  | 413
  | 415
  | 416
  | 429
  | 500
  | 502
  | 503
  | 504
  | 507;

/** Largest JSON body, in bytes: a base64 resource of about 12 MiB. Reference: api 2.3. Spec: API-LIMIT-json. */
export const jsonBodyLimitBytes = 16 * 1024 * 1024;

/** Largest JSON body of an unknown client, in bytes: their frames and forms are far smaller. */
export const strangerBodyLimitBytes = 512 * 1024;

/** Who may call: anyone, a user with a bearer token, a device with its certificate, or one with what its protocol shows. */
export type Authentication = 'none' | 'bearer' | 'device' | 'door';

/** A body or reply that is bytes, not JSON. */
export interface Binary {
  readonly binary: true;
  readonly mediaType: string;
}

/**
 * Fields by which a request names a thing that belongs to a product: `identifier` and `id` are of a device,
 * `device_ids` of several.
 */
export const productFields = [
  'product_id',
  'bundle_id',
  'connector_id',
  'segment_id',
  'rule_id',
  'alert_id',
  'rollout_id',
  'device_id',
  'identifier',
  'id',
  'device_ids',
] as const;
export type ProductField = (typeof productFields)[number];

/** What tokens may be for; `all` is every one of them, and each of the others reads. Spec: API-RULE-token-3. */
export const tokenScopes = ['all', 'read', 'operate', 'publish', 'administer'] as const;
export type TokenScope = (typeof tokenScopes)[number];

/**
 * What a token that is limited to products may do with an endpoint: nothing (`closed`), all that its user may since it
 * is about no product (`open`), or what the fields of this list name, each a thing of its products. Spec: API-RULE-token-4.
 */
export type Limited = 'closed' | 'open' | readonly ProductField[];

/**
 * Who may call: the row of the service's table of rights that decides, several where it depends on what is sent; or
 * everybody, each of what they may see (`filtered`). Spec: API-RULE-access-1.
 */
export type Access = 'filtered' | `${string}.${string}` | readonly `${string}.${string}`[];

/**
 * What of a change is kept for good, and why nothing where nothing is: what kind of thing it is about, and where its id
 * stands. That is a parameter of the path, the id of the caller, what the handler says to have `made`, or what the row
 * of the log names (`logged`, of changes of many devices); without one it is about no single thing. Spec: API-RULE-audit-1.
 */
export type Audit =
  | { readonly none: string }
  | {
      readonly what: string;
      readonly id?: 'caller' | 'made' | 'logged' | `params.${string}`;
      /** The endpoint of the same resource that reads what is changed. */
      readonly read?: string;
    };

/**
 * When the caller has to have proved lately who they are: for each request, by the password that its body has, or in a
 * case that the handler knows. Spec: API-RULE-proof-1.
 */
export type Proof = 'always' | 'in the body' | { readonly when: string };

/**
 * One endpoint, as data: routes, validation, types of handlers, the OpenAPI document and the client derive from it.
 * Paths are spelled as in the specification: `{name}`, `{name*}` for the rest of the path, `{name?}` for an optional end.
 */
export interface EndpointShape {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Ids of the clauses in docs/spec-index.md that this endpoint implements. */
  readonly spec: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: Authentication;
  /** The scope that a token needs; `read` for a GET without it. What makes credentials or gives them away needs `all`. */
  readonly scope?: TokenScope;
  readonly limited?: Limited;
  readonly proof?: Proof;
  readonly access?: Access;
  readonly audit?: Audit;
  /** Open to a session whose account lacks the second factor that the service wants: it leads to one, or out. Spec: API-RULE-factor-4. */
  readonly withoutFactor?: boolean;
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TSchema | Binary;
  /** Longest JSON body, where it is not `jsonBodyLimitBytes`. */
  readonly bodyLimitBytes?: number;
  /** The body of a 200 reply. */
  readonly reply: TSchema | Binary;
  /** The text of the JSON body is kept as it came, for a signature over it. */
  readonly signed?: boolean;
  /** A list: the reply is an array, with X-Total-Count and Link headers. */
  readonly paged?: boolean;
  /** Statuses of refusals, beside 500. */
  readonly errors: readonly ErrorStatus[];
}

/** The scope that a token needs for an endpoint; none for one that no token is shown to. Spec: API-RULE-token-3. */
export const scopeOf = ({ scope, auth }: Pick<EndpointShape, 'scope' | 'auth'>): TokenScope | undefined =>
  scope ?? (auth === 'bearer' ? 'read' : undefined);

/** Whether a token with these scopes may do what needs that one: each of them reads. */
export const grants = (scopes: readonly TokenScope[], needed: TokenScope): boolean =>
  needed === 'read' || scopes.includes('all') || scopes.includes(needed);

/** An entry that says all that has no safe default: who may call it, what tokens may do with it, what is kept of a change. */
export type DeclaredEndpoint = EndpointShape &
  ({ readonly auth: 'none' } | Required<Pick<EndpointShape, 'limited' | 'access'>>) &
  (
    | { readonly method: 'GET' }
    | ({ readonly audit: Audit } & ({ readonly auth: 'none' } | { readonly scope: TokenScope }))
  );

/** The only statuses that a module has result codes for; every other refusal is turned into one. Spec: API-DEV-status. */
export const deviceRouteErrors = [400, 403, 404] as const;
export const deviceListenerTag = 'Device listener';

/** Declares an endpoint and keeps its exact type. */
export const endpoint = <const E extends EndpointShape>(shape: E): E => shape;

type Shared = Pick<EndpointShape, 'tag' | 'auth'> & Partial<EndpointShape>;
type Entry<S> = Omit<EndpointShape, keyof S> & Partial<EndpointShape>;

/** Declares the endpoints of a resource and keeps their exact types; what they have in common is written once. */
export const endpoints = <const S extends Shared, const E extends Readonly<Record<string, Entry<S>>>>(
  shared: S,
  entries: E,
) =>
  // Safe: the same names, each with the fields of both.
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { ...shared, ...entry }])) as unknown as {
    readonly [Name in keyof E]: Omit<S, keyof E[Name]> & E[Name];
  };

/** Whether a body or reply is bytes; none is not. */
export const isBinary = (body: TSchema | Binary | undefined): body is Binary =>
  body !== undefined && 'binary' in body && body.binary === true;

/** Bytes of a media type: those of a file where the contract does not know better. */
export const binary = (mediaType = 'application/octet-stream'): Binary => ({ binary: true, mediaType });

/** Whether a body may be left out: a JSON one of which every field is optional. */
export const mayBeAbsent = (body: TSchema | Binary): boolean => 'properties' in body && !('required' in body);

type Parsed<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type ParamsOf<E extends EndpointShape> = Parsed<E['params'], Record<never, never>>;
export type QueryOf<E extends EndpointShape> = Parsed<E['query'], Record<never, never>>;
export type BodyOf<E extends EndpointShape> = E['body'] extends TSchema ? Static<E['body']> : undefined;
export type ReplyOf<E extends EndpointShape> = E['reply'] extends TSchema ? Static<E['reply']> : never;
