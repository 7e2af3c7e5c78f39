import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { defined, isLoopback, unwrap } from '@moorage/base';
import type { Connection } from '@moorage/net';
import type { Caller, Execution } from '../interpreter/execute.ts';
import { mishapReason } from '../texts/reasons.ts';
import { type ApiCall, isAuthorized, isWhitelisted, readWhitelist } from './access.ts';
import { commandReply, logReply, parseCall, parseLine } from './api.ts';
import { readBody } from './body.ts';
import type { Client } from './client.ts';
import { Clients } from './clients.ts';
import { type FileSource, findFile, isUnprotected, sendFile, sendWithFile } from './files.ts';
import { foreignPage } from './foreign-page.ts';
import type { WebParts } from './parts.ts';
import { commonHeaders, type Exchange, rawRefusal, refuse, send } from './respond.ts';
import type { WebSettings } from './settings.ts';
import { type Receiver, serveConnection } from './shared-server.ts';
import { parseTarget, type Target } from './target.ts';
import { webStream } from './web-stream.ts';
import { shakeHands, webSocketVersion } from './websocket.ts';

const json = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };

/** What a preflight allows. Clients say `Content-Type: application/json` even where there is no content. */
const preflight = {
  'Access-Control-Allow-Methods': 'GET, POST, OPTIONS',
  'Access-Control-Allow-Headers': 'content-type, accept, authorization',
};

/** Methods of each endpoint. */
export const methods: Readonly<Record<'command' | 'log' | 'stream' | 'file', readonly string[]>> = {
  command: ['GET', 'POST'],
  log: ['GET'],
  stream: ['GET', 'POST'],
  file: ['GET', 'HEAD'],
};

/** Ids of commands count on as long as the module runs. */
const lastIds = new WeakMap<WebParts, number>();

function nextId(parts: WebParts): number {
  const id = (lastIds.get(parts) ?? 0) + 1;
  lastIds.set(parts, id);
  return id;
}

/** The HTTP server of one module, without its port: it answers what comes over the connections that it is handed. */
export class Site {
  readonly #parts: WebParts;
  readonly #settings: WebSettings;
  readonly #clients: Clients;
  readonly #common: OutgoingHttpHeaders;
  readonly #files: FileSource;
  #stopped = false;
  readonly #owner: Caller = { origin: 'http-login', stillWanted: () => !this.#stopped };
  readonly #stranger: Caller = { ...this.#owner, origin: 'http' };

  constructor(parts: WebParts, settings: WebSettings) {
    this.#parts = parts;
    this.#settings = settings;
    this.#common = commonHeaders(settings.corsOrigin);
    // A private key is no file for others, whatever it has been made as.
    this.#files = { flash: parts.flash, hidden: settings.keyFile };
    const clock = parts.hostClock ?? parts.clock;
    this.#clients = new Clients(
      clock,
      settings.maxClients,
      (client) => serveConnection(this.#receiver(client)),
      rawRefusal(503, 'too many clients', this.#common),
    );
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  accept(connection: Connection): void {
    this.#clients.accept(connection);
  }

  /** Commands that wait for their turn are given up. */
  stop(): void {
    this.#stopped = true;
    this.#clients.stop();
  }

  #receiver(client: Client): Receiver {
    return {
      client,
      request: (request, response) =>
        client.add(() => this.#answer({ request, response, common: this.#common }, client)),
      // A refused handshake is answered as any other request.
      upgrades: (request) =>
        this.#refusal(request, client) === undefined &&
        parseTarget(request.url ?? '', this.#settings.apiEnabled).kind === 'stream',
      upgrade: (request, head) => client.add(() => this.#openStream(request, head, client)),
      malformed: (status) => {
        // In the middle of a body there is no turn to wait for.
        if (client.isReading) this.#end(client, status);
        else client.add(() => this.#end(client, status));
      },
    };
  }

  /** Answers one request; it is answered when the client has been given all of it, which may be at once. */
  #answer(exchange: Exchange, client: Client): void | Promise<void> {
    client.works();
    if (this.#clients.isCrowded || client.isRetiring) exchange.response.shouldKeepAlive = false;
    const mistaken = (error: unknown): void => this.#mistaken(exchange, client, error);
    const sent = () => untilSent(exchange, client);
    try {
      const routed = this.#route(exchange, client);
      if (routed) return routed.catch(mistaken).then(sent);
    } catch (error) {
      mistaken(error);
    }
    return sent();
  }

  /** Spec: MOD-HTTP-status-500. */
  #mistaken(exchange: Exchange, client: Client, error: unknown): void {
    this.#parts.log.say('httpServerError', { detail: mishapReason(error) });
    if (exchange.response.headersSent) client.socket.destroy();
    else refuse(exchange, 500);
  }

  #route(exchange: Exchange, client: Client): void | Promise<void> {
    const { request } = exchange;
    const method = request.method ?? '';
    const refusal = this.#refusal(request, client);
    if (refusal !== undefined) return refuse(exchange, 403, refusal);
    // It needs no authorization. Spec: MOD-HTTP-options.
    if (method === 'OPTIONS') return this.#options(exchange);
    const target = parseTarget(request.url ?? '', this.#settings.apiEnabled);
    // Spec: MOD-HTTP-status-400.
    if (target.kind === 'malformed') return refuse(exchange, 400, 'The path is not percent-encoded');
    const allowed = methods[target.kind];
    if (!allowed.includes(method)) return refuse(exchange, 405, undefined, { Allow: allowed.join(', ') });
    if (target.kind === 'file') return this.#file(exchange, target.name, client);
    return this.#call(exchange, target, client);
  }

  /** Why nothing is done for a request, whatever it is; on an address of the network the specification's rules are all. */
  #refusal({ headers }: IncomingMessage, { connection }: Client): string | undefined {
    return isLoopback(connection.localAddress) ? foreignPage(headers, this.#settings) : undefined;
  }

  #options(exchange: Exchange): void {
    const cors = this.#settings.corsOrigin === '' ? { Allow: preflight['Access-Control-Allow-Methods'] } : preflight;
    send(exchange, 200, cors, '');
  }

  #call(
    exchange: Exchange,
    target: Exclude<Target, { kind: 'file' | 'malformed' }>,
    client: Client,
  ): void | Promise<void> {
    if (target.kind === 'command') {
      return exchange.request.method === 'POST'
        ? this.#postCommand(exchange, target.line, client)
        : this.#getCommand(exchange, target.line, client);
    }
    return this.#callerOf(exchange.request, { path: target.kind }).then((caller) => {
      if (!caller) return this.#deny(exchange, client);
      if (target.kind === 'log') return send(exchange, 200, json, logReply(this.#parts.log.entries()));
      // Spec: MOD-HTTP-stream. Without an upgrade there is nothing to open, but a full table is said first.
      return this.#parts.streams.hasFree
        ? refuse(exchange, 400, 'Not a websocket handshake')
        : this.#noHandle(exchange);
    });
  }

  /** Spec: MOD-HTTP-status-404. */
  #noHandle(exchange: Exchange): void {
    refuse(exchange, 404, 'No free stream');
  }

  /** Spec: MOD-HTTP-get-command. */
  #getCommand(exchange: Exchange, encoded: string | undefined, client: Client): void | Promise<void> {
    const line = encoded === undefined || encoded === '' ? undefined : parseLine(encoded);
    if (line === undefined) return refuse(exchange, 400, 'One command line has to follow /command/');
    if (this.#isAuthorized(exchange.request)) return this.#runCommand(exchange, line, this.#authorized);
    return this.#callerOf(exchange.request, { path: 'command', line }).then((caller) =>
      caller ? this.#runCommand(exchange, line, caller) : this.#deny(exchange, client),
    );
  }

  #runCommand(exchange: Exchange, line: string, caller: Caller): void | Promise<void> {
    const reply = (execution: Execution): void => {
      if (execution.wantsData) refuse(exchange, 400, 'The command takes data: use POST');
      else send(exchange, 200, json, commandReply(nextId(this.#parts), execution, false));
    };
    const execution = this.#parts.executeNow(line, undefined, caller);
    return execution instanceof Promise ? execution.then(reply) : reply(execution);
  }

  /** Spec: MOD-HTTP-post-command. */
  async #postCommand(exchange: Exchange, inPath: string | undefined, client: Client): Promise<void> {
    const body = await client.reads(() => readBody(exchange.request));
    if (!body.ok) {
      // The client has gone: there is no response.
      if (body.error === 'gone') return;
      exchange.response.shouldKeepAlive = false;
      return refuse(exchange, 400, 'The body has more than 4096 bytes');
    }
    if (inPath !== undefined) return refuse(exchange, 405, undefined, { Allow: 'GET' });
    const call = parseCall(body.value);
    // What is wrong with it is for those who may call at all.
    const { line } = call.ok ? call.value : {};
    const caller = await this.#callerOf(exchange.request, { path: 'command', ...defined({ line }) });
    if (!caller) return this.#deny(exchange, client);
    if (!call.ok) return refuse(exchange, 400, call.error);
    const { data = noBytes, responseBase64 } = call.value;
    const execution = await this.#parts.executeNow(call.value.line, data, caller);
    // Spec: MOD-HTTP-status-200. Failed commands, too.
    send(exchange, 200, json, commandReply(nextId(this.#parts), execution, responseBase64));
  }

  async #file(exchange: Exchange, name: string, client: Client): Promise<void> {
    const found = findFile(this.#files, name === '' ? this.#settings.rootFile : name);
    // Spec: MOD-AUTH-3, MOD-AUTH-4. Who may not ask does not learn what is there.
    const open =
      (found && isUnprotected(found)) || isAuthorized(exchange.request.headers.authorization, this.#settings);
    if (!open) return this.#deny(exchange, client);
    if (this.#settings.inSetup && name === '') this.#parts.webSetup.pageOpened();
    if (found) return sendFile(exchange, this.#parts.flash, found, client);
    return sendWithFile(exchange, 404, this.#files, this.#settings.notFoundFile, client);
  }

  /** Headers are read only where a password is set. */
  #isAuthorized(request: IncomingMessage): boolean {
    return this.#settings.username === '' || isAuthorized(request.headers.authorization, this.#settings);
  }

  /** Who calls; `undefined` for one who may not. */
  async #callerOf(request: IncomingMessage, call: ApiCall): Promise<Caller | undefined> {
    if (this.#isAuthorized(request)) return this.#authorized;
    return isWhitelisted(await readWhitelist(this.#parts.flash), call) ? this.#stranger : undefined;
  }

  /** Where no password is set no client has shown one. */
  get #authorized(): Caller {
    return this.#settings.username === '' ? this.#stranger : this.#owner;
  }

  /** Spec: MOD-AUTH-5, MOD-HTTP-status-401. */
  #deny(exchange: Exchange, client: Client): Promise<void> {
    return sendWithFile(exchange, 401, this.#files, this.#settings.deniedFile, client, this.#challenge());
  }

  #challenge(): { 'WWW-Authenticate': string } {
    return { 'WWW-Authenticate': `Basic realm="${this.#parts.personality.name}"` };
  }

  /** A handshake on `/stream`. Resolves when the websocket has closed. Spec: MOD-HTTP-stream. */
  async #openStream(request: IncomingMessage, head: Buffer, client: Client): Promise<void> {
    const { streams } = this.#parts;
    client.works();
    const method = request.method ?? '';
    if (!methods.stream.includes(method)) return this.#end(client, 400, 'Not a websocket handshake');
    if (!(await this.#callerOf(request, { path: 'stream' }))) return this.#end(client, 401);
    if (!streams.hasFree) return this.#end(client, 404, 'No free stream');
    const clock = this.#parts.hostClock ?? this.#parts.clock;
    shakeHands(
      request,
      head,
      (socket) => {
        const { pool } = streams;
        const { iface } = this.#settings;
        const unread = () => this.#parts.log.say('webSocketUnread');
        unwrap(streams.open(webStream({ socket, connection: client.connection, clock, pool, iface, unread })));
      },
      (status, reason) => this.#end(client, status, reason),
    );
    if (!client.socket.destroyed) await new Promise<void>((resolve) => client.socket.once('close', () => resolve()));
  }

  #extraHeaders(status: number): OutgoingHttpHeaders {
    if (status === 401) return this.#challenge();
    return status === 426 ? { Upgrade: 'websocket', 'Sec-WebSocket-Version': webSocketVersion } : {};
  }

  /** Refuses on the bare connection. */
  #end(client: Client, status: number, reason?: string): void {
    client.end(rawRefusal(status, reason, { ...this.#common, ...this.#extraHeaders(status) }));
  }
}

const noBytes = new Uint8Array();

/** A response that the client does not read is cut after the server's time-out. */
function untilSent({ response }: { readonly response: ServerResponse }, client: Client): void | Promise<void> {
  client.waitsForPeer();
  if (!response.writableNeedDrain || client.socket.destroyed) return;
  return new Promise((resolve) => {
    response.once('finish', resolve);
    response.once('close', () => resolve());
  });
}
