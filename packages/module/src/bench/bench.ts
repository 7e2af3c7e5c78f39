import { Duplex } from 'node:stream';
import { type Clock, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { type Conditions, MemoryNetwork } from '@moorage/net/memory';
import { attachSession } from '../bus/attach-session.ts';
import type { Board } from '../commands/board.ts';
import type { Signal } from '../device/gpio.ts';
import type { AnalogWaveform, Waveform } from '../device/pin-outside.ts';
import type { Level } from '../device/pin-table.ts';
import type { Execution } from '../interpreter/execute.ts';
import { createModule, type Module, type ModuleOptions } from '../module.ts';
import { type Air, defaultAir } from '../wlan/air.ts';
import { Output } from './output.ts';
import { passUntil } from './passage.ts';
import { Transcript } from './transcript.ts';

/** What a bench is made of; everything has a default. */
export interface BenchOptions extends Partial<Omit<ModuleOptions, 'store' | 'clock'>> {
  /** Virtual time without it. */
  readonly clock?: Clock;
  /** What the module finds in its flash; blank without it. */
  readonly store?: MemoryStore;
  /** Connects others to a module before it boots; what it returns is called when the power goes. */
  readonly attach?: (module: Module) => Promise<() => Promise<void>>;
}

/** Something that was expected has not happened; the message says what. */
export class ExpectationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ExpectationError';
  }
}

/** Longest wait for something that is expected, where none is named, in ms of module time. */
export const defaultWithinMs = 10_000;
/** Longest wait for a boot or for a command that is called, in ms of module time. */
const callLimitMs = 600_000;
/** How long the power stays away when nothing else is said, in ms. */
const defaultOffMs = 1_000;
/** A spell as long as its period never ends. */
const always = { atMs: 0, forMs: 1, everyMs: 1 };
/** Where a bench with a clock of its own begins: 2024-01-01 00:00:00 UTC. */
const epochMs = Date.UTC(2024, 0, 1);

/** The host's end of a serial line: what the module sends is read at once. */
function hostLine(received: (bytes: Uint8Array) => void): Duplex {
  return new Duplex({
    read: () => {},
    write: (bytes: Buffer, _encoding, done) => {
      received(bytes);
      done();
    },
  });
}

const isVirtual = (clock: Clock): clock is VirtualClock => clock instanceof VirtualClock;

/**
 * One module with what is around it: a host on its serial line, hands on its pins, its power, its radio and its network.
 * Time passes only while something is waited for, unless another clock than a virtual one is given.
 */
export class Bench {
  readonly clock: Clock;
  /** The network behind its radio, for servers of a test; `undefined` where the bench was given another one. */
  readonly network: MemoryNetwork | undefined;
  readonly transcript: Transcript;
  readonly #options: Omit<ModuleOptions, 'store'>;
  readonly #attach: BenchOptions['attach'];
  /** As it was given, and as it is. */
  readonly #usualAir: Air;
  readonly #air: Air;
  readonly #output: Output;
  /** What is connected to pins stays so when the module is switched off: how, by the pin. */
  readonly #connected = new Map<number, (module: Module) => void>();
  #store: MemoryStore;
  #module: Module | undefined;
  #line: Duplex | undefined;
  #detach: (() => Promise<void>) | undefined;

  /** Use `openBench`. */
  constructor({ clock = new VirtualClock(epochMs), air = defaultAir, store, net, attach, ...others }: BenchOptions) {
    this.#attach = attach;
    this.clock = clock;
    this.network = net || !isVirtual(clock) ? undefined : new MemoryNetwork(clock);
    const network = net ?? this.network?.attach('module', '10.5.6.108');
    if (!network) throw new Error('A bench in real time is given its network');
    this.#usualAir = air;
    this.#air = structuredClone(air);
    this.#options = { seed: 1, ...others, clock, net: network, air: this.#air };
    this.#store = store ?? new MemoryStore();
    this.transcript = new Transcript(clock);
    this.#output = new Output((text) => this.transcript.received(text));
  }

  /** The module; another one after each power cut. Throws while the power is off. */
  get module(): Module {
    if (!this.#module) throw new Error('The module has no power');
    return this.#module;
  }

  /** Types a line and Enter. */
  send(line: string): void {
    this.transcript.add('>', line);
    this.#output.sent(line);
    this.#line?.push(Buffer.from(`${line}\r`));
  }

  /** Types without Enter: the data behind a command, or single keys. */
  type(data: string | Uint8Array): void {
    const bytes = Buffer.from(data);
    this.transcript.add('>', bytes.toString('utf8'));
    this.#line?.push(bytes);
  }

  /**
   * Waits until the output behind the last match has the pattern, and returns the match. Prompts and the echo of sent
   * lines are no output, and lines end in `\n`.
   *
   * @throws {ExpectationError} when it has not come within `withinMs` of module time
   */
  async expect(pattern: string | RegExp, { withinMs = defaultWithinMs } = {}): Promise<RegExpExecArray> {
    const match = await this.#pass(() => this.#output.take(pattern), withinMs);
    if (match) return match;
    throw new ExpectationError(
      `${quoted(pattern)} did not come within ${withinMs} ms; ${this.#output.shown || 'nothing came'}`,
    );
  }

  /** Lets `forMs` pass. @throws {ExpectationError} when the pattern comes meanwhile */
  async expectNone(pattern: string | RegExp, forMs: number): Promise<void> {
    if (await this.#pass(() => this.#output.take(pattern), forMs)) {
      throw new ExpectationError(`${quoted(pattern)} came, and should not within ${forMs} ms`);
    }
  }

  /** Waits until a pin has this level, seen from outside. @throws {ExpectationError} when it has not within `withinMs` */
  async expectPin(pin: number, level: Level | null, { withinMs = defaultWithinMs } = {}): Promise<void> {
    const look = (): true | undefined => {
      const signal = this.signal(pin);
      return 'level' in signal && signal.level === level ? true : undefined;
    };
    if (await this.#pass(look, withinMs)) return;
    throw new ExpectationError(
      `Pin ${pin} has not become ${levelText(level)} within ${withinMs} ms; it is ${JSON.stringify(this.signal(pin))}`,
    );
  }

  /** Runs a command as a program does, beside the serial line; its code and text. */
  async command(line: string, data?: string | Uint8Array): Promise<Execution> {
    this.transcript.add('>', line);
    const done = await this.#settle(this.module.execute(line, data === undefined ? undefined : Buffer.from(data)));
    this.transcript.add('<', `${done.code} ${done.text.trimEnd()}`);
    return done;
  }

  /** Lets time pass. */
  async wait(ms: number): Promise<void> {
    await this.#pass(() => undefined, ms);
  }

  /** What the module does with a pin, or with nothing there, what is connected to it. */
  signal(pin: number): Signal {
    return this.module.pins.signal(pin);
  }

  /** Connects a level or a waveform to a pin; `null` lets go of it. It stays over resets and power cuts. */
  drive(pin: number, what: Level | null | Waveform): void {
    const text = what === null || typeof what === 'number' ? levelText(what) : 'waveform';
    this.#connect(pin, text, (module) => module.pins.drive(pin, what));
  }

  /** The same with a voltage, or one that changes with the ms since it was connected. */
  analog(pin: number, what: number | AnalogWaveform): void {
    const text = typeof what === 'number' ? `${what} V` : 'voltage';
    this.#connect(pin, text, (module) => module.pins.analog(pin, what));
  }

  /** The power goes at once, for a time; what was not yet written is lost. Resolves when the module is up again. */
  async cutPower(offMs = defaultOffMs): Promise<void> {
    this.transcript.add('!', `power off for ${offMs} ms`);
    await this.#powerOff();
    await this.wait(offMs);
    await this.powerOn();
  }

  /** The reset pin; resolves when the module is up again. */
  async reset(): Promise<void> {
    this.transcript.add('!', 'reset');
    await this.#settle(this.module.reset());
  }

  /** The module's program crashes with an exception of this name of 2 to 48 characters, and the watchdog resets it. */
  async fault(name: string): Promise<void> {
    this.transcript.add('!', `fault ${name}`);
    await this.#settle(this.module.fault(name));
  }

  /** All access points fall silent, or are back. */
  setLink(state: 'up' | 'down'): void {
    this.transcript.add('!', `link ${state}`);
    for (const [index, point] of this.#air.accessPoints.entries()) {
      point.outages = state === 'down' ? [always] : (this.#usualAir.accessPoints[index]?.outages ?? []);
    }
    if (state === 'down') this.module.wlan.loseLink();
  }

  /** The network behind the access point swallows everything, or works again. Throws for a network that was given. */
  setNetwork(state: 'up' | 'down'): void {
    const { network } = this;
    if (!network) throw new Error('Only the network of a bench in virtual time can go down');
    this.transcript.add('!', `network ${state}`);
    const isDown = state === 'down';
    network.conditions = (): Conditions => ({ silent: isDown });
    network.datagramConditions = () => ({ lossPercent: isDown ? 100 : 0 });
    network.nameConditions = () => (isDown ? { fails: 'timeout' } : {});
  }

  /** Switches the module on. Resolves when it is up. */
  async powerOn(): Promise<void> {
    const module = await createModule({ ...this.#options, store: this.#store });
    this.#module = module;
    this.#line = hostLine((bytes) => this.#output.received(bytes));
    attachSession<Board>(module, 'serial', this.#line);
    for (const connect of this.#connected.values()) connect(module);
    this.#detach = await this.#attach?.(module);
    this.transcript.add('!', 'power on');
    await this.#settle(module.boot());
  }

  async close(): Promise<void> {
    if (this.#module) await this.#powerOff();
  }

  #connect(pin: number, text: string, connect: (module: Module) => void): void {
    connect(this.module);
    this.#connected.set(pin, connect);
    this.transcript.add('!', `pin ${pin} ${text}`);
  }

  /** What the module still does while it closes reaches no flash that is looked at again, and no host. */
  async #powerOff(): Promise<void> {
    const { module } = this;
    this.#store = this.#store.survivor();
    this.#module = undefined;
    this.#line?.destroy();
    this.#line = undefined;
    this.#output.forget();
    await this.#detach?.();
    this.#detach = undefined;
    await this.#settle(module.close());
  }

  async #settle<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const end = (): void => {
      settled = true;
    };
    promise.then(end, end);
    if (!(await this.#pass(() => settled || undefined, callLimitMs))) {
      throw new ExpectationError(`The module has not answered within ${callLimitMs} ms`);
    }
    return promise;
  }

  #pass<T>(look: () => T | undefined, withinMs: number): Promise<T | undefined> {
    return passUntil(this.clock, look, withinMs);
  }
}

const levelText = (level: Level | null): string => (level === null ? 'floating' : level === 1 ? 'high' : 'low');

const quoted = (pattern: string | RegExp): string => (typeof pattern === 'string' ? `"${pattern}"` : String(pattern));

/** A bench whose module has booted. @throws when the personality names commands that do not exist */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const bench = new Bench(options);
  await bench.powerOn();
  return bench;
}
