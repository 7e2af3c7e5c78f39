import { type Clock, defined, failure, type Result, success, Turns } from '@moorage/base';
import type { Net } from '@moorage/net';
import { HttpClient, type HttpFailure } from '@moorage/net/http/client';
import Type from 'typebox';
import Value from 'typebox/value';
import { type Answer, answerTimeoutMs, type Driver, type DriverFailure, driverFailure } from './driver.ts';

interface HttpDriverOptions {
  readonly net: Net;
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  /** HTTPS, whose certificate must be signed by one of these authorities. */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
  /** Sent with each request; without it only what needs no authorization answers. */
  readonly login?: { readonly username: string; readonly password: string } | undefined;
}

/** Requests have 4 KiB at most, and base64 makes 4 bytes of 3. */
const chunkBytes = 2500;

/** One for the command line, and one for files: browsers open more. */
const maxConnections = 2;

/** Bits of `flags`. */
const flags = { lineBase64: 1, responseBase64: 2, dataBase64: 4 } as const;

const Reply = Type.Object({
  code: Type.Integer({ minimum: 0, maximum: 9 }),
  flags: Type.Optional(Type.Integer()),
  response: Type.String(),
});

/** The first words of lines that client libraries send by GET. */
const readingCommands = new Set(['get', 'help', 'ls', 'version', 'file_stat', 'stream_list', 'stream_poll']);

const trimmedEnd = (bytes: Buffer): Uint8Array => {
  const cut = bytes.at(-1) !== 0x0a ? 0 : bytes.at(-2) === 0x0d ? 2 : 1;
  return bytes.subarray(0, bytes.length - cut);
};

/** The command line behind a module's HTTP server. */
export class HttpDriver implements Driver {
  readonly transport = 'http';
  readonly address: string;
  readonly chunkBytes = chunkBytes;
  readonly #client: HttpClient;
  readonly #clock: Clock;
  readonly #turns = new Turns();
  readonly #hasLogin: boolean;

  constructor({ net, clock, host, port, tls, login }: HttpDriverOptions) {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.address = `${tls ? 'https' : 'http'}://${authority}`;
    this.#clock = clock;
    this.#hasLogin = login !== undefined;
    const basic = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
    const headers = { host: authority, ...(basic !== undefined && { authorization: `Basic ${basic}` }) };
    this.#client = new HttpClient(net, clock, { host, port, headers, maxConnections, ...defined({ tls }) });
  }

  run(line: string, options: Parameters<Driver['run']>[1] = {}): Promise<Result<Answer, DriverFailure>> {
    return this.#turns.run(() => {
      const { timeoutMs = answerTimeoutMs } = options;
      const [word = ''] = line.split(' ', 1);
      const isRead = !options.data && options.payloadBytes === undefined && readingCommands.has(word);
      return this.#inTime(isRead ? this.#get(line) : this.#post(line, options), timeoutMs);
    });
  }

  async fetchFile(name: string, maxBytes: number): Promise<Uint8Array | undefined> {
    const path = `/${name.split('/').map(encodeURIComponent).join('/')}`;
    const fetched = await this.#client.fetch(path, maxBytes);
    return fetched.ok ? fetched.value : undefined;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #get(line: string): Promise<Result<Answer, DriverFailure>> {
    const answered = await this.#client.json('GET', `/command/${encodeURIComponent(line)}`);
    // A firmware that takes lines by POST alone.
    const refused = !answered.ok && answered.error.kind === 'status' && [400, 404, 405].includes(answered.error.status);
    return refused ? this.#post(line, {}) : this.#read(answered);
  }

  async #post(
    line: string,
    { data, payloadBytes }: NonNullable<Parameters<Driver['run']>[1]>,
  ): Promise<Result<Answer, DriverFailure>> {
    const isPlain = /^[\x20-\x7e]*$/.test(line);
    const body = {
      flags:
        (isPlain ? 0 : flags.lineBase64) |
        (payloadBytes === undefined ? 0 : flags.responseBase64) |
        (data ? flags.dataBase64 : 0),
      command: isPlain ? line : Buffer.from(line).toString('base64'),
      ...(data && { data: Buffer.from(data).toString('base64') }),
    };
    return this.#read(await this.#client.json('POST', '/command', body));
  }

  #read(answered: Result<unknown, HttpFailure>): Result<Answer, DriverFailure> {
    const isDenied = !answered.ok && answered.error.kind === 'status' && answered.error.status === 401;
    return isDenied
      ? driverFailure(
          'denied',
          this.#hasLogin
            ? 'The name or the password of the HTTP server is another'
            : 'The module wants the name and password of its HTTP server',
        )
      : read(answered);
  }

  #inTime<T>(work: Promise<Result<T, DriverFailure>>, timeoutMs: number): Promise<Result<T, DriverFailure>> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(timeoutMs, () =>
        resolve(driverFailure('silent', `No answer in ${timeoutMs / 1000} s`)),
      );
      work.then(resolve, reject).finally(cancel);
    });
  }
}

function read(answered: Result<unknown, HttpFailure>): Result<Answer, DriverFailure> {
  if (!answered.ok) return failure(failureOf(answered.error));
  const reply = answered.value;
  if (!Value.Check(Reply, reply)) return driverFailure('garbled', 'The reply is not that of a command');
  const isBase64 = ((reply.flags ?? 0) & 1) !== 0;
  const bytes = Buffer.from(reply.response, isBase64 ? 'base64' : 'utf8');
  return success({ code: reply.code, bytes: trimmedEnd(bytes) });
}

function failureOf(error: HttpFailure): DriverFailure {
  if (error.kind === 'unreachable') return { error: 'unreachable', detail: error.detail };
  if (error.kind === 'malformed') return { error: 'garbled', detail: error.detail };
  return error.status === 404
    ? { error: 'unreachable', detail: 'There is no command line at this address: http.server.api_enabled is off' }
    : { error: 'garbled', detail: `The module answered with status ${error.status}` };
}
