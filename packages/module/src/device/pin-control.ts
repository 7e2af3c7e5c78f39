import { type Clock, dayMs, failure, type Result, success } from '@moorage/base';
import { isFaultName } from './faults.ts';
import type { Pins, Signal } from './gpio.ts';
import { type AnalogWaveform, maxWaveformSteps } from './pin-outside.ts';
import { type RestCall, type RestReply, restReply } from './pin-rest.ts';
import type { Level } from './pin-table.ts';
import type { PowerState } from './power-table.ts';

/** Power of the module behind the pins, for what reaches its reset pin or makes its program crash. */
interface ControlledPower {
  readonly power: { readonly state: PowerState };
  reset(): Promise<void>;
  fault(name: string): Promise<void>;
  cutPower(): Promise<void>;
  powerUp(): Promise<void>;
}

/** Longest request line, in bytes. */
export const maxControlLineBytes = 65_536;

const maxStepMs = dayMs;
const maxVolts = 100;
const newline = 0x0a;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumber = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && value >= min && value <= max;

const isLevel = (value: unknown): value is Level | null => value === 0 || value === 1 || value === null;

/** Exactly these keys and no others; those with a question mark may be missing. */
function hasKeys(fields: Fields, ...keys: readonly string[]): boolean {
  const known = keys.map((key) => key.replace('?', ''));
  const required = keys.filter((key) => !key.endsWith('?'));
  return Object.keys(fields).every((key) => known.includes(key)) && required.every((key) => Object.hasOwn(fields, key));
}

/** Pairs of numbers out of JSON, each checked. */
function readPairs<A, B>(
  value: unknown,
  first: (item: unknown) => item is A,
  second: (item: unknown) => item is B,
): readonly (readonly [A, B])[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxWaveformSteps) return undefined;
  const pairs: (readonly [A, B])[] = [];
  for (const pair of value as readonly unknown[]) {
    if (!Array.isArray(pair) || pair.length !== 2) return undefined;
    const [a, b] = pair as readonly unknown[];
    if (!first(a) || !second(b)) return undefined;
    pairs.push([a, b]);
  }
  return pairs;
}

/** The voltage on the lines between points of `[ms, volts]`; repeated, the last point is the first again. */
function piecewise(points: readonly (readonly [ms: number, volts: number])[], repeat: boolean): AnalogWaveform {
  const endMs = points.at(-1)?.[0] ?? 0;
  return (ms) => {
    const at = repeat && endMs > 0 ? ms % endMs : ms;
    const next = points.findIndex(([pointMs]) => pointMs > at);
    const [toMs, to] = points.at(next) ?? [0, 0];
    const [fromMs, from] = points[next - 1] ?? [toMs, to];
    return next < 0 || toMs === fromMs ? to : from + ((to - from) * (at - fromMs)) / (toMs - fromMs);
  };
}

/**
 * The world outside of a board for another program: requests are JSON objects, one on each line, and each is answered by
 * one line; watched pins add lines of their own. `docs/guide/pins.md` describes them.
 */
export class PinControl {
  readonly #pins: Pins;
  readonly #clock: Clock;
  readonly #write: (line: string) => void;
  readonly #board: ControlledPower | undefined;
  readonly #faults: { readonly names: readonly string[] };
  readonly #watched = new Map<number, () => void>();
  #received: Uint8Array[] = [];
  #receivedBytes = 0;
  /** The line was too long: what is left of it is skipped. */
  #skipping = false;

  /** `write` takes whole lines with their line end. Without a board there are pins alone. */
  constructor(
    pins: Pins,
    clock: Clock,
    write: (line: string) => void,
    board?: ControlledPower,
    faults: { readonly names: readonly string[] } = { names: [] },
  ) {
    this.#pins = pins;
    this.#clock = clock;
    this.#write = write;
    this.#board = board;
    this.#faults = faults;
  }

  /** Takes bytes in pieces of any size. */
  receive(bytes: Uint8Array): void {
    let rest = bytes;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      this.#gather(rest.subarray(0, end));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    this.#gather(rest);
  }

  /** Answers one request of HTTP. */
  call(call: RestCall): RestReply {
    const perform = (request: Fields) => this.#perform(request);
    const signal = (pin: number) => (this.#isPin(pin) ? this.#pins.signal(pin) : undefined);
    const volts = (pin: number) => (this.#isPin(pin) ? this.#pins.volts(pin) : undefined);
    return restReply({ perform, signal, volts, hasPower: this.#hasPower, faults: this.#faults.names }, call);
  }

  /** Watches end; what is connected to pins stays connected. */
  close(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
  }

  #gather(bytes: Uint8Array): void {
    if (this.#skipping) return;
    // A copy: the sender may use the buffer again.
    if (bytes.length > 0) this.#received.push(Uint8Array.from(bytes));
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes <= maxControlLineBytes) return;
    this.#skipping = true;
    this.#received = [];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#received).toString('utf8').trim();
    const tooLong = this.#skipping;
    this.#received = [];
    this.#receivedBytes = 0;
    this.#skipping = false;
    if (tooLong) this.#say({ error: `A request has at most ${maxControlLineBytes} bytes` });
    else if (line !== '') this.#answer(line);
  }

  #answer(line: string): void {
    let request: unknown;
    try {
      request = JSON.parse(line);
    } catch {
      this.#say({ error: 'The request is not JSON' });
      return;
    }
    const done = this.#perform(request);
    this.#say(done.ok ? { ok: true } : { error: done.error });
    if (done.ok) for (const pin of done.value) this.#event(pin, this.#pins.signal(pin));
  }

  /** Does what a request asks; the pins whose signal is sent at once. */
  #perform(request: unknown): Result<readonly number[], string> {
    const [key = '', ...more] = isFields(request) ? Object.keys(request) : [];
    const run = Object.hasOwn(this.#requests, key) ? this.#requests[key] : undefined;
    if (!isFields(request) || !run || more.length > 0)
      return failure(`A request is an object with one key: ${Object.keys(this.#requests).join(', ')}`);
    return run(request[key]);
  }

  /** Each returns the pins whose signal is sent at once. */
  readonly #requests: Readonly<Record<string, (given: unknown) => Result<readonly number[], string>>> = {
    drive: (given) => this.#drive(given),
    analog: (given) => this.#analog(given),
    watch: (given) => this.#watch(given),
    unwatch: (given) => this.#unwatch(given),
    reset: (given) => this.#reset(given),
    fault: (given) => this.#fault(given),
    power: (given) => this.#power(given),
  };

  #drive(given: unknown): Result<readonly number[], string> {
    const wrong = failure('Key "drive" wants {"pin","level"} or {"pin","wave","repeat"}');
    if (!isFields(given)) return wrong;
    if (!this.#isPin(given.pin)) return this.#noPin;
    if (hasKeys(given, 'pin', 'level') && isLevel(given.level)) {
      this.#pins.drive(given.pin, given.level);
      return success([]);
    }
    const isMs = (ms: unknown): ms is number => isNumber(ms, 1, maxStepMs);
    const wave = readPairs(given.wave, isLevel, isMs);
    const { repeat = false } = given;
    if (!hasKeys(given, 'pin', 'wave', 'repeat?') || !wave || typeof repeat !== 'boolean') return wrong;
    this.#pins.drive(given.pin, { steps: wave.map(([level, ms]) => ({ level, ms })), repeat });
    return success([]);
  }

  #analog(given: unknown): Result<readonly number[], string> {
    const wrong = failure('Key "analog" wants {"pin","volts"} or {"pin","points","repeat"}');
    if (!isFields(given)) return wrong;
    if (!this.#isPin(given.pin)) return this.#noPin;
    const isVolts = (volts: unknown): volts is number => isNumber(volts, -maxVolts, maxVolts);
    if (hasKeys(given, 'pin', 'volts') && (given.volts === null || isVolts(given.volts))) {
      if (given.volts === null) this.#pins.drive(given.pin, null);
      else this.#pins.analog(given.pin, given.volts);
      return success([]);
    }
    const isMs = (ms: unknown): ms is number => isNumber(ms, 0, maxStepMs);
    const points = readPairs(given.points, isMs, isVolts);
    const { repeat = false } = given;
    const rising = points?.every(([ms], index) => ms > (points[index - 1]?.[0] ?? -1));
    if (!hasKeys(given, 'pin', 'points', 'repeat?') || !points || !rising || typeof repeat !== 'boolean') return wrong;
    this.#pins.analog(given.pin, piecewise(points, repeat));
    return success([]);
  }

  #watch(given: unknown): Result<readonly number[], string> {
    const pins = this.#readPins(given);
    if (!pins) return this.#noList('watch');
    for (const pin of pins) {
      if (this.#watched.has(pin)) continue;
      this.#watched.set(
        pin,
        this.#pins.watch(pin, (signal) => this.#event(pin, signal)),
      );
    }
    return success(pins);
  }

  #unwatch(given: unknown): Result<readonly number[], string> {
    const pins = this.#readPins(given);
    if (!pins) return this.#noList('unwatch');
    for (const pin of pins) {
      this.#watched.get(pin)?.();
      this.#watched.delete(pin);
    }
    return success([]);
  }

  #readPins(given: unknown): readonly number[] | undefined {
    if (!Array.isArray(given)) return undefined;
    const pins = new Set(given as readonly unknown[]);
    return [...pins].every((pin) => this.#isPin(pin)) ? ([...pins] as number[]) : undefined;
  }

  #isPin(pin: unknown): pin is number {
    return isNumber(pin, 0, this.#pins.count - 1) && Number.isInteger(pin);
  }

  get #noPin(): Result<never, string> {
    return failure(`Key "pin" wants a number from 0 to ${this.#pins.count - 1}`);
  }

  get #noBoard(): Result<never, string> {
    return failure('There is no board behind these pins');
  }

  #noList(key: string): Result<never, string> {
    return failure(`Key "${key}" wants a list of pins, numbers from 0 to ${this.#pins.count - 1}`);
  }

  /** The reset pin, which also ends sleep. */
  #reset(given: unknown): Result<readonly number[], string> {
    if (given !== true) return failure('Key "reset" wants true');
    if (!this.#board) return this.#noBoard;
    if (!this.#hasPower) return this.#noPower;
    this.#follow(this.#board.reset());
    return success([]);
  }

  /** The program crashes, and the watchdog resets the module. Reference: power 3.1. */
  #fault(given: unknown): Result<readonly number[], string> {
    if (typeof given !== 'string' || !isFaultName(given))
      return failure('Key "fault" wants a name of 2 to 48 printable characters');
    if (!this.#board) return this.#noBoard;
    if (!this.#hasPower) return this.#noPower;
    if (this.#board.power.state === 'asleep') return failure('A module that sleeps has no faults');
    this.#follow(this.#board.fault(given));
    return success([]);
  }

  /** The supply of the module. */
  #power(given: unknown): Result<readonly number[], string> {
    if (given !== 0 && given !== 1) return failure('Key "power" wants 0 or 1');
    if (!this.#board) return this.#noBoard;
    if (given === 0 && this.#hasPower) this.#follow(this.#board.cutPower());
    else if (given === 1) this.#follow(this.#board.powerUp());
    return success([]);
  }

  get #hasPower(): boolean {
    const { state } = this.#board?.power ?? {};
    return state !== 'unpowered' && state !== 'off';
  }

  get #noPower(): Result<never, string> {
    return failure('The module has no power');
  }

  /** A module that is switched off on its way up does not come up; any other failure is a mistake. */
  #follow(restarted: Promise<void>): void {
    restarted.catch((error: unknown) => {
      if (this.#board?.power.state !== 'off') throw error;
    });
  }

  #event(pin: number, signal: Signal): void {
    this.#say({ pin, ...signal, ms: Math.round(this.#clock.monotonic()) });
  }

  #say(message: object): void {
    this.#write(`${JSON.stringify(message)}\n`);
  }
}
