import { type Clock, ignoreFailure } from '@moorage/base';
import type { Pins } from './gpio.ts';
import { Indicators, type Subsystem, subsystems } from './indicators.ts';
import type { PinRoles } from './pin-roles.ts';
import type { Direction, Level } from './pin-table.ts';

/** How the network stands, as the indicators show it. */
interface NetworkSigns {
  /** 0 down, 1 joined without address, 2 up, 3 joining. */
  readonly status: number;
  /** The last join has failed. */
  readonly failed: boolean;
  readonly softApUp: boolean;
}

export interface PinDutyParts {
  readonly clock: Clock;
  readonly pins: Pins;
  readonly roles: PinRoles;
  /** Entries of `gpio.init`. */
  readonly initialPins: () => Iterable<{ readonly pin: number; readonly direction: Direction; readonly level: Level }>;
  /** Pin of an LED, or -1, and its patterns with `|` between. */
  readonly indicator: (subsystem: Subsystem) => { readonly pin: number; readonly patterns: string };
  readonly signs: () => NetworkSigns;
  /** Calls back after every change of the signs; returns unsubscribe. */
  readonly watchSigns: (changed: () => void) => () => void;
  /** `setup.gpio.mode` says that the pin counts at any time. */
  readonly setupAtAnyTime: () => boolean;
  readonly runSetup: () => void;
  readonly factoryReset: () => void;
}

/** The pin that brings the defaults back, and how long it has to be asserted. Spec: MOD-OPT-factory_reset-pin. */
const resetPin = 0;
const resetHoldMs = 10_000;

/** How long the setup pin has to be held after a reset. Spec: MOD-VAR-setup.gpio.control_gpio. */
const setupHoldMs = 3_000;

/** Which of a subsystem's patterns is shown. Reference: variables 3.5. */
const stateOf: Readonly<Record<Subsystem, (signs: NetworkSigns) => number>> = {
  // Off, error, connecting, connected.
  wlan: ({ status, failed }) => [failed ? 1 : 0, 3, 3, 2][status] ?? 0,
  // No address, DHCP active, address obtained.
  network: ({ status }) => [0, 1, 2, 0][status] ?? 0,
  // Off, error, starting, running; it starts at once and without errors.
  softap: ({ softApUp }) => (softApUp ? 3 : 0),
};

/** What the module does with pins by itself, from a boot to the next halt. */
export class PinDuties {
  readonly #parts: PinDutyParts;
  #stops: (() => void)[] | undefined;
  #commandPin: number | undefined;
  /** After a reset by the pin it has to be released before it counts again. */
  #resetArmed = true;

  constructor(parts: PinDutyParts) {
    this.#parts = parts;
  }

  /** The variables have been loaded. */
  start(): void {
    const { pins, initialPins, roles } = this.#parts;
    pins.reset();
    // Spec: MOD-VAR-gpio.init, MOD-GPIO-runtime. A pin that a function has stays with it.
    for (const { pin, direction, level } of initialPins()) ignoreFailure(pins.register(pin, direction, level));
    this.#commandPin = roles.pinOf('system.cmd.gpio');
    roles.put('system.cmd.gpio', 0);
    this.#startSigns();
    this.#watchReset();
    this.#watchSetup();
  }

  /** The board goes down: no pin has a use, and nothing is pending. */
  stop(): void {
    for (const stop of this.#stops?.splice(0) ?? []) stop();
    this.#stops = undefined;
    this.#commandPin = undefined;
    this.#parts.pins.reset();
  }

  /** Toggles the pin that shows that a command is done. Spec: MOD-VAR-system.cmd.gpio. */
  commandDone(): void {
    const pin = this.#commandPin;
    const { pins, roles } = this.#parts;
    if (pin === undefined || roles.pinOf('system.cmd.gpio') !== pin) return;
    roles.put('system.cmd.gpio', pins.level(pin) === 1 ? 0 : 1);
  }

  /** Indicators, with the pins that they have at boot, and `wlan.network.up_gpio` follow the network. */
  #startSigns(): void {
    const { roles, signs, watchSigns } = this.#parts;
    const light = this.#startIndicators();
    const show = (): void => {
      const now = signs();
      light?.(now);
      roles.put('wlan.network.up_gpio', now.status === 2 ? 1 : 0);
    };
    show();
    this.#onStop(watchSigns(show));
  }

  /** `undefined` when no LED has a pin. Spec: MOD-VAR-system.indicator.gpio. */
  #startIndicators(): ((signs: NetworkSigns) => void) | undefined {
    const { clock, indicator, pins } = this.#parts;
    const lit = subsystems.map((name) => ({ name, ...indicator(name) })).filter(({ pin }) => pin >= 0);
    if (lit.length === 0) return undefined;
    const pinOf = new Map(lit.map(({ name, pin }) => [name, pin]));
    const indicators = new Indicators(clock, (name, level) => {
      const pin = pinOf.get(name);
      if (pin !== undefined) pins.put(`system.indicator.gpio ${name}`, pin, level);
    });
    this.#onStop(() => indicators.stop());
    return (signs) => {
      for (const { name, patterns } of lit) indicators.show(name, patterns.split('|')[stateOf[name](signs)] ?? '');
    };
  }

  #watchReset(): void {
    const { factoryReset, pins } = this.#parts;
    if (pins.count <= resetPin || !pins.asserted(resetPin) || !this.#resetArmed) return;
    this.#whenHeld(resetPin, resetHoldMs, () => {
      this.#resetArmed = false;
      const stop = pins.watch(resetPin, () => {
        if (pins.asserted(resetPin)) return;
        this.#resetArmed = true;
        stop();
      });
      factoryReset();
    });
  }

  #watchSetup(): void {
    const { pins, roles, runSetup, setupAtAnyTime } = this.#parts;
    const pin = roles.pinOf('setup.gpio.control_gpio');
    if (pin === undefined) return;
    const atAnyTime = setupAtAnyTime();
    if (pins.asserted(pin)) this.#whenHeld(pin, setupHoldMs, runSetup);
    this.#onStop(
      roles.watch('setup.gpio.control_gpio', (asserted) => {
        if (asserted && atAnyTime) runSetup();
      }),
    );
  }

  /** Acts when an asserted pin stays so for a time. */
  #whenHeld(pin: number, holdMs: number, act: () => void): void {
    const { clock, pins } = this.#parts;
    const end = (): void => {
      cancel();
      stop();
    };
    const cancel = clock.after(holdMs, () => {
      end();
      act();
    });
    const stop = pins.watch(pin, () => {
      if (!pins.asserted(pin)) end();
    });
    this.#onStop(end);
  }

  #onStop(...stops: (() => void)[]): void {
    this.#stops ??= [];
    this.#stops.push(...stops);
  }
}
