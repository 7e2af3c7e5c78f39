import type { Clock } from '@moorage/base';
import type { Link } from '../cloud/link.ts';
import type { Flash } from '../device/flash-files.ts';
import type { Log } from '../device/log.ts';
import type { StreamTable } from '../device/streams.ts';
import { commandDefiner } from '../interpreter/command.ts';
import type { Registry } from '../interpreter/registry.ts';
import type { Model } from '../model.ts';
import type { Personality } from '../personality.ts';
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
  readonly variables: VariableStore;
  readonly flash: Flash;
  readonly streams: StreamTable;
  readonly log: Log;
  readonly wlan: Wlan;
  readonly link: Link;
  /** Stops everything volatile and boots again. Resolves when `[Ready]` has been printed. */
  reboot(): Promise<void>;
  /** All variables to their defaults, the saved copy too; then a reboot. */
  factoryReset(): Promise<void>;
}

/** What is burnt into the hardware. */
export interface Identity {
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  /** 40 upper-case hex digits. */
  readonly uuid: string;
}

/** Declares a command of the module. */
export const defineCommand = commandDefiner<Board>();
