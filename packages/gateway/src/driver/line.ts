import type { Duplex } from 'node:stream';
import { type Clock, type Result, success, Turns } from '@moorage/base';
import { escaped, TelnetReader } from '@moorage/net/telnet/telnet';
import {
  type Answer,
  answerTimeoutMs,
  type Driver,
  type DriverFailure,
  driverFailure,
  type RunOptions,
  type Transport,
} from './driver.ts';
import { type Awaited, beforeLogs, type Dialect, dialectOf, type Framed, framed } from './framing.ts';
import { Incoming } from './incoming.ts';
import { learnRefusals, type Refusals, refusalIn } from './refusals.ts';

interface LineDriverOptions {
  /** The bytes of the line, as they are. */
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly address: string;
  readonly transport: Exclude<Transport, 'http'>;
  /** Of the remote terminal. */
  readonly password?: string | undefined;
}

/** Silence that shows that a module has said all that it has to say by itself, in ms. */
const quietMs = 300;

/** Silence behind a prompt that shows that it is one, and no line of a table that begins so, in ms. */
const settleMs = 30;

/** Silence in which a prompt is looked for among lines of the log, in ms. */
const logQuietMs = 1_000;

/** How long the first sign of life may take, in ms: a module that has just been switched on boots meanwhile. */
const greetingTimeoutMs = 12_000;

/** How long a line waits for an early refusal before its data, in ms. Data behind a refused line would be commands. */
const refusalWaitMs = 80;

/** The command line of a module over a stream of bytes: its remote terminal, or a serial line. */
export class LineDriver implements Driver {
  readonly transport: LineDriverOptions['transport'];
  readonly address: string;
  readonly chunkBytes = 2048;
  readonly #stream: Duplex;
  readonly #incoming: Incoming;
  readonly #turns = new Turns();
  #dialect: Dialect = { echo: false, headers: false, prompt: '', versionLine: '' };
  #refusals: Refusals = [];
  /** The other side takes telnet's commands out: bytes of 255 are doubled for it. */
  #escapes = false;

  private constructor({ stream, clock, address, transport }: LineDriverOptions) {
    this.transport = transport;
    this.address = address;
    this.#stream = stream;
    this.#incoming = new Incoming(stream, clock);
  }

  /** Logs in where that is wanted, and finds out how the line prints. The line is closed when that fails. */
  static async open(options: LineDriverOptions): Promise<Result<LineDriver, DriverFailure>> {
    const driver = new LineDriver(options);
    const ready = await driver.#start(options.password);
    if (ready.ok) return success(driver);
    await driver.close();
    return ready;
  }

  get dialect(): Dialect {
    return this.#dialect;
  }

  run(line: string, options: RunOptions = {}): Promise<Result<Answer, DriverFailure>> {
    return this.#turns.run(() => (options.changesLine ? this.#runAndLearn(line) : this.#run(line, options)));
  }

  async close(): Promise<void> {
    this.#stream.destroy();
  }

  async #start(password: string | undefined): Promise<Result<void, DriverFailure>> {
    const loggedIn = await this.#logIn(password);
    if (!loggedIn.ok) return loggedIn;
    const learnt = await this.#learn();
    if (!learnt.ok) return learnt;
    if (this.transport === 'terminal') {
      const telnet = await this.#learnTelnet();
      if (!telnet.ok) return telnet;
    }
    return this.#learnRefusals();
  }

  /** With headers a refusal is told by its code. */
  async #learnRefusals(): Promise<Result<void, DriverFailure>> {
    if (this.#dialect.headers || this.#refusals.length > 0) return success(undefined);
    const refusals = await learnRefusals((line) => this.#run(line, {}));
    if (refusals.ok) this.#refusals = refusals.value;
    return refusals.ok ? success(undefined) : refusals;
  }

  /** The answer may come as before or as it is from now on, so how the line prints is found out again. */
  async #runAndLearn(line: string): Promise<Result<Answer, DriverFailure>> {
    this.#incoming.clear();
    this.#write(`${Buffer.from(line).toString('latin1')}\r\n`);
    await this.#incoming.quiet(quietMs, answerTimeoutMs);
    const learnt = await this.#learn();
    if (!learnt.ok) return learnt;
    const refusals = await this.#learnRefusals();
    return refusals.ok ? success({ code: 0, bytes: new Uint8Array() }) : refusals;
  }

  async #logIn(password: string | undefined): Promise<Result<void, DriverFailure>> {
    await this.#incoming.quiet(quietMs, greetingTimeoutMs);
    const asks = (): boolean => /(^|\n)[^\n]*\S:\s*$/.test(this.#incoming.text);
    if (this.#incoming.closed) {
      const said = this.#incoming.text.trim();
      return driverFailure('in-use', said === '' ? 'The module hung up' : `The module hung up: "${said}"`);
    }
    if (!asks()) return success(undefined);
    if (password === undefined) return driverFailure('denied', 'The remote terminal wants a password');
    this.#incoming.clear();
    this.#write(`${password}\r\n`);
    await this.#incoming.quiet(quietMs, greetingTimeoutMs);
    return asks() || this.#incoming.closed
      ? driverFailure('denied', 'The password of the remote terminal is another')
      : success(undefined);
  }

  /** Asks for the version, twice where the first answer is lost in what the module said by itself. */
  async #learn(): Promise<Result<void, DriverFailure>> {
    for (let attempt = 0; attempt < 3; attempt++) {
      // Ends what a user before may have half typed.
      this.#write('\r\n');
      await this.#incoming.quiet(quietMs, greetingTimeoutMs);
      this.#incoming.clear();
      this.#write('version\r\n');
      const found = await this.#incoming.wait((text, silentMs) => (silentMs >= quietMs ? dialectOf(text) : undefined), {
        timeoutMs: greetingTimeoutMs / 3,
        recheckMs: quietMs,
      });
      if (found.kind === 'found') {
        this.#dialect = found.value;
        return success(undefined);
      }
      if (found.kind === 'closed') return driverFailure('unreachable', 'The line has been closed');
    }
    return this.#incoming.text === ''
      ? driverFailure('silent', 'Nothing answers on this line')
      : driverFailure('garbled', 'What answers on this line is no command line of a module');
  }

  /** Behind telnet a command without meaning vanishes; on a bare line it spoils the word it stands in. */
  async #learnTelnet(): Promise<Result<void, DriverFailure>> {
    const nothing = '\xff\xf1';
    const echoed = this.#dialect.echo ? 'version' : '';
    this.#incoming.clear();
    this.#write(`${nothing}version\r\n`);
    const found = await this.#incoming.wait((_, silentMs) => silentMs >= quietMs || undefined, {
      timeoutMs: answerTimeoutMs,
      recheckMs: quietMs,
    });
    if (found.kind !== 'found') return driverFailure('unreachable', 'The line has been closed');
    const { text } = this.#incoming;
    this.#escapes = text.includes(this.#dialect.versionLine) && !text.includes(`${nothing}${echoed}`);
    // From now on the module knows that it speaks with a telnet client.
    const reader = new TelnetReader();
    if (this.#escapes) this.#incoming.decode = (bytes) => telnetData(reader, bytes);
    return success(undefined);
  }

  async #run(line: string, options: RunOptions): Promise<Result<Answer, DriverFailure>> {
    const { data, payloadBytes, timeoutMs = answerTimeoutMs } = options;
    if (this.#incoming.closed) return driverFailure('unreachable', 'The line has been closed');
    this.#incoming.clear();
    const lineText = Buffer.from(line).toString('latin1');
    const awaited = { line: lineText, data: data ? Buffer.from(data).toString('latin1') : '', payloadBytes };
    this.#write(`${lineText}\r\n`);
    if (data) {
      const refused = await this.#earlyRefusal(awaited);
      if (refused) return success(refused);
      this.#write(awaited.data);
    }
    const { headers, prompt } = this.#dialect;
    if (!headers && prompt === '') this.#write('version\r\n');
    const found = await this.#await(awaited, timeoutMs);
    return found.ok ? this.#answer(found.value, awaited) : found;
  }

  /** An answer that comes before the data is a refusal. */
  async #earlyRefusal(awaited: Awaited): Promise<Answer | undefined> {
    await this.#incoming.quiet(refusalWaitMs, answerTimeoutMs);
    const early = framed(this.#dialect, this.#incoming.text, { ...awaited, data: '' });
    if (!early) return undefined;
    const bytes = Buffer.from(early.payload, 'latin1');
    return { code: early.code ?? refusalIn(this.#refusals, early.payload) ?? 1, bytes };
  }

  async #await(awaited: Awaited, timeoutMs: number): Promise<Result<Framed, DriverFailure>> {
    let nudged = false;
    const found = await this.#incoming.wait(
      (text, silentMs) => {
        const whole = framed(this.#dialect, text, awaited);
        if (whole && (whole.isCertain || silentMs >= settleMs)) return whole;
        if (silentMs < logQuietMs) return undefined;
        const before = beforeLogs(this.#dialect, text);
        const cut = before === undefined ? undefined : framed(this.#dialect, before, awaited);
        // A prompt that noise has spoilt comes again.
        if (!cut && !nudged && this.#dialect.prompt !== '') {
          nudged = true;
          this.#write('\r\n');
        }
        return cut;
      },
      { timeoutMs, recheckMs: settleMs },
    );
    if (found.kind === 'found') return success(found.value);
    if (found.kind === 'closed') return driverFailure('unreachable', 'The line was closed within an answer');
    if (found.kind === 'flooded') return driverFailure('garbled', 'The answer has no end');
    return this.#hasRestarted(this.#incoming.text)
      ? driverFailure('restarted', 'The module has restarted within an answer')
      : driverFailure('silent', `No whole answer in ${timeoutMs / 1000} s`);
  }

  #answer({ code, payload }: Framed, { line, payloadBytes }: Awaited): Result<Answer, DriverFailure> {
    if (line !== 'version' && payloadBytes === undefined && this.#hasRestarted(payload))
      return driverFailure('restarted', 'The module has restarted within an answer');
    const text = code === undefined && payloadBytes === undefined ? withoutNotices(payload) : payload;
    const known = code ?? refusalIn(this.#refusals, text) ?? 0;
    return success({ code: known, bytes: Buffer.from(text, 'latin1') });
  }

  /** The first line of a boot behind something else, or the last. */
  #hasRestarted(text: string): boolean {
    const lines = text.split(/\r?\n/);
    return lines.includes('[Ready]') || lines.indexOf(this.#dialect.versionLine) > 0;
  }

  #write(text: string): void {
    const bytes = Buffer.from(text, 'latin1');
    this.#stream.write(this.#escapes ? escaped(bytes) : bytes);
  }
}

/** Without headers notices stand among the lines of an answer. Reference: line 4.1. */
function withoutNotices(text: string): string {
  const lines = text.split('\n');
  const own = lines.filter((line) => !/^\[[^\]]*\]\r?$/.test(line));
  return own.length === 0 ? text : own.join('\n');
}

const telnetData = (reader: TelnetReader, bytes: Uint8Array): Uint8Array =>
  Buffer.concat(reader.read(bytes).flatMap((event) => (event.kind === 'data' ? [event.bytes] : [])));
