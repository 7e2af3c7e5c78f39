import type { DataCloud, DeviceClient } from '@moorage/device';
import type { Bus } from '../bus/bus.ts';
import type { DataMessages } from '../cloud/message-streams.ts';
import type { Faults } from '../device/faults.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { commandDefiner } from '../interpreter/command.ts';
import type { Caller, Execution } from '../interpreter/execute.ts';
import type { CommandQueue } from '../interpreter/queue.ts';
import type { Registry } from '../interpreter/registry.ts';
import type { Timings } from '../personality/timings.ts';
import type { ServiceParts } from '../services/service.ts';
import type { Sockets } from '../services/sockets.ts';
import type { WebSetup } from '../services/web-setup.ts';

/** The finished module, as its commands see it: what services take, and what only commands do. */
export interface Board extends ServiceParts {
  readonly registry: Registry<Board>;
  /** The turn of the commands of all sessions. */
  readonly queue: CommandQueue;
  readonly webSetup: WebSetup;
  /** The servers behind network streams. */
  readonly sockets: Sockets;
  /** Speaks to the service. */
  readonly client: DeviceClient;
  /** Streams and controls at the service. */
  readonly cloud: DataCloud;
  readonly messages: DataMessages;
  /** The serial ports, and what they are for. */
  readonly bus: Bus;
  readonly faults: Faults;
  /** The recovery program runs. */
  readonly safeMode: boolean;
  /** How long slow operations take, drawn anew each time. */
  readonly timings: Timings;
  readonly sessionLimits: SessionBoard['sessionLimits'];
  /** Runs one command line in its turn, for a caller that sends it whole. */
  execute(line: string, data?: Uint8Array, caller?: Caller): Promise<Execution>;
  executeNow(line: string, data?: Uint8Array, caller?: Caller): Execution | Promise<Execution>;
  /** Stops everything; a wake-up source boots again. Resolves when the module is asleep. */
  sleep(): Promise<void>;
  /** Stops everything volatile and boots again. Resolves when `[Ready]` has been printed. */
  reboot(): Promise<void>;
  /** All variables to their defaults, the saved copy too; then a reboot. */
  factoryReset(): Promise<void>;
}

/** Declares a command of the module. */
export const defineCommand = commandDefiner<Board>();
