import { randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Result, realClock } from '@moorage/base';
import { createModule, type Module } from '@moorage/module';
import type { Board } from '@moorage/module/commands/board';
import { DiskStore } from '@moorage/module/device/disk-store';
import { MemoryStore } from '@moorage/module/device/memory-store';
import { parseModel } from '@moorage/module/model';
import { nodeNet } from '@moorage/module/net/node';
import { loadPersonality, type Personality } from '@moorage/module/personality';
import { openSerial, parseSerial } from '@moorage/module/transports/open';
import { parseAir } from '@moorage/module/wlan/air';
import { UserError } from './commands/define.ts';

/** What one virtual module is started with; paths and addresses as the user gave them. */
export interface ModuleSettings {
  readonly flash: string | undefined;
  readonly serial: string;
  readonly ip: string;
  readonly portOffset: number;
  readonly listenLan: boolean;
  readonly service: string | undefined;
  readonly model: string | undefined;
  readonly air: string | undefined;
  readonly personality: string | undefined;
  readonly cloudPrefix: string | undefined;
  readonly seed: number | undefined;
}

/** The serial line could not be opened. */
export class NoSerialError extends UserError {}

/** A module that runs, and where it is reached. */
export interface RunningModule {
  readonly module: Module;
  readonly addresses: {
    readonly serial: string | null;
    /** Null while the module has no such server. */
    readonly http: string | null;
    readonly terminal: string | null;
    readonly mac: string;
    readonly uuid: string;
  };
  stop(): Promise<void>;
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UserError(`The ${what} file "${path}" cannot be read: ${(error as Error).message}`, 1, { cause: error });
  }
}

async function readData<T>(path: string, what: string, parse: (text: string) => Result<T, string>): Promise<T> {
  const parsed = parse(await readText(path, what));
  if (!parsed.ok) throw new UserError(`The ${what} file "${path}" is wrong: ${parsed.error}`);
  return parsed.value;
}

/** The personality that a file and the prefix ask for; `undefined` for the built-in one. */
async function readPersonality({ personality: path, cloudPrefix }: ModuleSettings): Promise<Personality | undefined> {
  if (path === undefined && cloudPrefix === undefined) return undefined;
  const contents = path === undefined ? '{}' : await readText(path, 'personality');
  const loaded = loadPersonality(contents, cloudPrefix === undefined ? {} : { cloudPrefix });
  if (!loaded.ok)
    throw new UserError(path === undefined ? loaded.error : `The personality file "${path}" is wrong: ${loaded.error}`);
  return loaded.value;
}

async function openFlash(folder: string): Promise<DiskStore> {
  try {
    return await DiskStore.open(folder);
  } catch (error) {
    throw new UserError((error as Error).message, 1, { cause: error });
  }
}

/** `https://HOST:PORT`, or `http://` for a service whose device listener is insecure. */
export function parseServiceUrl(text: string): { host: string; port: number; insecure: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new UserError(`Option --service is "${text}", not https://HOST:PORT`, 2);
  }
  const insecure = url.protocol === 'http:';
  return { host: url.hostname, port: Number(url.port || (insecure ? 80 : 443)), insecure };
}

/** Builds a module from the settings, attaches its serial line and boots it; `onLog` sees what the module prints by itself. */
export async function startModule(settings: ModuleSettings, onLog?: (line: string) => void): Promise<RunningModule> {
  const serialSpec = parseSerial(settings.serial);
  if (!serialSpec.ok) throw new UserError(serialSpec.error, 2);
  const model = settings.model === undefined ? undefined : await readData(settings.model, 'model', parseModel);
  const air = settings.air === undefined ? undefined : await readData(settings.air, 'air', parseAir);
  const personality = await readPersonality(settings);
  const disk = settings.flash === undefined ? undefined : await openFlash(settings.flash);
  const module = await createModule({
    clock: realClock,
    store: disk ?? new MemoryStore(),
    net: nodeNet({ ip: settings.ip, portOffset: settings.portOffset, listenLan: settings.listenLan }),
    seed: settings.seed ?? randomInt(2 ** 32),
    ...(model && { model }),
    ...(air && { air }),
    ...(personality && { personality }),
    ...(settings.service !== undefined && { service: parseServiceUrl(settings.service) }),
  });
  const serial = await openSerial<Board>(settings.serial, module, { listenLan: settings.listenLan });
  if (!serial.ok) {
    await disk?.close();
    throw new NoSerialError(serial.error);
  }
  if (onLog) module.log.attach(onLog);
  await module.boot();
  const { mac, uuid } = module.identity;
  return {
    module,
    addresses: { serial: serial.value.address ?? null, http: null, terminal: null, mac, uuid },
    async stop() {
      await serial.value.close();
      await module.close();
      await disk?.close();
    },
  };
}
