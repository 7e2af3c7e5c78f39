import {
  type DeviceWrite,
  type EndpointShape,
  isBinary,
  mayBeAbsent,
  type Refusal,
  refusal,
  usesReserve,
} from '@moorage/api';
import { type Clock, failure, type Result, realClock } from '@moorage/base';
import type { FastifyInstance, FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Bus } from '../bus/bus.ts';
import type { Reserve } from '../stores/reserve.ts';
import { clientAddress } from './client-address.ts';
import { type StatusOf, sendRefusal, statusesOf } from './errors.ts';
import { listExporter, wantedFormat } from './export.ts';
import { intercepted } from './intercepted.ts';
import { named } from './named.ts';
import { routerPaths } from './paths.ts';
import type { DeviceRates } from './rates.ts';
import { eventSender, streamsOfUserLimit } from './send-events.ts';
import { sendBytes, sendFile } from './send-file.ts';
import {
  type BytesReply,
  type Caller,
  type DeviceCaller,
  type DoorCaller,
  EmptyReply,
  type EventsReply,
  type FileReply,
  type Handler,
  type Handlers,
  HeadedReply,
  type Interceptor,
  type Page,
  RedirectReply,
} from './types.ts';
import { readForms, uploadOf } from './upload.ts';
import { signedBodies } from './validation.ts';

type AnyCaller = Caller | DeviceCaller | DoorCaller;

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, once the endpoint's check has passed. */
    caller: AnyCaller | undefined;
  }
}

/** What tokens may do less than their users, for one endpoint. */
export interface TokenChecks {
  /** Refuses what its scopes leave out and what its user has to prove first, before anything else is looked at. */
  readonly endpoint: (shape: EndpointShape) => (caller: Caller) => Refusal | undefined;
  /** Refuses a request that is not about its products alone, once all of it is known. */
  readonly products: (shape: EndpointShape) => (caller: Caller, request: Named) => Promise<Refusal | undefined>;
}

/** The validated parts of a request. */
type Named = Pick<FastifyRequest, 'params' | 'query' | 'body'>;

/** Finds out who calls, or refuses. */
export type Authenticate<C> = (request: FastifyRequest) => Promise<Result<C, Refusal>>;

export interface MountOptions {
  readonly blobs: BlobStore;
  /** Times uploads that stand still; the host's own when absent. */
  readonly clock?: Clock;
  readonly statusOf: StatusOf;
  /** Says at once when listeners of events may have lost their rights, and what users have open at other nodes. */
  readonly bus?: Pick<Bus, 'publish' | 'subscribe'>;
  /** Goes around their handlers. */
  readonly intercept?: Interceptor | undefined;
  /** Room for what may use it when the records have none; with what says so of an error. */
  readonly reserve?: Reserve;
  readonly isFull?: (error: unknown) => boolean;
  /** How often a device may write; without it there is no limit. */
  readonly rates?: DeviceRates;
  /** For endpoints that bearer tokens are shown to. */
  readonly tokens?: TokenChecks;
  /** One check for each kind of authentication that the contract uses. */
  readonly authenticate: {
    readonly bearer?: Authenticate<Caller>;
    readonly device?: Authenticate<DeviceCaller>;
    readonly door?: Authenticate<DoorCaller>;
  };
}

/** A request as handlers see it. */
const callOf = (
  request: FastifyRequest,
  { blobs, clock = realClock }: MountOptions,
  query: unknown = request.query,
) => ({
  params: request.params,
  query,
  body: request.body,
  bodyText: signedBodies.get(request) ?? '',
  caller: request.caller,
  ip: clientAddress(request),
  isEncrypted: request.protocol === 'https',
  headers: request.headers,
  upload: uploadOf(request, blobs, clock),
});

/** Adds the headers of a list: how many items there are in all, and where the pages beside this one are. */
function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page<unknown>): FastifyReply {
  // Safe: a paged endpoint has the page query, whose defaults validation fills in.
  const { limit = 50, offset = 0 } = request.query as { limit?: number; offset?: number };
  const link = (rel: string, change: Readonly<Record<string, string | number>>): string => {
    const url = new URL(request.url, 'http://service');
    for (const [name, value] of Object.entries({ limit, ...change })) url.searchParams.set(name, String(value));
    return `<${url.pathname}${url.search}>; rel="${rel}"`;
  };
  const { next, total } = page;
  const links = [
    ...(offset + limit < total ? [link('next', { offset: offset + limit })] : []),
    // What pages by number do not reach.
    ...(offset + limit >= total && next !== undefined ? [link('next', { offset: 0, after: next })] : []),
    ...(offset > 0 ? [link('prev', { offset: Math.max(0, offset - limit) })] : []),
  ];
  reply.header('x-total-count', total);
  if (links.length > 0) reply.header('link', links.join(', '));
  return reply.send(page.items);
}

type Send = (request: FastifyRequest, reply: FastifyReply, value: unknown) => FastifyReply | Promise<FastifyReply>;

/** How an endpoint's successes are sent. The casts hold because `Handler` types the value by the same entry. */
function senderOf(app: FastifyInstance, shape: EndpointShape, options: MountOptions): Send {
  const { blobs, clock = realClock, statusOf } = options;
  if (isBinary(shape.reply) && shape.reply.mediaType === 'text/event-stream') {
    const sendEvents = eventSender(app, `${shape.method} ${shape.path}`, clock, options.bus);
    const authenticate = authenticatorOf(shape, options);
    const refuseProducts = options.tokens?.products(shape);
    return (request, reply, value) => {
      const events = value as EventsReply;
      // Safe: event streams are for users.
      const caller = request.caller as Caller;
      const isAllowed = async () =>
        (await isStill(caller, authenticate?.(request))) &&
        (await refuseProducts?.(caller, request)) === undefined &&
        (await events.isStillAllowed?.()) !== false;
      if (sendEvents(reply, events, { userId: caller.userId, isAllowed })) return reply;
      const blanks = { what: 'The account', limit: streamsOfUserLimit, things: 'streams of these events' };
      return sendRefusal(reply, refusal('LIMIT_REACHED', blanks), statusOf('LIMIT_REACHED'));
    };
  }
  if (isBinary(shape.reply)) {
    return (request, reply, value) => {
      const file = value as FileReply | BytesReply;
      return 'bytes' in file ? sendBytes(reply, file) : sendFile(request, reply, file, blobs, statusOf);
    };
  }
  if (shape.paged) return (request, reply, value) => sendPage(request, reply, value as Page<unknown>);
  return (_, reply, value) => {
    if (value instanceof HeadedReply) return reply.headers(value.headers).send(value.value);
    if (value instanceof EmptyReply) return reply.code(204).send();
    if (value instanceof RedirectReply) return reply.redirect(value.location, 302);
    return reply.send(value);
  };
}

/** Whether the caller of what takes long still has the rights that it had when that began: what it gets follows them. */
async function isStill(caller: Caller, checked: ReturnType<Authenticate<AnyCaller>> | undefined) {
  const now = await checked;
  if (!now) return true;
  // Safe: these endpoints are for users.
  const found = (now.ok ? now.value : {}) as Partial<Caller>;
  return (['role', 'customerId', 'customerRole'] as const).every((right) => found[right] === caller[right]);
}

function authenticatorOf(shape: EndpointShape, options: MountOptions): Authenticate<AnyCaller> | undefined {
  if (shape.auth === 'none') return undefined;
  const check = options.authenticate[shape.auth];
  if (!check) throw new Error(`${shape.method} ${shape.path} needs a check for "${shape.auth}" callers`);
  if (shape.writes && options.rates) return withRate(check, shape.writes, options.rates);
  const refuse = shape.auth === 'bearer' ? options.tokens?.endpoint(shape) : undefined;
  if (!refuse) return check;
  return async (request) => {
    const found = await check(request);
    // Safe: a bearer token is shown by a user.
    const refused = found.ok ? refuse(found.value as Caller) : undefined;
    return refused ? failure(refused) : found;
  };
}

/** A check that counts what the device writes, once it is known. Refusals: its own, TOO_MANY_WRITES. */
export const withRate =
  (check: Authenticate<AnyCaller>, write: DeviceWrite, rates: DeviceRates): Authenticate<AnyCaller> =>
  async (request) => {
    const found = await check(request);
    const refused = found.ok && 'row' in found.value ? rates.count(write, found.value.row.id) : undefined;
    return refused ? failure(refused) : found;
  };

/** Refuses requests that are not about the products of their token, once all of the request is known. */
function productHook(shape: EndpointShape, { tokens, statusOf }: MountOptions) {
  const refuse = shape.auth === 'bearer' ? tokens?.products(shape) : undefined;
  if (!refuse) return {};
  return {
    async preHandler(request: FastifyRequest, reply: FastifyReply) {
      // Safe: the check of bearer tokens has passed.
      const caller = request.caller as Caller;
      const refused = caller.limits?.productIds && (await refuse(caller, request));
      return refused && sendRefusal(reply, refused, statusOf(refused.code));
    },
  };
}

/** Refuses bodies that are packed: stored as they came they would be no file, and unpacked they may be of any size. */
const refuseEncoded =
  (statusOf: StatusOf): preParsingHookHandler =>
  ({ headers }, reply, payload, done) => {
    const encoding = headers['content-encoding']?.trim();
    if (encoding === undefined || /^(identity)?$/i.test(encoding)) {
      done(null, payload);
      return;
    }
    const validation = { source: 'headers', keys: ['content-encoding'] } as const;
    reply.header('accept-encoding', 'identity');
    sendRefusal(reply, refusal('ENCODED_BODY', { encoding }, validation), statusOf('ENCODED_BODY'));
  };

/** Refuses strangers before anything else is looked at. */
export function authenticationHook(authenticate: Authenticate<AnyCaller>, statusOf: StatusOf) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const found = await authenticate(request);
    if (!found.ok) return sendRefusal(reply, found.error, statusOf(found.error.code));
    request.caller = found.value;
    return undefined;
  };
}

const noParameters = { type: 'object', properties: {} };

function mountEndpoint(
  app: FastifyInstance,
  shape: EndpointShape,
  handler: Handler<never>,
  { statusOf: ofListener, ...others }: MountOptions,
) {
  const statusOf = statusesOf(shape, ofListener);
  const options: MountOptions = { ...others, statusOf };
  const authenticate = authenticatorOf(shape, options);
  const send = senderOf(app, shape, options);
  // Safe: params, query and body have passed the schemas that the handler's type derives from.
  const run = handler as unknown as (call: ReturnType<typeof callOf>) => ReturnType<Handler<EndpointShape>>;
  const { reserve, isFull } = usesReserve(shape) ? options : {};
  const runWithRoom: typeof run = reserve && isFull ? async (call) => reserve.use(async () => run(call), isFull) : run;
  const mayLackBody = shape.body !== undefined && mayBeAbsent(shape.body);
  const exportList = shape.paged ? listExporter(shape, { clock: options.clock ?? realClock, statusOf }) : undefined;
  for (const { url, rest } of routerPaths(shape.path)) {
    app.route({
      method: shape.method,
      url,
      config: { signed: shape.signed ?? false, ofDevices: shape.ofDevices ?? false, statusOf },
      ...(shape.bodyLimitBytes !== undefined && { bodyLimit: shape.bodyLimitBytes }),
      schema: {
        ...(shape.params && { params: shape.params }),
        // One without parameters, too: what it does not declare is not there for any check.
        querystring: shape.query ?? noParameters,
        ...(shape.body && !isBinary(shape.body) && { body: shape.body }),
        ...(!isBinary(shape.reply) && { response: { 200: shape.reply } }),
      },
      ...(authenticate && {
        // Before the body is read: a stranger's upload is refused unread.
        onRequest: authenticationHook(authenticate, statusOf),
      }),
      ...productHook(shape, options),
      // After the check of the caller, who need not hear of it.
      ...(shape.body && { preParsing: refuseEncoded(statusOf) }),
      ...((mayLackBody || rest !== undefined) && {
        preValidation: (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
          // What is there must be an object, so `null` is refused.
          if (mayLackBody && request.body === undefined) request.body = {};
          if (rest !== undefined) {
            // Safe: the router makes this object, one text for each name.
            const params = request.params as Record<string, string>;
            params[rest] = params['*'] ?? '';
          }
          done();
        },
      }),
      handler: async (request, reply) => {
        const format = exportList && wantedFormat(request);
        if (format) {
          return exportList(reply, request.query as Readonly<Record<string, unknown>>, format, {
            // Safe: the handler of a list finds pages.
            page: async (query) => (await run(callOf(request, options, query))) as Result<Page<unknown>, Refusal>,
            isAllowed: () => isStill(request.caller as Caller, authenticate?.(request)),
          });
        }
        const result = await runWithRoom(callOf(request, options));
        if (!result.ok) return sendRefusal(reply, result.error, statusOf(result.error.code));
        return send(request, reply, result.value);
      },
    });
  }
}

/** How the bodies of an endpoint are read. */
type BodyKind = 'json' | 'binary' | 'none';

const bodyKind = ({ body }: EndpointShape): BodyKind => {
  if (!body) return 'none';
  return isBinary(body) ? 'binary' : 'json';
};

/** Body that an endpoint without one ignores, so that clients which always send some header still get through. */
const ignoredBodyLimitBytes = 64 * 1024;

/** How bodies are read where the server's own way does not fit. */
const bodyParsers: Readonly<Record<Exclude<BodyKind, 'json'>, (scope: FastifyInstance) => void>> = {
  binary(scope) {
    // Handed on unread, whatever the media type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    readForms(scope);
  },
  none(scope) {
    const options = { parseAs: 'buffer', bodyLimit: ignoredBodyLimitBytes } as const;
    scope.addContentTypeParser('*', options, (_request, _body, done) => done(null, undefined));
  },
};

export type Resources = Readonly<Record<string, Readonly<Record<string, EndpointShape>>>>;

/** The handlers of several resources: exactly one for each of their endpoints. */
export type Routes<C extends Resources> = { readonly [Resource in keyof C]: Handlers<C[Resource]> };

/**
 * Registers every endpoint of these resources: validation, authentication, serialisation and refusals as its entry says.
 * The one place that knows both the contract and the HTTP framework.
 */
export function mountAll<C extends Resources>(
  app: FastifyInstance,
  contracts: C,
  routes: Routes<NoInfer<C>>,
  options: MountOptions,
): void {
  const entries = Object.entries(contracts).flatMap(([resource, contract]) =>
    Object.entries(contract).map(([name, shape]) => {
      const handler = intercepted(contract, routes[resource as keyof C], name, options.intercept);
      return { shape, handler };
    }),
  );
  const mountThose = (scope: FastifyInstance, kind: BodyKind): void => {
    for (const { shape, handler } of entries) {
      if (bodyKind(shape) === kind) mountEndpoint(scope, shape, handler, options);
    }
  };
  mountThose(app, 'json');
  for (const kind of ['binary', 'none'] as const) {
    // A scope costs as much as several endpoints.
    if (!entries.some(({ shape }) => bodyKind(shape) === kind)) continue;
    const scope = named(`${kind} bodies`, async (scope) => {
      bodyParsers[kind](scope);
      mountThose(scope, kind);
    });
    void app.register(scope);
  }
}

/** Registers every endpoint of one resource, as `mountAll` does. */
export const mountContract = <C extends Resources[string]>(
  app: FastifyInstance,
  contract: C,
  handlers: Handlers<NoInfer<C>>,
  options: MountOptions,
): void => mountAll(app, { contract }, { contract: handlers }, options);
