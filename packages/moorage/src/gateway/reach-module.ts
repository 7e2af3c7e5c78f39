import type { Driver, OpenOptions } from '@moorage/gateway';
import { parseAddress } from '@moorage/gateway/driver/address';
import { UserError } from '../command-line/define.ts';
import type { Resolved } from '../command-line/options.ts';
import { askSecret } from '../command-line/terminal.ts';
import { checkCount } from '../command-line/words.ts';
import { readCertificate } from '../files/certificate-files.ts';

/** How an address of a module is written. */
export const addressForms =
  'http://HOST:PORT, https://HOST:PORT, tcp:HOST:PORT (terminal or serial), rfc2217:HOST:PORT, pty:PATH, /dev/…';

/** As fast as adapters are. */
const highestBaud = 12_000_000;

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
    help: 'of its HTTP server or remote terminal',
    secret: true,
    defaultText: 'asked for where the module wants one, or a line of the standard input',
  },
  ca: { kind: 'text', placeholder: 'FILE', help: 'authority (PEM) of a module with HTTPS' },
  baud: { kind: 'count', default: 115_200, placeholder: 'N', help: 'rate of a serial line' },
} as const;

/** What `reachOptions` say. @throws {UserError} for what cannot be used */
export function readReach({ user, password, ca, baud }: Resolved<typeof reachOptions>): OpenOptions {
  checkCount('baud', baud, highestBaud);
  return { username: user, password, ca: ca === undefined ? undefined : readCertificate('--ca', ca), baud };
}

/** Looks at the address of a module, given at `where`. @throws {UserError} that repeats no password, when it is none */
export function checkAddress(where: string, text: string): void {
  if (parseAddress(text).ok) return;
  if (text.includes('@'))
    throw new UserError(`${where} has an "@" in it: names and passwords do not belong into an address`, 2);
  throw new UserError(`${where} is "${text}", not one of ${addressForms}`, 2);
}

/** An open command line, and what has opened it. */
export interface Reached {
  readonly driver: Driver;
  readonly options: OpenOptions;
}

/** Opens the command line at an address; a password that is wanted and not given is asked for. */
export async function reach(address: string, given: OpenOptions): Promise<Reached> {
  const [{ openDriver }, { hostPorts }] = await Promise.all([import('@moorage/gateway'), import('./host-ports.ts')]);
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
