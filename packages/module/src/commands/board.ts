import type { Clock } from '@moorage/base';
import type { Link } from '../cloud/link.ts';
import type { Faults } from '../device/faults.ts';
import type { Flash } from '../device/flash-files.ts';
import type { Pins } from '../device/gpio.ts';
import type { Identity } from '../device/identity.ts';
import type { Log } from '../device/log.ts';
import type { PinRoles } from '../device/pin-roles.ts';
import type { Rtc } from '../device/rtc.ts';
import type { StreamTable } from '../device/streams.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { commandDefiner } from '../interpreter/command.ts';
import type { CommandQueue } from '../interpreter/queue.ts';
import type { Registry } from '../interpreter/registry.ts';
import type { Model } from '../model.ts';
import type { Personality, Timings } from '../personality.ts';
import type { Random } from '../random.ts';
import type { VariableStore } from '../variables/store.ts';
import type { Wlan } from '../wlan/wlan.ts';

/** The parts of a module, as its commands see them; `module.ts` puts them together. */
export interface Board {
  readonly clock: Clock;
  readonly random: Random;
  readonly model: Model;
  readonly personality: Personality;
  readonly identity: Identity;
  readonly registry: Registry<Board>;
  /** The turn of the commands of all sessions. */
  readonly queue: CommandQueue;
  /** The module's own clock; knows the time only once it has been set. */
  readonly rtc: Rtc;
  readonly variables: VariableStore;
  readonly flash: Flash;
  readonly streams: StreamTable;
  readonly log: Log;
  readonly wlan: Wlan;
  readonly link: Link;
  readonly pins: Pins;
  /** The pins that variables name. */
  readonly pinRoles: PinRoles;
  readonly faults: Faults;
  /** The recovery program runs. */
  readonly safeMode: boolean;
  /** How long slow operations take, drawn anew each time. */
  readonly timings: Timings;
  readonly sessionLimits: SessionBoard['sessionLimits'];
  /** Stops everything; a wake-up source boots again. Resolves when the module is asleep. */
  sleep(): Promise<void>;
  /** Stops everything volatile and boots again. Resolves when `[Ready]` has been printed. */
  reboot(): Promise<void>;
  /** All variables to their defaults, the saved copy too; then a reboot. */
  factoryReset(): Promise<void>;
}

/** Declares a command of the module. */
export const defineCommand = commandDefiner<Board>();
