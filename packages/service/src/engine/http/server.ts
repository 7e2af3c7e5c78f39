import { randomBytes } from 'node:crypto';
import http, { type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { type EndpointShape, jsonBodyLimitBytes, type Refusal, refusal } from '@moorage/api';
import { defined, realClock } from '@moorage/base';
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { deviceTexts } from '../device-texts.ts';
import type { LogLevel } from '../settings/settings.ts';
import { type AnswerHeaders, answerHeaders, answerHeadersOf } from './answer-headers.ts';
import { clientAddress } from './client-address.ts';
import { errorBody, refusalOf, type StatusOf, type StorageTroubleOf, sendRefusal, statusesOf } from './errors.ts';
import type { CertificateAndKey } from './own-certificate.ts';
import { pathPattern } from './paths.ts';
import { closeConnections } from './stopping.ts';
import { defaultTimeouts, type Timeouts } from './timeouts.ts';
import type { CountAnswer, Traffic } from './traffic.ts';
import { bodiesWithNul, compileSerialiser, signedBodies, validatorCompiler } from './validation.ts';
import { webServer } from './web-tls.ts';

/** A request that takes longer is worth a line in the log. */
const slowRequestMs = 2_000;
const paramLimitBytes = 1_024;

export interface ServerOptions {
  readonly statusOf: StatusOf;
  readonly logLevel: LogLevel;
  /** Where log lines go; standard output without it. */
  readonly logStream?: { write(line: string): void } | undefined;
  /** Makes it an HTTPS server, over HTTP/1.1. */
  readonly tls?: https.ServerOptions | undefined;
  /** Makes it an HTTPS server for browsers, over HTTP/2 as well. */
  readonly web?: CertificateAndKey | undefined;
  /** Networks (CIDR texts) of proxies: what they say of the client's address and scheme is believed. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Entries of all contracts that will be mounted: they tell a wrong method from an unknown path. */
  readonly endpoints: readonly EndpointShape[];
  /** Counts what is answered, under the name of this listener. */
  readonly traffic?: Traffic | undefined;
  readonly listener?: 'api' | 'devices' | 'ops';
  /** A line in the log for each answered request. */
  readonly accessLog?: boolean | undefined;
  /** Whether a thrown error says that the storage cannot serve now; without it none does. */
  readonly troubleOf?: StorageTroubleOf | undefined;
  /** For tests, which have less time. */
  readonly timeouts?: Timeouts | undefined;
}

/**
 * Reads JSON bodies (API-RULE-paths-2). An empty one is no body; the validation looks at one with the character NUL, unless
 * devices say it.
 */
function readJson(app: FastifyInstance, { listener }: Pick<ServerOptions, 'listener'>): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (typeof text !== 'string' || text.trim() === '') return done(null, undefined);
    const { signed, ofDevices } = request.routeOptions.config;
    if (signed) signedBodies.set(request, text);
    parse(request, text, (error, value) => {
      if (!text.includes('\\u0000') || typeof value !== 'object' || value === null) return done(error, value);
      if (ofDevices || listener === 'devices') return done(error, deviceTexts(value));
      bodiesWithNul.add(value);
      done(error, value);
    });
  });
}

interface RoutedPath extends Pick<EndpointShape, 'method' | 'hasAllStatuses'> {
  readonly template: string;
  readonly pattern: RegExp;
}

/** The refusal for a path and method that no route serves. */
function unrouted(request: FastifyRequest, endpoints: readonly RoutedPath[]) {
  const path = request.url.split('?')[0] ?? '';
  const fitting = endpoints.filter(({ pattern }) => pattern.test(path));
  // A path without blanks is another resource than the one whose blank it would fill.
  const exact = fitting.filter(({ template }) => template === path);
  const meant = exact.length > 0 ? exact : fitting;
  const methods = meant.map(({ method }) => method);
  const [one = {}] = meant;
  if (methods.length === 0) return { found: refusal('NOT_FOUND', { what: 'Path' }), methods, one };
  return { found: refusal('METHOD_NOT_ALLOWED', { method: request.method }), methods, one };
}

/**
 * Counts every answer under the template of its route; what no route serves is counted under one name, whatever was
 * asked for: the number of names stays small.
 */
function countTraffic(app: FastifyInstance, traffic: Traffic, listener: string): CountAnswer {
  app.addHook('onRoute', (route) => {
    const counts = traffic.route(listener, String(route.method), route.url);
    const hooks = route.onResponse === undefined ? [] : [route.onResponse].flat();
    route.onResponse = [
      ...hooks,
      (_request, reply, done) => {
        counts(reply.statusCode, reply.elapsedTime);
        done();
      },
    ];
  });
  return traffic.route(listener, 'any', 'unknown');
}

/** The refusal of an address with the character NUL, which no record can hold. */
function refuseNul(url: string): Refusal {
  const detail = 'The address has the character NUL';
  const [path = '', query = ''] = url.split('?', 2);
  if (path.includes('%00')) return refusal('INVALID_REQUEST', { detail }, { source: 'params', keys: [] });
  const wrong = [...new URLSearchParams(query)].filter((entry) => entry.join('').includes('\0'));
  const keys = [...new Set(wrong.map(([name]) => name.replaceAll('\0', '?')))];
  return refusal('INVALID_REQUEST', { detail }, { source: 'query', keys });
}

/** The address of a request as the log has it: what a path has as a key is not for those who read logs. */
const loggedUrl = ({ url, routeOptions }: FastifyRequest): string =>
  routeOptions.url?.includes('/:key') ? routeOptions.url : url;

/** Writes a line for each answered request, whatever the level of the log: the setting asks for them. */
function logRequests(app: FastifyInstance): void {
  const log = app.log.child({}, { level: 'info' });
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method } = request;
    const ip = clientAddress(request);
    const url = loggedUrl(request);
    const durationMs = Math.round(reply.elapsedTime * 1000) / 1000;
    log.info({ reqId, method, url, status: reply.statusCode, durationMs, ip }, 'Request');
    done();
  });
}

/** A name for each request that no other process gives: the log has it, and the answer to a request that failed. */
function requestNames(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

/** What there is to say to a client whose request could not be read. */
function unreadable(error: Error & { code?: unknown }): Refusal {
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const detail = isLate ? 'The request took too long' : 'The request is not valid HTTP';
  return refusal('INVALID_REQUEST', { detail }, { source: 'headers', keys: [] });
}

/** A client that was refused has this long to read why and to close its end. */
const lingerMs = 1_000;

/**
 * Answers what is not HTTP at all, where there is no request to reply to. Either way the connection ends: a client that
 * never closes its own end, or never ends its handshake, would keep it for ever.
 */
function refuseSocket(error: Error & { code?: unknown }, socket: Socket, found: Refusal, status: number): void {
  const isHandshake = typeof error.code === 'string' && /^ERR_(SSL|TLS)/.test(error.code);
  if (isHandshake || !socket.writable) return void socket.destroy();
  // On the host's own time, as the limits that Node keeps.
  socket.once(
    'close',
    realClock.after(lingerMs, () => socket.destroy()),
  );
  const body = JSON.stringify(errorBody(found, status));
  const lines = Object.entries({
    ...answerHeaders,
    connection: 'close',
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${body}`);
}

/** The server itself, as it listens for either kind of connection. */
function makeServer({ tls, web, timeouts = defaultTimeouts }: ServerOptions, handler: RequestListener): Server {
  // Spec: API-RULE-files-8. A client that has not begun is timed like one that does not end.
  const limits = {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
  };
  if (web) return webServer(web, timeouts, handler);
  if (tls) {
    const server = https.createServer({ ...tls, ...limits, handshakeTimeout: timeouts.handshakeMs }, handler);
    // Safe: an HTTPS server serves the same requests; the framework only types it apart.
    return server as unknown as Server;
  }
  return http.createServer(limits, handler);
}

/** Gives every answer of the routes its headers, which what sends it may replace. */
function addHeaders(app: FastifyInstance, headersOf: AnswerHeaders): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request.headers));
    done();
  });
}

/** Answers what no route serves. */
function refuseUnrouted(app: FastifyInstance, options: ServerOptions, count: CountAnswer | undefined): void {
  const { statusOf } = options;
  const patterns = options.endpoints.map(({ path, method, hasAllStatuses = false }) => ({
    template: path,
    method,
    hasAllStatuses,
    pattern: pathPattern(path),
  }));
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const { found, methods, one } = unrouted(request, patterns);
    const status = statusesOf(one, statusOf)(found.code);
    count?.(status, reply.elapsedTime);
    if (methods.length > 0) reply.header('allow', [...new Set(methods)].join(', '));
    return sendRefusal(reply, found, status);
  };
  app.setNotFoundHandler(refuse);
  // The framework would refuse it for its missing body, on paths that do not have the method at all.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'QUERY') refuse(request, reply);
    else done();
  });
}

/**
 * An HTTP server with our validation, error bodies and log lines, and no routes. It is not listening.
 *
 * One log line for each failure and each slow request; a line for every request would halve the throughput.
 */
export function buildServer(options: ServerOptions): FastifyInstance {
  const { statusOf, traffic, timeouts = defaultTimeouts, listener = 'api' } = options;
  const headersOf = answerHeadersOf(options.web !== undefined);
  const app: FastifyInstance = fastify<Server>({
    logger: { level: options.logLevel, ...defined({ stream: options.logStream }) },
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    genReqId: requestNames(),
    bodyLimit: jsonBodyLimitBytes, // API-LIMIT-json
    requestTimeout: timeouts.requestMs,
    forceCloseConnections: 'idle',
    trustProxy: options.trustProxy?.length ? [...options.trustProxy] : false,
    routerOptions: { maxParamLength: paramLimitBytes },
    serverFactory: (handler: RequestListener) => makeServer(options, handler),
    frameworkErrors: (error, request, reply) => {
      const found = refusalOf(error, request, options.troubleOf);
      // It comes before any hook.
      sendRefusal(reply.headers(headersOf(request.headers)), found, statusOf(found.code));
    },
    clientErrorHandler: (error, socket) => refuseSocket(error, socket, unreadable(error), 400),
  });
  app.decorateRequest('caller', undefined);
  // Update clients of other makers add parameters.
  app.setValidatorCompiler(validatorCompiler(listener === 'devices' ? 'drop' : 'refuse'));
  app.setSerializerCompiler(compileSerialiser);
  readJson(app, options);
  addHeaders(app, headersOf);
  closeConnections(app);
  refuseUnrouted(app, options, traffic && countTraffic(app, traffic, listener));

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const found = refusalOf(error, request, options.troubleOf);
    if (found.code === 'INTERNAL') {
      app.log.error(
        { err: error, reqId: request.id, method: request.method, url: loggedUrl(request) },
        'Request failed',
      );
      reply.header('x-request-id', request.id);
    }
    // Its stack says nothing, and every request has the same.
    if (found.code === 'STORAGE_AWAY') {
      const { id: reqId, method } = request;
      app.log.error({ reqId, method, url: loggedUrl(request), cause: error.message }, 'The storage does not answer');
    }
    return sendRefusal(reply, found, (request.routeOptions.config.statusOf ?? statusOf)(found.code));
  });

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.url.includes('%00')) return done();
    const found = refuseNul(request.url);
    sendRefusal(reply, found, statusOf(found.code));
  });

  if (options.accessLog) logRequests(app);

  app.addHook('onResponse', (request, reply, done) => {
    if (reply.elapsedTime > slowRequestMs) {
      const durationMs = Math.round(reply.elapsedTime);
      app.log.warn({ reqId: request.id, method: request.method, url: loggedUrl(request), durationMs }, 'Slow request');
    }
    done();
  });
  return app;
}
