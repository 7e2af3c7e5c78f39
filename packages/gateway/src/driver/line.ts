import type { Duplex } from 'node:stream';
import { type Clock, type Result, sleep, success, Turns } from '@moorage/base';
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
import {
  type Awaited,
  beforeLogs,
  type Dialect,
  dialectOf,
  type Framed,
  framed,
  markedAnswer,
  withoutPrompts,
} from './framing.ts';
import { Incoming } from './incoming.ts';
import { Noise } from './noise.ts';
import { learnRefusals, type Refusals, refusalIn, unknownName } from './refusals.ts';

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

/** How long a line that is never silent is heard before what it has said is looked at, in ms. */
const talkMs = 2_000;

/** Silence behind a prompt that shows that it is one, and no line of a table that begins so, in ms. */
const settleMs = 30;

/** Silence in which a prompt is looked for among lines of the log, in ms. */
const logQuietMs = 1_000;

/** How long the first sign of life may take, in ms: a module that has just been switched on boots meanwhile. */
const greetingTimeoutMs = 12_000;

/** How long a line waits for an early refusal before its data, in ms. Data behind a refused line would be commands. */
const refusalWaitMs = 80;

/** A line whose short answers take longer than this has each answer confirmed, in ms. */
const steadyMs = 150;

/** How long a line that says things unasked is listened to, so that these are known, in ms. */
const listenMs = 3_000;

/** How long what says nothing but notices is waited for to go on, in ms. */
const noticesOnlyMs = 1_000;

/** How often a line is asked until its answers fit the questions, and how long it may talk meanwhile, in ms. */
const syncAttempts = 4;
const syncTimeoutMs = 30_000;

/** Two questions with different answers, in an order that answers which lag behind do not have. */
const syncLines = ['version', unknownName, unknownName, 'version'];

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
  readonly #clock: Clock;
  /** What the module says unasked. */
  readonly #noise = new Noise();
  /** Longest that a short answer has taken, in ms. */
  #lagMs = 0;
  /** Slow or talkative: an answer counts when a question behind it has been answered, too. */
  #isUnsteady = false;
  /** An answer that has been given up may still come. */
  #isBehind = false;

  private constructor({ stream, clock, address, transport }: LineDriverOptions) {
    this.transport = transport;
    this.address = address;
    this.#stream = stream;
    this.#clock = clock;
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
    const inStep = await this.#synchronise();
    return inStep.ok ? this.#learnRefusals() : inStep;
  }

  /** Asks until each answer is that of its own question: what is still to come of earlier ones goes by. */
  async #synchronise(): Promise<Result<void, DriverFailure>> {
    for (let attempt = 0; attempt < syncAttempts; attempt++) {
      this.#isBehind = false;
      await this.#incoming.quiet(Math.max(quietMs, this.#lagMs), syncTimeoutMs);
      const inStep = await this.#isInStep();
      if (inStep.ok && inStep.value) {
        if (this.#noise.isHeard) await this.#listen();
        return success(undefined);
      }
      if (!inStep.ok && inStep.error.error === 'unreachable') return inStep;
      this.#isUnsteady = true;
      this.#lagMs = Math.max(this.#lagMs * 2, quietMs);
    }
    return driverFailure('garbled', 'The answers on this line do not fit the questions');
  }

  async #isInStep(): Promise<Result<boolean, DriverFailure>> {
    const { versionLine } = this.#dialect;
    for (const line of syncLines) {
      const sentMs = this.#clock.monotonic();
      const answered = await this.#exchange(line, {});
      if (!answered.ok) return answered;
      this.#notice(this.#incoming.heardAtMs - sentMs);
      const lines = Buffer.from(answered.value.bytes).toString('latin1').split(/\r?\n/);
      const isVersion = lines.includes(versionLine);
      if (isVersion !== (line === 'version')) return success(false);
      if (isVersion) this.#noise.hear(lines.filter((one) => one !== versionLine));
    }
    this.#isUnsteady ||= this.#noise.isHeard;
    return success(true);
  }

  #notice(lagMs: number): void {
    this.#lagMs = Math.max(this.#lagMs, lagMs);
    this.#isUnsteady ||= lagMs > steadyMs;
  }

  /** Hears what the module says unasked. */
  async #listen(): Promise<void> {
    this.#incoming.clear();
    await sleep(this.#clock, listenMs);
    const { prompt } = this.#dialect;
    this.#noise.hear(this.#incoming.text.split(/\r?\n/).map((line) => withoutPrompts(line, prompt)));
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
    const inStep = await this.#synchronise();
    if (!inStep.ok) return inStep;
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
    const sentMs = this.#clock.monotonic() + quietMs;
    for (let attempt = 0; attempt < 3; attempt++) {
      // Ends what a user before may have half typed.
      this.#write('\r\n');
      await this.#incoming.quiet(quietMs, greetingTimeoutMs);
      this.#incoming.clear();
      this.#write('version\r\n');
      const askedMs = this.#clock.monotonic();
      const isOver = (silentMs: number): boolean => silentMs >= quietMs || this.#clock.monotonic() - askedMs >= talkMs;
      const found = await this.#incoming.wait((text, silentMs) => (isOver(silentMs) ? dialectOf(text) : undefined), {
        timeoutMs: greetingTimeoutMs / 3,
        recheckMs: quietMs,
      });
      if (found.kind === 'found') {
        this.#dialect = found.value;
        this.#notice(this.#incoming.heardAtMs - sentMs);
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
    const { versionLine } = this.#dialect;
    const askedMs = this.#clock.monotonic();
    // The echo alone is no answer, and neither is what a line says that is slow or talks by itself.
    const isAnswered = (text: string): boolean =>
      text.split(/\r?\n/).filter((line) => line !== '').length > (echoed === '' ? 0 : 1) &&
      (!this.#isUnsteady || this.#clock.monotonic() - askedMs > Math.max(talkMs, this.#lagMs * 3));
    const found = await this.#incoming.wait(
      (text, silentMs) =>
        (silentMs >= (this.#isUnsteady ? settleMs : quietMs) && (text.includes(versionLine) || isAnswered(text))) ||
        undefined,
      { timeoutMs: answerTimeoutMs, recheckMs: quietMs },
    );
    if (found.kind === 'closed') return driverFailure('unreachable', 'The line has been closed');
    const { text } = this.#incoming;
    this.#escapes = text.includes(versionLine) && !text.includes(`${nothing}${echoed}`);
    // From now on the module knows that it speaks with a telnet client.
    const reader = new TelnetReader();
    if (this.#escapes) this.#incoming.decode = (bytes) => telnetData(reader, bytes);
    return success(undefined);
  }

  async #run(line: string, options: RunOptions): Promise<Result<Answer, DriverFailure>> {
    if (this.#isBehind) {
      const inStep = await this.#synchronise();
      if (!inStep.ok) return inStep;
    }
    return this.#exchange(line, options);
  }

  async #exchange(line: string, options: RunOptions): Promise<Result<Answer, DriverFailure>> {
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
    const whole = found.ok && this.#isUnsteady && !headers && prompt !== '' ? await this.#confirm(awaited) : found;
    this.#isBehind = !whole.ok;
    return whole.ok ? this.#answer(whole.value, awaited) : whole;
  }

  /** Asks for the version behind an answer: what has come before that answer is all of it, however late it was. */
  async #confirm(awaited: Awaited): Promise<Result<Framed, DriverFailure>> {
    const before = this.#incoming.text.length;
    this.#write('version\r\n');
    const found = await this.#incoming.wait(
      (text, silentMs) => (silentMs >= settleMs ? markedAnswer(this.#dialect, text, awaited, before) : undefined),
      { timeoutMs: answerTimeoutMs, recheckMs: settleMs },
    );
    if (found.kind === 'found') return success(found.value);
    if (found.kind === 'closed') return driverFailure('unreachable', 'The line was closed within an answer');
    return driverFailure('garbled', `It is not known where the answer to "${awaited.line.slice(0, 80)}" ends`);
  }

  /** An answer that comes before the data is a refusal. */
  async #earlyRefusal(awaited: Awaited): Promise<Answer | undefined> {
    const early = await this.#early({ ...awaited, data: '' });
    if (!early) return undefined;
    const bytes = Buffer.from(early.payload, 'latin1');
    return { code: early.code ?? refusalIn(this.#refusals, early.payload) ?? 1, bytes };
  }

  async #early(awaited: Awaited): Promise<Framed | undefined> {
    if (!this.#isUnsteady) {
      await this.#incoming.quiet(refusalWaitMs, answerTimeoutMs);
      return framed(this.#dialect, this.#incoming.text, awaited);
    }
    const timeoutMs = Math.max(refusalWaitMs, this.#lagMs * 2);
    const found = await this.#incoming.wait(
      (text) => {
        const early = framed(this.#dialect, text, awaited);
        return early && this.#noise.without(early.payload) !== '' ? early : undefined;
      },
      { timeoutMs, recheckMs: settleMs },
    );
    return found.kind === 'found' ? found.value : undefined;
  }

  async #await(awaited: Awaited, timeoutMs: number): Promise<Result<Framed, DriverFailure>> {
    let nudged = false;
    const found = await this.#incoming.wait(
      (text, silentMs) => {
        const whole = framed(this.#dialect, text, awaited);
        if (whole && (whole.isCertain || silentMs >= this.#settleMs(whole, awaited))) return whole;
        if (silentMs < Math.max(logQuietMs, this.#lagMs * 2)) return undefined;
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

  /** A slow module may say something else before it answers. */
  #settleMs({ payload }: Framed, { payloadBytes }: Awaited): number {
    const isNotices = payload !== '' && payloadBytes === undefined && this.#noise.without(payload) === '';
    return isNotices && !this.#isUnsteady ? noticesOnlyMs : settleMs;
  }

  #answer({ code, payload }: Framed, { line, payloadBytes }: Awaited): Result<Answer, DriverFailure> {
    if (line !== 'version' && payloadBytes === undefined && this.#hasRestarted(payload))
      return driverFailure('restarted', 'The module has restarted within an answer');
    const text = code === undefined && payloadBytes === undefined ? this.#ownText(payload) : payload;
    const known = code ?? refusalIn(this.#refusals, text) ?? 0;
    return success({ code: known, bytes: Buffer.from(text, 'latin1') });
  }

  /** The text of an answer without what was said meanwhile. */
  #ownText(payload: string): string {
    const own = this.#noise.without(payload);
    if (own === '') return payload;
    return this.#isUnsteady ? own.replace(/^[\r\n]+|[\r\n]+$/g, '') : own;
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

const telnetData = (reader: TelnetReader, bytes: Uint8Array): Uint8Array =>
  Buffer.concat(reader.read(bytes).flatMap((event) => (event.kind === 'data' ? [event.bytes] : [])));
