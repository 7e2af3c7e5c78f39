import { defined } from '@moorage/base';
import Type, { type Static, type TObject, type TOptional, type TProperties, type TSchema } from 'typebox';
import { Id, Identifier, ResultOk } from './fields.ts';

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
 * What a device may write so many times in a minute, each kind with a setting of its own: one device cannot fill what
 * belongs to all. Spec: API-LIMIT-writes.
 */
export const deviceWrites = ['connects', 'identity', 'updates', 'files', 'attributes', 'samples', 'messages'] as const;
export type DeviceWrite = (typeof deviceWrites)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One endpoint, as data: routes, validation, types of handlers, the OpenAPI document and the client derive from it.
 * Paths are spelled as in the specification: `{name}`, `{name*}` for the rest of the path, `{name?}` for an optional end.
 */
export interface EndpointShape {
  readonly method: Method;
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
  /** What a device writes by it. Said for all entries of a resource, it is of those that are no GET. */
  readonly writes?: DeviceWrite;
  /** It makes room on a full disk, or leads to what does: it may use the reserve. What deletes may without saying so. */
  readonly makesRoom?: boolean;
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
  /** The body has what devices say, or what is said for them: its texts are taken without the character NUL. Spec: API-RULE-device-texts-1. */
  readonly ofDevices?: boolean;
  /** Its clients know all statuses, also on the listener of devices, where modules have no result code for some. */
  readonly hasAllStatuses?: boolean;
  /** A list: the reply is an array, with X-Total-Count and Link headers. */
  readonly paged?: boolean;
  /** Statuses of refusals, beside 500. */
  readonly errors: readonly ErrorStatus[];
}

/** Whether an endpoint may use the room that is kept for a full disk: results of updates are not lost either. Spec: API-ERR-507. */
export const usesReserve = ({ method, makesRoom, writes }: EndpointShape): boolean =>
  method === 'DELETE' || makesRoom === true || (writes === 'updates' && method !== 'GET');

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

/** An entry that devices call: what it writes has a rate. Who makes itself known first is limited by its address. */
export type DeviceEndpoint = EndpointShape &
  ({ readonly method: 'GET' } | { readonly auth: 'none' } | { readonly writes: DeviceWrite });

/** The only statuses that a module has result codes for; every other refusal is turned into one. Spec: API-DEV-status. */
export const deviceRouteErrors = [400, 403, 404] as const;
export const deviceListenerTag = 'Device listener';

/** Declares an endpoint and keeps its exact type. */
export const endpoint = <const E extends EndpointShape>(shape: E): E => shape;

/**
 * An entry as it is written: the route, and what is not as usual. `endpoints` adds the rest:
 *
 * - `spec`: the clause of the route itself, which is the first; interfaces of other makers (`door`) have other clauses.
 * - `params`: what the blanks of the path take: names of devices, ids of records; only others are said.
 * - `auth`: a bearer token. `reply`: the result `ok`.
 * - `scope`: what is said for all is for those that change something by a token.
 * - `errors` of users: 400 and 401; 403 and 404 too where the path names a thing.
 */
interface Entry extends Partial<Omit<EndpointShape, 'method' | 'path' | 'params' | 'summary'>> {
  readonly route: `${Method} /${string}`;
  readonly summary: string;
  readonly params?: TProperties;
}
type Shared = Pick<EndpointShape, 'tag'> & Partial<Omit<Entry, 'route' | 'summary' | 'spec'>>;

type Blanks<Path> = Path extends `${string}{${infer Blank}}${infer Rest}` ? Blank | Blanks<Rest> : never;
type NameOf<Blank> = Blank extends `${infer Name}${'*' | '?'}` ? Name : Blank;
type NamedValue<Name, Given extends TProperties> = Name extends keyof Given
  ? Given[Name]
  : Name extends 'device_id' | 'identifier'
    ? typeof Identifier
    : typeof Id;
type BlankValue<Blank, Given extends TProperties> = Blank extends `${infer Name}?`
  ? TOptional<NamedValue<Name, Given>>
  : NamedValue<NameOf<Blank>, Given>;
type ParamsFor<Path, Given extends TProperties> = [Blanks<Path>] extends [never]
  ? unknown
  : { readonly params: TObject<{ [Blank in Blanks<Path> as NameOf<Blank> & string]: BlankValue<Blank, Given> }> };

const usual = { auth: 'bearer', reply: ResultOk } as const;
type Both<S, E> = Omit<typeof usual, keyof S | keyof E> & Omit<S, keyof E> & E;
type GivenIn<T> = T extends { readonly params: infer Given extends TProperties } ? Given : Record<never, never>;
/** The whole of what an entry and what it shares with others say. */
type Completed<S, E> = E extends { readonly route: `${infer M extends Method} ${infer Path}` }
  ? Omit<Both<S, E>, 'route' | 'params' | 'spec' | 'errors'> &
      Pick<EndpointShape, 'spec' | 'errors'> & { readonly method: M; readonly path: Path } & ParamsFor<
        Path,
        GivenIn<Both<S, E>>
      >
  : never;

/** The clause of an endpoint, by its method and path. */
export function clauseOf({ method, path, tag }: Pick<EndpointShape, 'method' | 'path' | 'tag'>): string {
  const segments = path
    .replace(/^\/(api\/)?/, '')
    .replace(/[{}*?]/g, '')
    .split('/');
  return [tag === deviceListenerTag ? 'API-DEV' : 'API-EP', method, ...segments].join('-');
}

function paramsOf(path: string, given: TProperties = {}): TObject | undefined {
  const blanks = [...path.matchAll(/\{(\w+)([?*]?)\}/g)].map(([, name = '', kind]) => {
    const value = given[name] ?? (name === 'device_id' || name === 'identifier' ? Identifier : Id);
    return [name, kind === '?' ? Type.Optional(value) : value] as const;
  });
  return blanks.length > 0 ? Type.Object(Object.fromEntries(blanks)) : undefined;
}

function completed({ params: shared, ...common }: Shared, entry: Entry): EndpointShape {
  const { route, params: given = shared, scope, writes, ...said } = { ...usual, ...common, ...entry };
  // Safe: the type of a route.
  const [method, path] = route.split(' ') as [Method, string];
  const params = paramsOf(path, given);
  const changes = method !== 'GET' && said.auth === 'bearer';
  const errors: readonly ErrorStatus[] = said.auth !== 'bearer' ? [] : params ? [400, 401, 403, 404] : [400, 401];
  const clauses = said.auth === 'door' ? [] : [clauseOf({ method, path, tag: said.tag })];
  const given412 = isConditional({ ...said, method }) ? ([412] as const) : [];
  return {
    ...said,
    errors: [...new Set([...(said.errors ?? errors), ...given412])],
    method,
    path,
    spec: [...clauses, ...(said.spec ?? [])],
    ...defined({
      params,
      scope: entry.scope ?? (changes ? scope : undefined),
      writes: entry.writes ?? (method === 'GET' || said.auth === 'none' ? undefined : writes),
    }),
  };
}

/** Declares the endpoints of a resource and keeps their exact types; what they have in common is written once. */
export const endpoints = <const S extends Shared, const E extends Readonly<Record<string, Entry>>>(
  shared: S,
  entries: E,
) =>
  // Safe: `completed` makes of each entry what its type says.
  Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, completed(shared, entry)])) as unknown as {
    readonly [Name in keyof E]: Completed<S, E[Name]>;
  };

/** Whether a body or reply is bytes; none is not. */
export const isBinary = (body: TSchema | Binary | undefined): body is Binary =>
  body !== undefined && 'binary' in body && body.binary === true;

/** Bytes of a media type: those of a file where the contract does not know better. */
export const binary = (mediaType = 'application/octet-stream'): Binary => ({ binary: true, mediaType });

/** Whether a change takes If-Match: it sets fields of a record that another endpoint of its resource reads. */
export const isConditional = <E extends Pick<EndpointShape, 'method' | 'body' | 'audit'>>(
  shape: E,
): shape is E & { readonly audit: { readonly read: string } } => {
  const { method, body, audit } = shape;
  return method === 'PUT' && body !== undefined && !isBinary(body) && audit !== undefined && 'read' in audit;
};

/** Whether a body may be left out: a JSON one of which every field is optional. */
export const mayBeAbsent = (body: TSchema | Binary): boolean => 'properties' in body && !('required' in body);

type Parsed<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise;

export type ParamsOf<E extends EndpointShape> = Parsed<E['params'], Record<never, never>>;
export type QueryOf<E extends EndpointShape> = Parsed<E['query'], Record<never, never>>;
export type BodyOf<E extends EndpointShape> = E['body'] extends TSchema ? Static<E['body']> : undefined;
export type ReplyOf<E extends EndpointShape> = E['reply'] extends TSchema ? Static<E['reply']> : never;
