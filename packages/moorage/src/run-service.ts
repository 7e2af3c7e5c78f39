import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { buildService, type Service } from '@moorage/service';
import { ensureAdministrator } from '@moorage/service/auth/accounts';
import type { Settings } from '@moorage/service/config';
import { UserError } from './commands/define.ts';

/** Where the service listens. */
export interface ServiceAddresses {
  readonly api: string;
  readonly devices: string;
  readonly console: string;
}

export interface RunningService {
  readonly service: Service;
  readonly addresses: ServiceAddresses;
  stop(): Promise<void>;
}

/** What the set-up of the clone builds; a service without it has no console, and everything else. */
const builtConsole = fileURLToPath(new URL('../../console/dist', import.meta.url));

const consoleDir = (): string | undefined => (existsSync(`${builtConsole}/index.html`) ? builtConsole : undefined);

const isLoopbackHost = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host);

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

type Announce = (email: string, password: string) => void;

/** Opens the storage, makes what a first run needs, and listens on both addresses. */
export async function startService(
  settings: Settings,
  announce: Announce,
  { listenLan }: { readonly listenLan: boolean },
): Promise<RunningService> {
  if (!listenLan && !isLoopbackHost(settings.host)) {
    throw new UserError(`Address ${settings.host} is outside the loopback range; --listen-lan allows that`, 2);
  }
  await mkdir(settings.dataDir, { recursive: true });
  // Standard output is the command's own.
  const deviceHosts = [hostname(), ...(isWildcard(settings.host) ? [] : [settings.host])];
  const service = await buildService({ settings, deviceHosts, logStream: process.stderr, consoleDir: consoleDir() });
  try {
    const api = await listen(service.api, settings.host, settings.port);
    const listening = await listen(service.devices, settings.host, settings.devicePort);
    // Its server is made outside the framework, which takes it for a plain one.
    const devices = settings.deviceInsecure ? listening : listening.replace(/^http:/, 'https:');
    // After the listeners: a port that is taken ends the first run before anybody is told a password.
    await ensureAdministrator(service.deps, announce);
    const addresses = { api, devices, console: `${api}/` };
    return { service, addresses, stop: () => service.close() };
  } catch (error) {
    await service.close();
    throw error;
  }
}

interface Listening {
  listen(options: { host: string; port: number }): Promise<string>;
}

async function listen(app: Listening, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new UserError(`Port ${port} on ${host} is taken; choose another with --port or --device-port`);
    if (code === 'EACCES') throw new UserError(`Port ${port} on ${host} needs rights that this user does not have`);
    if (code === 'EADDRNOTAVAIL') throw new UserError(`Address ${host} is not one of this machine's`);
    throw error;
  }
}
