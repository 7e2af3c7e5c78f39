import type { Store } from '@moorage/base';
import {
  type CancelTimer,
  type Clock,
  decodeBase64,
  parseVersion,
  type Random,
  seededRandom,
  sleep,
  unwrap,
} from '@moorage/base';
import type { DataCloud, DeviceClient } from '@moorage/device';
import type { Net } from '@moorage/net';
import { Bus } from './bus/bus.ts';
import type { Solo } from './cloud/data-solo.ts';
import { DataMessages } from './cloud/message-streams.ts';
import type { Board } from './commands/board.ts';
import { tlsSettings } from './commands/http-open.ts';
import { pinDutiesOf, putPinsToSleep, runAlone, wakeSources } from './commands/pin-wiring.ts';
import { registryOf } from './commands/registry.ts';
import { reportDropped } from './commands/variables.ts';
import { startsRecovery } from './device/boot-loader.ts';
import { Faults } from './device/faults.ts';
import type { FactoryFile } from './device/flash.ts';
import { Flash } from './device/flash-files.ts';
import { Pins } from './device/gpio.ts';
import { type Identity, makeIdentity, readIdentity } from './device/identity.ts';
import { Log } from './device/log.ts';
import { PinControl } from './device/pin-control.ts';
import type { PinDuties } from './device/pin-duties.ts';
import { PinRoles } from './device/pin-roles.ts';
import { longAfter, Power } from './device/power.ts';
import type { PowerTrigger } from './device/power-table.ts';
import { Rtc } from './device/rtc.ts';
import { type OutOfBand, outOfBand } from './device/stream-pins.ts';
import type { StreamTable } from './device/streams.ts';
import type { SessionBoard } from './interpreter/board-port.ts';
import { type Execution, execute, executeNow } from './interpreter/execute.ts';
import { CommandQueue } from './interpreter/queue.ts';
import type { Registry } from './interpreter/registry.ts';
import { defaultModel, type Model } from './model.ts';
import { clientOf, cloudOf, logSettings, poolSettings, soloOf, streamsOf, wlanOf } from './module-parts.ts';
import { ModuleSources } from './module-sources.ts';
import { drawnTimings } from './personality/timings.ts';
import { neutralPersonality, type Personality, type Timings } from './personality.ts';
import { networkServices } from './services/index.ts';
import { IoConnection } from './services/io-connection.ts';
import { LocalNames } from './services/local-names.ts';
import { NetworkServices } from './services/network-services.ts';
import { Sockets } from './services/sockets.ts';
import { WebSetup } from './services/web-setup.ts';
import { VariableStore } from './variables/store.ts';
import type { Air } from './wlan/air.ts';
import type { Wlan } from './wlan/wlan.ts';

/** What a module is made of; it creates none of it. */
export interface ModuleOptions {
  readonly clock: Clock;
  /** Time as its peers live in it, where `clock` runs faster than theirs; the same as `clock` without it. */
  readonly hostClock?: Clock;
  /** Everything that survives without power. */
  readonly store: Store;
  readonly net: Net;
  /** Seed of all randomness, and of the identity when the store does not hold one yet. */
  readonly seed: number | string;
  readonly model?: Model;
  readonly personality?: Personality;
  readonly air?: Air;
  /** Where its service is: the defaults of `ota.host` and `ota.port`; `insecure` for plain HTTP. */
  readonly service?: { readonly host: string; readonly port: number; readonly insecure?: boolean };
}

/** One virtual module. `boot` starts it; sessions may be attached before, so that they see the banner. */
export class Module implements Board {
  readonly clock: Clock;
  readonly hostClock: Clock;
  readonly random: Random;
  readonly model: Model;
  readonly personality: Personality;
  readonly identity: Identity;
  readonly registry: Registry<Board>;
  readonly queue = new CommandQueue();
  readonly rtc: Rtc;
  readonly variables: VariableStore;
  readonly flash: Flash;
  readonly streams: StreamTable;
  readonly log: Log;
  readonly wlan: Wlan;
  readonly net: Net;
  readonly services: NetworkServices<Board>;
  readonly webSetup: WebSetup;
  readonly sockets: Sockets;
  readonly client: DeviceClient;
  readonly cloud: DataCloud;
  readonly messages: DataMessages;
  readonly pins: Pins;
  readonly pinRoles: PinRoles;
  readonly bus: Bus;
  readonly faults: Faults;
  readonly power: Power;
  readonly timings: Timings;
  readonly #pinDuties: PinDuties;
  readonly #solo: Solo;
  readonly #ioConnection: IoConnection;
  #safeMode = false;
  #outOfBand: OutOfBand = outOfBand('');
  /** `bus.command.rx_bufsize` as it was at boot. */
  #lineBytes: number;
  /** Changes whenever the module stops or starts, so that a boot which has been overtaken ends. */
  #cycle = 0;
  #cancelSleep: CancelTimer | undefined;

  /** Use `createModule`. */
  constructor(options: ModuleOptions, identity: Identity, flash: Flash) {
    const { clock, store, net } = options;
    this.clock = clock;
    this.hostClock = options.hostClock ?? clock;
    this.random = seededRandom(options.seed);
    this.model = options.model ?? defaultModel;
    this.personality = options.personality ?? neutralPersonality;
    this.timings = drawnTimings(this.personality.timings, this.random);
    this.identity = identity;
    this.flash = flash;
    this.registry = registryFor(this.personality);
    this.rtc = new Rtc(clock);
    const { names, offered } = this.personality;
    const defaults = defaultsOf(this.personality, options.service);
    this.variables = new VariableStore({ names, offered, store, sources: new ModuleSources(this), defaults });
    this.log = new Log(logSettings(this), this.personality);
    this.streams = streamsOf(this, (handle) => this.bus.opened(handle));
    this.wlan = wlanOf(this, options);
    this.net = new LocalNames(net, this.hostClock);
    this.client = clientOf(this, options);
    this.cloud = cloudOf(this, options);
    this.messages = new DataMessages(this.cloud);
    const { variables } = this;
    this.pins = new Pins({ clock, count: this.model.gpioCount, ownerOf: (pin) => variables.pinOwner(pin) });
    this.pinRoles = new PinRoles(this.pins, (role) =>
      role === 'system.oob.gpio' ? this.#outOfBand.pin : variables.get(role),
    );
    this.bus = new Bus(this);
    this.#solo = soloOf(this);
    this.#pinDuties = pinDutiesOf(this);
    this.#ioConnection = new IoConnection(this, () => tlsSettings(this, undefined));
    this.faults = new Faults({ store, limit: this.model.limits.faults });
    this.webSetup = new WebSetup(this);
    this.sockets = new Sockets(this);
    this.services = new NetworkServices<Board>(this, networkServices);
    this.power = new Power(clock, { onPin: (pin, changed) => this.pins.watch(pin, changed) });
    this.#lineBytes = variables.get('bus.command.rx_bufsize');
    variables.onChange('system.gotosleep.timeout', () => this.#planSleep());
  }

  /** `system.oob.gpio` as it was at boot. */
  get outOfBand(): OutOfBand {
    return this.#outOfBand;
  }

  /** Spec: MOD-VAR-system.safemode. */
  get safeMode(): boolean {
    return this.#safeMode;
  }

  get sessionLimits(): SessionBoard['sessionLimits'] {
    // Spec: MOD-VAR-bus.command.rx_bufsize, MOD-LIMIT-history.
    return { lineBytes: this.#lineBytes, historyLines: this.model.limits.history };
  }

  /** The first line after a boot, and the answer of `version`: an update changes the version in it. Spec: MOD-EVENT-boot. */
  get versionLine(): string {
    const { name, built, module, board } = this.personality;
    const version = this.client.installed()?.firmwareVersion ?? this.personality.version;
    return this.personality.text('versionLine', { name, version, built, module, board });
  }

  /** Power on. Resolves when `[Ready]` has been printed; joining goes on in the background. */
  boot(): Promise<void> {
    return this.#boot(false);
  }

  /** Stops everything volatile and boots again; unsaved variables and unfinished files are lost. Spec: MOD-CMD-reboot. */
  async reboot(): Promise<void> {
    await this.#halt('reset');
    await this.#boot(false);
  }

  /** The reset pin or a watchdog: as `reboot`, but nothing is said of what ends. Wakes a module that sleeps. */
  async reset(): Promise<void> {
    await this.#haltSilently('reset');
    await this.#boot(false);
  }

  /**
   * Lets the program crash with an exception of that name, as seen from outside: the fault is kept and the watchdog
   * resets the module. Throws for a name that is no line of 2 to 48 characters, and while the module sleeps.
   */
  async fault(name: string): Promise<void> {
    if (this.power.state === 'asleep') throw new Error('A module that sleeps has no faults');
    await this.faults.add(name);
    await this.reset();
  }

  /** Stops everything; a wake-up source boots again, or a reset. Resolves when the module is asleep. Spec: MOD-CMD-sleep. */
  async sleep(): Promise<void> {
    const sources = wakeSources(this);
    this.log.notice('sleep');
    const cycle = this.#cycle + 1;
    await this.#haltSilently('sleep');
    if (cycle !== this.#cycle) return;
    putPinsToSleep(this);
    this.power.armWake(sources, () => void this.#wake());
  }

  /** All variables to their defaults, the saved copy too; then a reboot. Files stay. */
  async factoryReset(): Promise<void> {
    await this.variables.erase();
    this.log.say('rebooting');
    await this.reboot();
  }

  /** Power off, in order. What has been acknowledged is durable already; what has not is given up. */
  async close(): Promise<void> {
    await this.#halt('switch-off');
    this.pins.close();
  }

  /** Runs one command line for a caller that sends it whole, with its inline data. */
  execute(line: string, data?: Uint8Array, stillWanted?: () => boolean): Promise<Execution> {
    return execute<Board>(this, line, data, stillWanted);
  }

  /** The same at once, where nothing has to be waited for. */
  executeNow(line: string, data?: Uint8Array, stillWanted?: () => boolean): Execution | Promise<Execution> {
    return executeNow<Board>(this, line, data, stillWanted);
  }

  /** A user of the pins and of the reset from outside, over lines of JSON; `write` takes whole lines. */
  controlPins(write: (line: string) => void): PinControl {
    return new PinControl(this.pins, this.clock, write, this);
  }

  /** Called after every response. */
  commandDone(): void {
    this.#pinDuties.commandDone();
  }

  async #boot(keepTime: boolean): Promise<void> {
    if (this.power.state === 'off') throw new Error('The module has been closed');
    const cycle = ++this.#cycle;
    this.rtc.restart({ keepTime });
    const dropped = await this.variables.load();
    await this.faults.load();
    await this.client.load();
    await this.cloud.load();
    this.messages.forget();
    const { bootMs } = this.timings;
    if (bootMs > 0) await sleep(this.clock, bootMs);
    // Somebody may have pulled the plug meanwhile, or reset the module once more.
    if (cycle !== this.#cycle) return;
    this.#safeMode = this.faults.full || startsRecovery(this.flash.stat(this.variables.get('system.boot.app')));
    this.#lineBytes = this.variables.get('bus.command.rx_bufsize');
    this.#outOfBand = outOfBand(this.variables.get('system.oob.gpio'));
    // Spec: MOD-VAR-system.bflash.cs_gpio.
    this.flash.connectBulk(this.variables.get('system.bflash.cs_gpio') >= 0);
    this.bus.start(this.#safeMode);
    reportDropped(this, dropped);
    this.#pinDuties.start();
    this.streams.restart(poolSettings(this));
    this.log.line(this.versionLine);
    if (this.faults.full) this.log.notice('safemode');
    if (!this.#safeMode) this.#startProgram();
    this.power.step('started');
    this.#planSleep();
  }

  /** What the program does by itself; in safe mode it is not there. */
  #startProgram(): void {
    // Spec: MOD-EVENT-ready.
    this.log.notice('initialized');
    this.client.start();
    this.wlan.boot();
    this.#solo.start();
    this.#ioConnection.start();
    // Spec: MOD-VAR-setup.auto.cmd.
    const { variables } = this;
    const command = variables.get('setup.auto.cmd');
    const setsUp = this.pinRoles.isAsserted('setup.gpio.control_gpio');
    if (command !== '' && variables.get('wlan.ssid') === '' && !setsUp) void runAlone(this, command);
  }

  /** Spec: MOD-VAR-system.gotosleep.timeout. Counts from the boot, or from the moment at which it is set. */
  #planSleep(): void {
    this.#cancelSleep?.();
    this.#cancelSleep = undefined;
    const seconds = this.variables.get('system.gotosleep.timeout');
    if (seconds === 0 || this.#safeMode || this.power.state !== 'on') return;
    this.#cancelSleep = longAfter(this.clock, seconds * 1000, () => void this.sleep());
  }

  async #wake(): Promise<void> {
    this.power.step('reset');
    await this.#boot(true);
  }

  async #halt(trigger: PowerTrigger): Promise<void> {
    // Prints `[Disassociated]` when there was a link.
    await this.#stop(trigger, () => this.wlan.halt());
  }

  async #haltSilently(trigger: PowerTrigger): Promise<void> {
    await this.#stop(trigger, () => this.log.muted(() => this.wlan.halt()));
  }

  async #stop(trigger: PowerTrigger, leave: () => void): Promise<void> {
    this.#cycle++;
    this.power.step(trigger);
    this.#cancelSleep?.();
    this.bus.stop();
    this.#ioConnection.stop();
    this.#pinDuties.stop();
    this.#solo.stop();
    this.cloud.stop();
    this.client.stop();
    this.webSetup.halt();
    this.sockets.halt();
    await this.streams.reset();
    leave();
    await this.services.stop();
  }
}

/**
 * Puts a module together over its store, switched off. Its identity is the one that the store holds; a blank store gets
 * the identity of the seed, and the factory files of the model.
 *
 * @throws when the store fails, or when the personality names commands that do not exist
 */
export async function createModule(options: ModuleOptions): Promise<Module> {
  const model = options.model ?? defaultModel;
  const identity = await readIdentity(options.store, () =>
    makeIdentity(seededRandom(`identity ${options.seed}`), model.partId),
  );
  const flash = await Flash.open(options.store, model.flash, factoryFiles(model));
  return new Module(options, identity, flash);
}

/** What is wrong with the commands of a personality, as one sentence. A module cannot be made with it. */
export function commandProblem(personality: Personality): string | undefined {
  const registry = registryOf(personality);
  return registry.ok ? undefined : registry.error;
}

function registryFor(personality: Personality): Registry<Board> {
  const registry = registryOf(personality);
  if (!registry.ok) throw new Error(registry.error);
  return registry.value;
}

const filesOfModels = new WeakMap<Model, readonly FactoryFile[]>();

/** Decoded once for all modules of a model, which share the bytes. */
function factoryFiles(model: Model): readonly FactoryFile[] {
  const known = filesOfModels.get(model);
  if (known) return known;
  const files = model.files.map((file) => ({
    ...file,
    version: unwrap(parseVersion(file.version)),
    content: unwrap(decodeBase64(file.content)),
  }));
  filesOfModels.set(model, files);
  return files;
}

function defaultsOf(personality: Personality, service: ModuleOptions['service']): Personality['defaults'] {
  if (!service) return personality.defaults;
  return new Map([...personality.defaults, ['ota.host', service.host], ['ota.port', service.port]]);
}
