import type { Driver, OpenOptions } from '@moorage/gateway';
import { readSetting } from '../given-file.ts';
import type { Resolved } from '../options.ts';
import { askSecret } from '../terminal.ts';
import { UserError } from './define.ts';

/** How a module's command line is reached, wherever a command needs one. */
export const reachOptions = {
  user: {
    kind: 'text',
    placeholder: 'NAME',
    help: 'name at the HTTP server of the module; its password is that of --password',
  },
  password: {
    kind: 'text',
    placeholder: 'PASSWORD',
    help: 'of its HTTP server or remote terminal; better in MOORAGE_PASSWORD, which no list of processes shows',
    defaultText: 'asked for where the module wants one, or a line of the standard input',
  },
  ca: { kind: 'text', placeholder: 'FILE', help: 'authority (PEM) of a module with HTTPS' },
  baud: { kind: 'count', default: 115_200, placeholder: 'N', help: 'rate of a serial line' },
} as const;

/** What `reachOptions` say. @throws {UserError} for what cannot be used */
export function readReach({ user, password, ca, baud }: Resolved<typeof reachOptions>): OpenOptions {
  return { username: user, password, ca: ca === undefined ? undefined : readSetting('--ca', ca), baud };
}

/** An open command line, and what has opened it. */
export interface Reached {
  readonly driver: Driver;
  readonly options: OpenOptions;
}

/** Opens the command line at an address; a password that is wanted and not given is asked for. */
export async function reach(address: string, given: OpenOptions): Promise<Reached> {
  const [{ openDriver }, { hostPorts }] = await Promise.all([import('@moorage/gateway'), import('../host-ports.ts')]);
  const open = (options: OpenOptions) => openDriver(hostPorts(), address, options);
  let [options, opened] = [given, await open(given)];
  if (!opened.ok && opened.error.error === 'denied') {
    if (/^https?:/.test(address) && given.username === undefined)
      throw new UserError(`${address}: ${opened.error.detail}: give the name with --user`);
    if (given.password === undefined) {
      options = { ...given, password: await askSecret(`Password at ${address}: `, 'password') };
      opened = await open(options);
    }
  }
  if (opened.ok) return { driver: opened.value, options };
  throw new UserError(`${address}: ${opened.error.detail}`);
}
