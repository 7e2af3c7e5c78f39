import type { Clock, Random } from '@moorage/base';
import type { Interface, Net } from '@moorage/net';
import type { Flash } from '../device/flash-files.ts';
import type { Pins } from '../device/gpio.ts';
import type { Identity } from '../device/identity.ts';
import type { Log } from '../device/log.ts';
import type { PinRoles } from '../device/pin-roles.ts';
import type { Rtc } from '../device/rtc.ts';
import type { StreamTable } from '../device/streams.ts';
import type { Model } from '../model/model.ts';
import type { Personality } from '../personality/personality.ts';
import type { VariableStore } from '../variables/store.ts';
import type { Wlan } from '../wlan/wlan.ts';

/** What the services of the setup network ask. */
export interface WebSetupFacts {
  /** Web setup runs: the soft AP is the setup network, and its DHCP, DNS and HTTP servers are on whatever else is set. */
  readonly active: boolean;
  /** A client has requested the page: from now on web setup does not end by itself. */
  pageOpened(): void;
}

/** The finished parts of a module of which a network service names those that it takes. */
export interface ServiceParts {
  readonly clock: Clock;
  /** Time as peers live in it, where the module's own clock runs faster than theirs. */
  readonly hostClock?: Clock;
  readonly random: Random;
  readonly model: Model;
  readonly personality: Personality;
  readonly identity: Identity;
  readonly net: Net;
  readonly rtc: Rtc;
  readonly variables: VariableStore;
  readonly flash: Flash;
  readonly streams: StreamTable;
  readonly log: Log;
  readonly pins: Pins;
  readonly pinRoles: PinRoles;
  readonly wlan: Wlan;
  readonly webSetup: WebSetupFacts;
}

/** A service that has been started. */
export interface RunningService {
  /** Lets go of its sockets and timers; does not fail. Called once. */
  stop(): void | Promise<void>;
}

/** Something that the module does by itself on an interface while that is up. */
export interface NetworkService<Parts = ServiceParts> {
  readonly name: string;
  /** Spec id of the rule that asks for it. */
  readonly spec: string;
  /** The interfaces on which it is wanted, asked when one comes up; none while it is switched off. */
  wanted(parts: Parts): readonly Interface[];
  /** Starts on an interface that has its address. What cannot start says so in the log and answers `undefined`. */
  start(parts: Parts, iface: Interface): RunningService | undefined | Promise<RunningService | undefined>;
}
