import type { Duplex } from 'node:stream';
import { seededRandom } from '@moorage/base';
import type { DataCloud, DeviceClient } from '@moorage/device';
import type { Net } from '@moorage/net';
import { Core, type CoreOptions } from './assembly/core.ts';
import { LifeCycle } from './assembly/life-cycle.ts';
import { pinDutiesOf } from './assembly/pin-wiring.ts';
import { networkServices } from './assembly/service-list.ts';
import { clientOf, dataCloudOf, soloOf, tlsClockOf } from './assembly/wiring.ts';
import { attachCommandLine } from './bus/attach-session.ts';
import { attributesOf } from './cloud/attributes.ts';
import { DataMessages } from './cloud/message-streams.ts';
import { serviceNetwork } from './cloud/service-network.ts';
import type { Board } from './commands/board.ts';
import { registryOf } from './commands/registry.ts';
import { Flash } from './device/flash-files.ts';
import { type Identity, makeIdentity, readIdentity } from './device/identity.ts';
import { PinControl } from './device/pin-control.ts';
import type { PinDuties } from './device/pin-duties.ts';
import { type Caller, type Execution, execute, executeNow } from './interpreter/execute.ts';
import { CommandQueue } from './interpreter/queue.ts';
import type { Registry } from './interpreter/registry.ts';
import { defaultModel, factoryFiles, type Model } from './model/model.ts';
import type { Personality } from './personality/personality.ts';
import { IoConnection } from './services/io-connection.ts';
import { ModuleNet } from './services/module-net.ts';
import { NetworkServices } from './services/network-services.ts';
import type { SocketParts } from './services/open-client.ts';
import type { TerminalParts } from './services/remote-terminal.ts';
import { Sockets } from './services/sockets.ts';
import { WebSetup } from './services/web-setup.ts';
import { type Air, defaultAir } from './wlan/air.ts';
import { Wlan } from './wlan/wlan.ts';

export { commandProblem } from './commands/registry.ts';
export { forgetIdentity, hasIdentity, saveIdentity } from './device/identity.ts';

/** What a module is made of; it creates none of it. */
export interface ModuleOptions extends CoreOptions {
  readonly net: Net;
  readonly air?: Air;
  readonly service?: NonNullable<CoreOptions['service']> & {
    /** Plain HTTP. */
    readonly insecure?: boolean;
  };
}

/**
 * One virtual module: the place where its parts are put together, each handed the finished parts that it needs. `boot`
 * starts it; sessions may be attached before, so that they see the banner.
 */
export class Module extends Core implements Board {
  readonly registry: Registry<Board>;
  readonly queue = new CommandQueue();
  readonly wlan: Wlan;
  readonly net: Net;
  readonly client: DeviceClient;
  readonly cloud: DataCloud;
  readonly messages: DataMessages;
  readonly webSetup: WebSetup;
  readonly sockets: Sockets;
  readonly services: NetworkServices<Board & TerminalParts>;
  readonly #pinDuties: PinDuties;
  readonly #life: LifeCycle;

  /** Use `createModule`. */
  constructor(options: ModuleOptions, identity: Identity, flash: Flash) {
    super(options, identity, flash);
    const { store, service } = options;
    const { clock, log, model, personality, pinRoles, pins, random, rtc, streams, timings, variables } = this;
    this.registry = registryFor(personality);
    this.wlan = wlanOf(options, { identity, variables, log, timings });
    this.net = new ModuleNet(options.net, this.hostClock, () => tlsClockOf(rtc, personality));
    const { net, wlan } = this;
    const network = serviceNetwork(wlan, variables);
    const factoryVersion = (): string => personality.versionLine;
    // A ring: an update ends with a reboot, and a reboot stops the client.
    const reboot = (): Promise<void> => this.#life.announcedReboot();
    const insecure = service?.insecure ?? false;
    this.client = clientOf({
      clock,
      net,
      store,
      flash,
      identity,
      variables,
      network,
      insecure,
      factoryVersion,
      attributes: () => attributesOf({ flash, model, personality, rtc, variables, wlan }),
      reboot,
    });
    const { client } = this;
    const versionLine = (): string => this.versionLine;
    this.cloud = dataCloudOf({ clock, random, store, flash, variables, log, client, version: versionLine });
    const { cloud } = this;
    this.messages = new DataMessages(cloud);
    const solo = soloOf({ clock, rtc, model, pins, variables, log, cloud, network });
    const socketParts: SocketParts = { clock, flash, log, net, streams, variables, wlan };
    const ioConnection = new IoConnection(socketParts, pinRoles);
    this.webSetup = new WebSetup(socketParts);
    this.sockets = new Sockets(socketParts);
    const { messages, sockets, webSetup } = this;
    // What takes the finished module. The rings are real: variables show what parts measure that read variables, and pins
    // and network run commands that drive pins and network.
    this.sources.connect(this);
    const services = new NetworkServices<Board & TerminalParts>(this, networkServices);
    this.services = services;
    const pinDuties = pinDutiesOf({ clock, log, model, pins, pinRoles, variables, wlan, user: this });
    this.#pinDuties = pinDuties;
    const run = (command: string): void => void this.runAlone(command);
    this.#life = new LifeCycle(this, {
      wlan,
      client,
      cloud,
      messages,
      solo,
      webSetup,
      sockets,
      ioConnection,
      services,
      pinDuties,
      versionLine,
      run,
    });
  }

  /** The first line after a boot, and the answer of `version`: an update changes the version in it. Spec: MOD-EVENT-boot. */
  get versionLine(): string {
    const { name, built, module, board } = this.personality;
    const version = this.client.installed()?.firmwareVersion ?? this.personality.version;
    return this.personality.text('versionLine', { name, version, built, module, board });
  }

  /** Power on. Resolves when `[Ready]` has been printed; joining goes on in the background. */
  boot(): Promise<void> {
    return this.#life.boot();
  }

  /** Stops everything volatile and boots again; unsaved variables and unfinished files are lost. Spec: MOD-CMD-reboot. */
  reboot(): Promise<void> {
    return this.#life.reboot();
  }

  /** The reset pin or a watchdog: as `reboot`, but nothing is said of what ends. Wakes a module that sleeps. */
  reset(): Promise<void> {
    return this.#life.reset();
  }

  /**
   * Lets the program crash with an exception of that name, as seen from outside: the fault is kept and the watchdog
   * resets the module. Throws for a name that is no line of 2 to 48 characters, and while the module sleeps.
   */
  fault(name: string): Promise<void> {
    return this.#life.fault(name);
  }

  /** Stops everything; a wake-up source boots again, or a reset. Resolves when the module is asleep. Spec: MOD-CMD-sleep. */
  sleep(): Promise<void> {
    return this.#life.sleep();
  }

  /** All variables to their defaults, the saved copy too; then a reboot. Files stay. */
  factoryReset(): Promise<void> {
    return this.#life.factoryReset();
  }

  /** Power off, in order. What has been acknowledged is durable already; what has not is given up. */
  close(): Promise<void> {
    return this.#life.close();
  }

  /** Runs one command line for a caller that sends it whole, with its inline data. */
  execute(line: string, data?: Uint8Array, caller?: Caller): Promise<Execution> {
    return execute<Board>(this, line, data, caller);
  }

  /** The same at once, where nothing has to be waited for. */
  executeNow(line: string, data?: Uint8Array, caller?: Caller): Execution | Promise<Execution> {
    return executeNow<Board>(this, line, data, caller);
  }

  /** Runs a command that no client has typed, so its response is a line of the log. */
  async runAlone(command: string): Promise<void> {
    const { text } = await this.execute(command);
    if (text !== '') this.log.line(text);
  }

  /** Runs a session of the command line over the network, for a user who has logged in or need not. */
  attachTerminal(stream: Duplex, origin: 'terminal' | 'terminal-login'): { readonly isBusy: boolean } {
    return attachCommandLine<Board>(this, origin, stream);
  }

  /** A user of pins, reset and power from outside, over lines of JSON or HTTP; `write` takes whole lines. */
  controlPins(write: (line: string) => void): PinControl {
    return new PinControl(this.pins, this.clock, write, this.#life, this.faults);
  }

  /** Called after every response. */
  commandDone(): void {
    this.#pinDuties.commandDone();
  }
}

/** The identity that a blank module of a seed gets. */
export const identityOf = (seed: ModuleOptions['seed'], { partId }: Model): Identity =>
  makeIdentity(seededRandom(`identity ${seed}`), partId);

/**
 * Puts a module together over its store, switched off. Its identity is the one that the store holds; a blank store gets
 * the identity of the seed, and the factory files of the model.
 *
 * @throws when the store fails, or when the personality names commands that do not exist
 */
export async function createModule(options: ModuleOptions): Promise<Module> {
  const model = options.model ?? defaultModel;
  const identity = await readIdentity(options.store, () => identityOf(options.seed, model));
  const flash = await Flash.open(options.store, model.flash, factoryFiles(model));
  return new Module(options, identity, flash);
}

function registryFor(personality: Personality): Registry<Board> {
  const registry = registryOf(personality);
  if (!registry.ok) throw new Error(registry.error);
  return registry.value;
}

/** What the air does is drawn from a stream of its own of the seed: what else the module draws does not change it. */
const wlanOf = (
  { air = defaultAir, clock, net, seed }: ModuleOptions,
  { identity, log, timings, variables }: Pick<Module, 'identity' | 'log' | 'timings' | 'variables'>,
): Wlan =>
  new Wlan({ clock, air, net, mac: identity.mac, variables, log, timings, random: seededRandom(`air ${seed}`) });
