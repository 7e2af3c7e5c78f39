import type { Clock, Random } from '@moorage/base';
import type { DataCloud, DeviceClient } from '@moorage/device';
import type { Net } from '@moorage/net';
import type { Bus } from '../bus/bus.ts';
import type { DataMessages } from '../cloud/message-streams.ts';
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
import type { Execution } from '../interpreter/execute.ts';
import type { CommandQueue } from '../interpreter/queue.ts';
import type { Registry } from '../interpreter/registry.ts';
import type { Model } from '../model.ts';
import type { Personality, Timings } from '../personality.ts';
import type { NetworkServices } from '../services/network-services.ts';
import type { Sockets } from '../services/sockets.ts';
import type { WebSetup } from '../services/web-setup.ts';
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
  /** The network behind the radio. */
  readonly net: Net;
  /** What runs by itself on the interfaces. */
  readonly services: NetworkServices<Board>;
  readonly webSetup: WebSetup;
  /** The servers behind network streams. */
  readonly sockets: Sockets;
  /** Speaks to the service. */
  readonly client: DeviceClient;
  /** Streams and controls at the service. */
  readonly cloud: DataCloud;
  readonly messages: DataMessages;
  readonly pins: Pins;
  /** The pins that variables name. */
  readonly pinRoles: PinRoles;
  /** The serial ports, and what they are for. */
  readonly bus: Bus;
  readonly faults: Faults;
  /** The recovery program runs. */
  readonly safeMode: boolean;
  /** How long slow operations take, drawn anew each time. */
  readonly timings: Timings;
  readonly sessionLimits: SessionBoard['sessionLimits'];
  /** Time as peers live in it, where the module's own clock runs faster than theirs. */
  readonly hostClock?: Clock;
  /** Runs one command line in its turn, for a caller that sends it whole. */
  execute(line: string, data?: Uint8Array, stillWanted?: () => boolean): Promise<Execution>;
  executeNow(line: string, data?: Uint8Array, stillWanted?: () => boolean): Execution | Promise<Execution>;
  /** Stops everything; a wake-up source boots again. Resolves when the module is asleep. */
  sleep(): Promise<void>;
  /** Stops everything volatile and boots again. Resolves when `[Ready]` has been printed. */
  reboot(): Promise<void>;
  /** All variables to their defaults, the saved copy too; then a reboot. */
  factoryReset(): Promise<void>;
}

/** Declares a command of the module. */
export const defineCommand = commandDefiner<Board>();
