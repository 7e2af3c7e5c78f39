import { type Result, sleep, success, Turns } from '@moorage/base';
import { answerText, type Driver, type DriverFailure, driverFailure } from '../driver/driver.ts';
import { type OpenOptions, type OpenPorts, openDriver } from '../driver/open.ts';
import { macOf } from '../find/sightings.ts';

/** Where an adopted module is, and who it is. */
export interface ModulePlace extends OpenOptions {
  readonly address: string;
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
}

type Task<T> = (driver: Driver) => Promise<Result<T, DriverFailure>>;

/** Tasks that wait for their turn. */
const maxWaiting = 32;

/** Failures in a row after which a module is left alone, and for how long then, in ms. */
const failuresAtOnce = 3;
const firstRestMs = 10_000;
const longestRestMs = 300_000;

/** A terminal that has just been given back is free a moment later: how often and after what pause it is tried, in ms. */
const releaseTries = 4;
const releaseMs = 1_000;

/** What a module that is there answers, though not as asked. */
const answers: ReadonlySet<DriverFailure['error']> = new Set(['refused', 'in-use']);

/**
 * The way to one adopted module: one task at a time. A module that does not answer is left alone for a time that grows. Before
 * each task it is made sure that it is this very module. A terminal is given back behind each task.
 */
export class ModuleLink {
  readonly #ports: OpenPorts;
  readonly #place: ModulePlace;
  readonly #turns = new Turns();
  #driver: Driver | undefined;
  #waiting = 0;
  #failures = 0;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(ports: OpenPorts, place: ModulePlace) {
    this.#ports = ports;
    this.#place = place;
  }

  /** Runs a task in its turn. A patient one does not heed that the module is left alone. */
  async use<T>(task: Task<T>, { patient = false } = {}): Promise<Result<T, DriverFailure>> {
    if (this.#waiting >= maxWaiting) return driverFailure('silent', 'Too many tasks wait for this module');
    this.#waiting++;
    try {
      return await this.#turns.run(() => this.#use(task, patient));
    } finally {
      this.#waiting--;
    }
  }

  async close(): Promise<void> {
    await this.#driver?.close();
    this.#driver = undefined;
  }

  async #use<T>(task: Task<T>, patient: boolean): Promise<Result<T, DriverFailure>> {
    const { clock } = this.#ports;
    const restMs = this.#restsUntilMs - clock.monotonic();
    if (restMs > 0 && !patient)
      return driverFailure(
        'resting',
        `The module has not answered and is left alone for ${Math.ceil(restMs / 1000)} s`,
      );
    const opened = await this.#open();
    const done = opened.ok ? await task(opened.value) : opened;
    if (done.ok || answers.has(done.error.error)) {
      this.#failures = 0;
      this.#restsUntilMs = Number.NEGATIVE_INFINITY;
      // A patient task looks often, for a module that is known to be away.
    } else if (!patient) this.#failed();
    const isKept = (done.ok || done.error.error === 'refused') && this.#driver?.transport === 'serial';
    if (!isKept) await this.close();
    return done;
  }

  #failed(): void {
    this.#failures++;
    const beyond = this.#failures - failuresAtOnce;
    if (beyond < 0) return;
    const restMs = Math.min(firstRestMs * 2 ** beyond, longestRestMs);
    this.#restsUntilMs = this.#ports.clock.monotonic() + restMs;
  }

  async #open(): Promise<Result<Driver, DriverFailure>> {
    if (this.#driver) return success(this.#driver);
    const { address, mac, ...options } = this.#place;
    const open = () => openDriver(this.#ports, address, options);
    let opened = await open();
    for (let left = releaseTries; left > 0 && !opened.ok && opened.error.error === 'in-use'; left--) {
      await sleep(this.#ports.clock, releaseMs);
      opened = await open();
    }
    if (!opened.ok) return opened;
    this.#driver = opened.value;
    const asked = await opened.value.run('get wlan.mac');
    if (!asked.ok) return asked;
    const found = macOf(answerText(asked.value).trim());
    if (found === mac) return opened;
    // What was meant for one module must not reach another that has got its address.
    return driverFailure(
      'unreachable',
      `At ${address} there is the module ${found ?? 'without an address'}, not ${mac}`,
    );
  }
}
