import { type Clock, decodeBase64, parseVersion, sleep, unwrap } from '@moorage/base';
import { Link } from './cloud/link.ts';
import type { Board } from './commands/board.ts';
import { registryOf } from './commands/registry.ts';
import { reportDropped } from './commands/variables.ts';
import type { FactoryFile } from './device/flash.ts';
import { Flash } from './device/flash-files.ts';
import { type Identity, makeIdentity, readIdentity } from './device/identity.ts';
import { Log, type LogSettings, noticeTime } from './device/log.ts';
import { Rtc } from './device/rtc.ts';
import type { Store } from './device/store.ts';
import { StreamTable } from './device/streams.ts';
import { type Execution, execute } from './interpreter/execute.ts';
import { CommandQueue } from './interpreter/queue.ts';
import type { Registry } from './interpreter/registry.ts';
import { defaultModel, type Model } from './model.ts';
import type { Net } from './net/ports.ts';
import { neutralPersonality, type Personality } from './personality.ts';
import { type Random, seededRandom } from './random.ts';
import { zoneMinutes } from './variables/kinds.ts';
import { VariableStore } from './variables/store.ts';
import type { VariableSources } from './variables/variable.ts';
import { type AccessPoint, type Air, defaultAir, securityNames } from './wlan/air.ts';
import { Wlan } from './wlan/wlan.ts';

/** What a module is made of; it creates none of it. */
export interface ModuleOptions {
  readonly clock: Clock;
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
  readonly link: Link;
  #closed = false;

  /** Use `createModule`. */
  constructor(options: ModuleOptions, identity: Identity, flash: Flash) {
    const { clock, store, net } = options;
    this.clock = clock;
    this.random = seededRandom(options.seed);
    this.model = options.model ?? defaultModel;
    this.personality = options.personality ?? neutralPersonality;
    this.identity = identity;
    this.flash = flash;
    this.registry = registryFor(this.personality);
    this.rtc = new Rtc(clock);
    const defaults = defaultsOf(this.personality, options.service);
    this.variables = new VariableStore({ names: this.personality.names, store, sources: sourcesOf(this), defaults });
    this.log = new Log(logSettings(this), this.personality);
    this.streams = streamsOf(this);
    this.wlan = wlanOf(this, net, options.air ?? defaultAir);
    this.link = linkOf(this, options);
  }

  /** The first line after a boot, and the answer of `version`: an update changes the version in it. Spec: MOD-EVENT-boot. */
  get versionLine(): string {
    const { name, built, module, board } = this.personality;
    const version = this.link.installed()?.firmwareVersion ?? this.personality.version;
    return this.personality.text('versionLine', { name, version, built, module, board });
  }

  /** Power on. Resolves when `[Ready]` has been printed; joining goes on in the background. */
  async boot(): Promise<void> {
    if (this.#closed) throw new Error('The module has been closed');
    this.rtc.restart();
    const dropped = await this.variables.load();
    await this.link.load();
    const { bootMs } = this.personality.timings;
    if (bootMs > 0) await sleep(this.clock, bootMs);
    // Somebody may have pulled the plug meanwhile.
    if (this.#closed) return;
    reportDropped(this, dropped);
    this.log.line(this.versionLine);
    // Spec: MOD-EVENT-ready.
    this.log.notice('initialized');
    this.link.start();
    this.wlan.boot();
  }

  /** Stops everything volatile and boots again; unsaved variables and unfinished files are lost. Spec: MOD-CMD-reboot. */
  async reboot(): Promise<void> {
    await this.#halt();
    await this.boot();
  }

  /** All variables to their defaults, the saved copy too; then a reboot. Files stay. */
  async factoryReset(): Promise<void> {
    await this.variables.erase();
    this.log.say('rebooting');
    await this.reboot();
  }

  /** Power off, in order. What has been acknowledged is durable already; what has not is given up. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#halt();
  }

  /** Runs one command line for a caller that sends it whole, with its inline data. */
  execute(line: string, data?: Uint8Array): Promise<Execution> {
    return execute<Board>(this, line, data);
  }

  async #halt(): Promise<void> {
    this.link.stop();
    await this.streams.reset();
    // Prints `[Disassociated]` when there was a link.
    this.wlan.halt();
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

function sourcesOf(module: Module): VariableSources {
  const { identity, model, personality, rtc } = module;
  return {
    ...identity,
    gpioCount: model.gpioCount,
    boardPins: model.boardPins,
    buildNumber: personality.build,
    rtc,
    get versionLine() {
      return module.versionLine;
    },
    network: () => {
      const { status, joinResult, addresses, accessPoint } = module.wlan;
      return { status, joinResult, ...addresses, channel: accessPoint?.channel ?? 0, info: linkInfo(accessPoint) };
    },
    softApInfo: () => softApInfo(module),
    link: () => module.link,
  };
}

/** Spec: MOD-VAR-wlan.info. Rates are left out: the simulated radio has none. */
const linkInfo = (point: AccessPoint | undefined): readonly string[] => [
  `SSID: ${point?.ssid ?? ''}`,
  `BSSID: ${point?.bssid ?? ''}`,
  `Channel: ${point?.channel ?? ''}`,
  `Security: ${point ? securityNames[point.security] : ''}`,
  `RSSI: ${point?.rssiDbm ?? ''}`,
];

/** Spec: MOD-VAR-softap.info. */
function softApInfo(module: Module): readonly string[] {
  const { softAp } = module.wlan;
  const secured = module.variables.get('softap.passkey') !== '';
  return [
    `SSID: ${softAp?.ssid ?? ''}`,
    `BSSID: ${softAp ? module.identity.mac : ''}`,
    `Channel: ${softAp?.channel ?? ''}`,
    `Security: ${softAp ? securityNames[secured ? 'wpa2_aes' : 'open'] : ''}`,
    'Clients: 0',
  ];
}

const logSettings = ({ variables, rtc }: Module): LogSettings => ({
  printLevel: () => variables.get('system.print_level'),
  template: (notice) => variables.getAt('system.msg', notice),
  timePrefix: () =>
    rtc.isSet && variables.get('system.cmd.timestamp') === 'log'
      ? noticeTime(rtc.nowMs(), zoneMinutes(variables.get('time.zone')) ?? 0)
      : '',
});

const streamsOf = ({ log, model, variables }: Module): StreamTable =>
  new StreamTable({
    limit: model.limits.streams,
    autoClose: () => variables.get('stream.auto_close'),
    notices: {
      opened: (handle) => log.notice('stream_opened', { handle }),
      closing: (handle) => log.say('closing', { handle }),
      closed: (handle) => log.notice('stream_closed', { handle }),
    },
  });

const wlanOf = ({ clock, identity, log, personality, variables }: Module, net: Net, air: Air): Wlan =>
  new Wlan({ clock, air, net, mac: identity.mac, variables, log, timings: personality.timings });

function linkOf(module: Module, { clock, net, store, service }: ModuleOptions): Link {
  const { flash, identity, log, variables, wlan } = module;
  const face = () => wlan.interfaceOf(variables.get('dms.interface'));
  return new Link({
    clock,
    net,
    store,
    flash,
    identity,
    variables,
    factoryVersion: () => module.versionLine,
    network: { isUp: () => wlan.isUp(face()), ensureUp: () => wlan.ensureUp(face()) },
    insecure: service?.insecure ?? false,
    reboot: () => {
      log.say('rebooting');
      return module.reboot();
    },
  });
}
