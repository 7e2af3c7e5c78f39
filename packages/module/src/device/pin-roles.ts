import type { Pins } from './gpio.ts';
import type { Level } from './pin-table.ts';

/** Variables whose pin the module reads: asserted is driven high from outside. */
type InputRole = 'bus.stream.cmd_gpio' | 'ioconn.control_gpio' | 'setup.gpio.control_gpio';

/** Variables whose pin the module drives. */
export type OutputRole =
  | 'ioconn.status_gpio'
  | 'system.cmd.gpio'
  | 'system.oob.gpio'
  | 'tcp.server.connected_gpio'
  | 'tcp.server.data_gpio'
  | 'udp.server.data_gpio'
  | 'wlan.network.up_gpio';

type PinRole = InputRole | OutputRole;

/** The pins that variables name, for the code behind the variables. Reference: variables 4.1. */
export class PinRoles {
  readonly #pins: Pins;
  readonly #pinOf: (role: PinRole) => number;

  /** `pinOf` answers -1 when the variable names none. */
  constructor(pins: Pins, pinOf: (role: PinRole) => number) {
    this.#pins = pins;
    this.#pinOf = pinOf;
  }

  /** The pin of a role; `undefined` when it has none, or has had it taken away. */
  pinOf(role: PinRole): number | undefined {
    const pin = this.#pinOf(role);
    return pin < 0 || this.#pins.isFreed(pin) ? undefined : pin;
  }

  /** Gives the pin of a role its level; nothing happens when it has none. */
  put(role: OutputRole, level: Level): void {
    const pin = this.pinOf(role);
    if (pin !== undefined) this.#pins.put(role, pin, level);
  }

  /** A role without a pin is never asserted. */
  isAsserted(role: InputRole): boolean {
    const pin = this.pinOf(role);
    return pin !== undefined && this.#pins.asserted(pin);
  }

  /**
   * Calls `listener` whenever the pin that the role has now is asserted or released. Returns unsubscribe; a role
   * without a pin is not watched, so watch again after a boot.
   */
  watch(role: InputRole, listener: (asserted: boolean) => void): () => void {
    const pin = this.pinOf(role);
    if (pin === undefined) return () => {};
    let last = this.isAsserted(role);
    return this.#pins.watch(pin, () => {
      const asserted = this.#pinOf(role) === pin && this.isAsserted(role);
      if (asserted === last) return;
      last = asserted;
      listener(asserted);
    });
  }
}
