import { readFileSync } from 'node:fs';
import { type CancelTimer, type Clock, sleep } from '@moorage/base';
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { UnusableError } from '../stores/health.ts';
import { type BusKind, LocalBus, reconnectMs, responseMs } from './bus.ts';
import type { Topic } from './topics.ts';

/** Pings without a response until a connection counts as lost. */
const unansweredPings = 2;
/** What a server that hangs may hold up a stop, in ms. */
const closeMs = 1_000;
const defaultPrefix = 'moorage';

export interface NatsOptions {
  /** `nats://[USER:PASSWORD@]HOST[:PORT][,…][/PREFIX]`, `tls://…` for TLS. */
  readonly url: string;
  /** File with the credentials of a user: a token and a key. */
  readonly credentials?: string | undefined;
  /** File with the certificates, PEM, that the server's has to be issued by; those of the system without it. */
  readonly authority?: string | undefined;
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const message = `Setting ${flag}: file "${path}" cannot be read (${code})`;
    throw new UnusableError(message, { isMalformed: true, cause: error });
  }
}

/**
 * What the client library needs of the settings.
 *
 * @throws an `UnusableError` when a file cannot be read
 */
function natsConnection({ url, credentials, authority }: NatsOptions): {
  readonly options: NodeConnectionOptions;
  readonly prefix: string;
} {
  const [, scheme, login, hosts = '', prefix] = /^(nats|tls):\/\/(?:([^@/]*)@)?([^/]*)(?:\/(.*))?$/.exec(url) ?? [];
  const [user = '', pass] = (login ?? '').split(':').map(decodeURIComponent);
  const withLogin = login === undefined ? {} : pass === undefined ? { token: user } : { user, pass };
  const isTls = scheme === 'tls' || authority !== undefined;
  return {
    prefix: prefix || defaultPrefix,
    options: {
      ...withLogin,
      servers: hosts.split(','),
      ...(credentials !== undefined && { authenticator: credsAuthenticator(read('--bus-credentials', credentials)) }),
      ...(isTls && { tls: authority === undefined ? {} : { ca: read('--bus-ca', authority).toString() } }),
    },
  };
}

/** Messages between nodes by NATS servers. Each is sent once: while no server is there, messages to others are lost. */
export class NatsBus extends LocalBus {
  override readonly kind: BusKind = 'nats';
  readonly #options: NodeConnectionOptions;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #onError: (error: Error) => void;
  #connection: NatsConnection | undefined;
  #cancelRetry: CancelTimer = () => {};
  #connected = false;
  #closed = false;

  /** @throws an `UnusableError` when a file of the options cannot be read */
  constructor(options: NatsOptions, clock: Clock, onError: (error: Error) => void) {
    super();
    ({ options: this.#options, prefix: this.#prefix } = natsConnection(options));
    this.#clock = clock;
    this.#onError = onError;
  }

  override get connected(): boolean {
    return this.#connected;
  }

  override publish<M>({ name }: Topic<M>, message: NoInfer<M>): void {
    this.deliver(name, message);
    if (!this.#connected) return;
    try {
      this.#connection?.publish(`${this.#prefix}.${name}`, JSON.stringify(message));
    } catch (error) {
      // It is longer than the server takes, or the connection has just ended.
      this.#onError(error as Error);
    }
  }

  /** Connects, and goes on trying when that fails; resolves after the first try. */
  async open(): Promise<void> {
    try {
      await this.#connect();
    } catch (error) {
      this.#onError(error as Error);
      this.#retry();
    }
  }

  override async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry();
    const connection = this.#connection;
    this.#connection = undefined;
    // A server that hangs may not hold up a stop.
    if (this.#connected && connection) await Promise.race([connection.flush(), sleep(this.#clock, closeMs)]);
    this.#connected = false;
    await connection?.close();
  }

  #retry(): void {
    if (this.#closed) return;
    this.#cancelRetry = this.#clock.after(reconnectMs, () => {
      // What was published until now has reached no other node.
      this.#connect().then(
        () => this.missed(),
        () => this.#retry(),
      );
    });
  }

  /** From the first connection on the library finds its way back itself. */
  async #connect(): Promise<void> {
    const connection = await connect({
      ...this.#options,
      name: defaultPrefix,
      noEcho: true,
      timeout: responseMs,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectMs,
      // A rejected login may be mended at the server.
      ignoreAuthErrorAbort: true,
      pingInterval: responseMs,
      maxPingOut: unansweredPings,
    });
    if (this.#closed) {
      await connection.close();
      return;
    }
    const from = this.#prefix.length + 1;
    connection.subscribe(`${this.#prefix}.>`, {
      callback: (error, { subject, data }) => {
        if (error) this.#onError(error);
        else this.#take(subject.slice(from), data);
      },
    });
    try {
      // Until the server has the subscription, messages of others pass by.
      await connection.flush();
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connection = connection;
    this.#connected = !connection.isClosed();
    void this.#follow(connection);
  }

  #take(topic: string, data: Uint8Array): void {
    let message: unknown;
    try {
      message = JSON.parse(Buffer.from(data).toString());
    } catch (error) {
      // Whatever may write to the server can write there.
      this.#onError(error as Error);
      return;
    }
    this.deliver(topic, message);
  }

  async #follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'error') this.#onError(status.error);
      if (status.type === 'disconnect') {
        this.#connected = false;
        if (!this.#closed) this.#onError(new Error(`The NATS server ${status.server} is away`));
      }
      if (status.type === 'reconnect') void this.#comeBack(connection);
    }
  }

  /** What others publish before the server has the subscription again passes by as well. */
  async #comeBack(connection: NatsConnection): Promise<void> {
    try {
      await connection.flush();
    } catch {
      // Cut again: the library goes on, and says so.
      return;
    }
    if (this.#closed) return;
    this.#connected = true;
    this.missed();
  }
}
