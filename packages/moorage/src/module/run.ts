import { randomInt } from 'node:crypto';
import {
  AutoClock,
  type Clock,
  maxClockRatio,
  minClockRatio,
  type Result,
  realClock,
  ScaledClock,
  success,
} from '@moorage/base';
import { DiskStore } from '@moorage/base/disk/store';
import { MemoryStore } from '@moorage/base/store/memory';
import { commandProblem, createModule, type Module, type ModuleOptions } from '@moorage/module';
import type { Board } from '@moorage/module/commands/board';
import { parseModel } from '@moorage/module/model/model';
import { loadPersonality, type Personality, strictPersonality } from '@moorage/module/personality/personality';
import { noTimings, realTimings } from '@moorage/module/personality/timings';
import { openControl, parseControl } from '@moorage/module/transports/control';
import { openSerial, parseSerial } from '@moorage/module/transports/open';
import { parseAir } from '@moorage/module/wlan/air';
import { addressProblem, nodeNet } from '@moorage/net/node';
import { parseServiceUrl } from '../client/service-url.ts';
import { UserError } from '../command-line/define.ts';
import { wordOf } from '../command-line/words.ts';
import { readGivenText } from '../files/given-file.ts';
import { TakenPorts } from './taken-ports.ts';
import { asStrict, readTwin, type Twin, takeIdentity, takeSettings } from './twin.ts';

/** What one virtual module is started with; paths and addresses as the user gave them. */
export interface ModuleSettings {
  readonly flash: string | undefined;
  readonly serial: string;
  /** UART 1, in the words of `serial`. */
  readonly serial1: string;
  /** `HOST:PORT` of the port that drives and watches the pins. */
  readonly control: string | undefined;
  readonly ip: string;
  readonly portOffset: number;
  readonly listenLan: boolean;
  readonly service: string | undefined;
  /** Path of the rescue archive whose twin it is. */
  readonly from?: string | undefined;
  readonly model: string | undefined;
  readonly air: string | undefined;
  readonly personality: string | undefined;
  readonly cloudPrefix: string | undefined;
  /** `real`, `virtual`, or how many times as fast as real. */
  readonly time: string;
  /** `real`, `none`, or as the personality says. */
  readonly timing: string | undefined;
  readonly strict: boolean;
  readonly seed: number | undefined;
}

/** The settings that say what a module is, and not where others reach it or what it keeps. */
export type ModuleTraits = Omit<ModuleSettings, 'flash' | 'serial' | 'serial1' | 'control'>;

/** The serial line could not be opened. */
export class NoSerialError extends UserError {}

/** A module that runs, and where it is reached. */
export interface RunningModule {
  readonly module: Module;
  /** Variables of a twin's archive that it does not take. */
  readonly untaken: readonly string[];
  readonly addresses: {
    readonly serial: string | null;
    readonly serial1: string | null;
    readonly control: string | null;
    /** Null while the module has no such server, and while another program has its port. */
    readonly http: string | null;
    readonly terminal: string | null;
    readonly mac: string;
    readonly uuid: string;
  };
  /** Looks at the ports of its servers; one line for each that another program has, by the name of its address. */
  takenPorts(): Promise<{ readonly http?: string; readonly terminal?: string }>;
  stop(): Promise<void>;
}

async function readData<T>(path: string, what: string, parse: (text: string) => Result<T, string>): Promise<T> {
  const parsed = parse(await readGivenText(path, `${what} file`));
  if (!parsed.ok) throw new UserError(`The ${what} file "${path}" is wrong: ${parsed.error.replaceAll('\n', ' ')}`);
  return parsed.value;
}

/** A personality file knows better than what an archive shows. */
function withLearnt(file: string, learnt: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify({ ...learnt, ...(JSON.parse(file) as object) });
  } catch {
    // What is wrong with it is said where it is read.
    return file;
  }
}

/** The personality that the settings ask for. */
async function readPersonality(settings: ModuleTraits, twin: Twin | undefined): Promise<Personality> {
  const { personality: path, cloudPrefix, timing } = settings;
  wordOf(['real', 'none'], timing, 'Option --timing');
  const file = path === undefined ? '{}' : await readGivenText(path, 'personality file');
  const contents = twin ? withLearnt(file, twin.personality) : file;
  const overrides = {
    ...(cloudPrefix !== undefined && { cloudPrefix }),
    ...(timing === 'none' && { timings: noTimings }),
  };
  // Times that a personality file has are closer to its modules than ours.
  const loaded = loadPersonality(contents, overrides, timing === 'real' ? { timings: realTimings } : {});
  const wrong = (error: string): UserError =>
    new UserError(path === undefined ? error : `The personality file "${path}" is wrong: ${error}`);
  if (!loaded.ok) throw wrong(loaded.error);
  const personality = settings.strict
    ? strictPersonality(loaded.value)
    : twin
      ? asStrict(twin.archive, loaded.value)
      : loaded.value;
  const problem = commandProblem(personality);
  if (problem !== undefined) throw wrong(problem);
  return personality;
}

/** A clock as `--time` names it, and how it is stopped. */
export function clockOf(time: string): { readonly clock: Clock; stop(): void } {
  if (time === 'real') return { clock: realClock, stop: () => {} };
  if (time === 'virtual') {
    const clock = new AutoClock(realClock.now());
    return { clock, stop: () => clock.stop() };
  }
  const ratio = /^\d{1,4}(\.\d{1,6})?$/.test(time) ? Number(time) : Number.NaN;
  if (ratio >= minClockRatio && ratio <= maxClockRatio) return { clock: new ScaledClock(ratio), stop: () => {} };
  throw new UserError(
    `Option --time is "${time}", not real, virtual or a ratio of ${minClockRatio} to ${maxClockRatio}`,
    2,
  );
}

async function openFlash(folder: string): Promise<DiskStore> {
  try {
    return await DiskStore.open(folder);
  } catch (error) {
    const { message } = error as Error;
    // A lock that is held names the folder by itself.
    throw new UserError('code' in (error as Error) ? `The flash folder cannot be used: ${message}` : message, 1, {
      cause: error,
    });
  }
}

/** The port for the world outside of its pins; `undefined` when none is asked for. */
export const openControlOf = ({ control, listenLan }: Pick<ModuleSettings, 'control' | 'listenLan'>, module: Module) =>
  control === undefined ? undefined : openControl(control, (write) => module.controlPins(write), listenLan);

/** Refuses ports that are none, and two users of this terminal, before anything is started. */
export function checkPorts({ control, serial, serial1 }: Pick<ModuleSettings, 'control' | 'serial' | 'serial1'>): void {
  for (const text of [serial, serial1]) {
    const spec = parseSerial(text);
    if (!spec.ok) throw new UserError(spec.error, 2);
  }
  if (serial1 === 'stdio') throw new UserError('Option --serial1 cannot be stdio', 2);
  const controlSpec = control === undefined ? undefined : parseControl(control);
  if (controlSpec && !controlSpec.ok) throw new UserError(controlSpec.error, 2);
}

/** Both UARTs of the module. */
export async function openSerials(
  { listenLan, serial, serial1 }: Pick<ModuleSettings, 'listenLan' | 'serial' | 'serial1'>,
  module: Module,
) {
  const first = await openSerial<Board>(serial, module, { listenLan });
  if (!first.ok) return first;
  const second = await openSerial<Board>(serial1, module, { listenLan, uart: 1 });
  if (!second.ok) {
    await first.value.close();
    return second;
  }
  const close = async (): Promise<void> => {
    await first.value.close();
    await second.value.close();
  };
  const addresses = { serial: first.value.address ?? null, serial1: second.value.address ?? null };
  return success({ addresses, close });
}

/** Ports of its servers as the module knows them; null while the server is switched off. */
const serverPorts = ({ variables }: Module) => ({
  http: variables.get('http.server.enabled') ? variables.get('http.server.port') : null,
  terminal: variables.get('remote_terminal.enabled') ? variables.get('remote_terminal.port') : null,
});

/** Where its servers are once the interface is up, or why not. */
function serversOf({ ip, portOffset }: ModuleSettings, module: Module, ports: TakenPorts) {
  const addressOf = (port: number | null): string | null =>
    port === null || ports.isTaken(port) ? null : `${ip}:${port + portOffset}`;
  return {
    addresses: {
      get http() {
        const address = addressOf(serverPorts(module).http);
        const scheme = module.variables.get('http.server.tls_enabled') ? 'https' : 'http';
        return address && `${scheme}://${address}`;
      },
      get terminal() {
        return addressOf(serverPorts(module).terminal);
      },
    },
    async takenPorts() {
      const taken: { http?: string; terminal?: string } = {};
      for (const name of ['http', 'terminal'] as const) {
        const port = serverPorts(module)[name];
        if (port === null) continue;
        await ports.look(port);
        if (!ports.isTaken(port)) continue;
        taken[name] = `none: port ${port + portOffset} on ${ip} is taken; choose other ports with --port-offset`;
      }
      return taken;
    },
  };
}

/** What is done to a module before it boots. */
export interface Preparation {
  /** Sees what the module prints by itself. */
  readonly onLog?: (line: string) => void;
  /** Connects what is outside of its pins. */
  readonly connect?: (module: Module) => void;
}

/** Builds a module from the settings, attaches its serial line and boots it. What was opened is closed when it fails. */
export async function startModule(settings: ModuleSettings, preparation: Preparation = {}): Promise<RunningModule> {
  checkPorts(settings);
  const problem = addressProblem(settings.ip);
  if (problem !== undefined) throw new UserError(problem, 2);
  /** How each thing that was opened is closed, in the order in which they were. */
  const closers: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.splice(0).reverse()) await close();
  };
  try {
    return Object.assign(await start(settings, preparation, (close) => closers.push(close)), { stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  settings: ModuleSettings,
  { onLog, connect }: Preparation,
  closeLater: (close: () => unknown) => void,
): Promise<Omit<RunningModule, 'stop'>> {
  const twin = settings.from === undefined ? undefined : await readTwin(settings.from);
  const options = await readOptions(settings, twin);
  const disk = settings.flash === undefined ? undefined : await openFlash(settings.flash);
  closeLater(() => disk?.close());
  const time = clockOf(settings.time);
  closeLater(() => time.stop());
  const { ip, portOffset, listenLan } = settings;
  const ports = new TakenPorts(nodeNet({ ip, portOffset, listenLan }));
  const store = disk ?? new MemoryStore();
  const isNewTwin = twin !== undefined && (await takeIdentity(store, twin.archive));
  const module = await createModule({
    ...options,
    clock: time.clock,
    // Those who call it live in real time.
    hostClock: realClock,
    store,
    net: ports.net,
    seed: settings.seed ?? randomInt(2 ** 32),
  });
  closeLater(() => module.close());
  const untaken = isNewTwin ? await takeSettings(module, twin.archive) : [];
  const serial = await openSerials(settings, module);
  if (!serial.ok) throw new NoSerialError(serial.error);
  closeLater(() => serial.value.close());
  const control = await openControlOf(settings, module);
  if (control && !control.ok) throw new UserError(control.error);
  closeLater(() => control?.value.close());
  if (onLog) module.log.attach(onLog);
  connect?.(module);
  await module.boot();
  const { mac, uuid } = module.identity;
  const servers = serversOf(settings, module, ports);
  const others = { ...serial.value.addresses, control: control?.value.address ?? null, mac, uuid };
  return {
    module,
    untaken,
    // Read each time: variables may have changed.
    get addresses() {
      return { ...others, ...servers.addresses };
    },
    takenPorts: servers.takenPorts,
  };
}

/** What a module is built with, of the settings that can be wrong by themselves. */
export async function readOptions(
  settings: ModuleTraits,
  twin?: Twin,
): Promise<Pick<ModuleOptions, 'air' | 'model' | 'personality' | 'service'>> {
  return {
    ...(twin && { model: twin.model }),
    ...(settings.model !== undefined && { model: await readData(settings.model, 'model', parseModel) }),
    ...(settings.air !== undefined && { air: await readData(settings.air, 'air', parseAir) }),
    personality: await readPersonality(settings, twin),
    ...(settings.service !== undefined && { service: parseServiceUrl(settings.service) }),
  };
}
