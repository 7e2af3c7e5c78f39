import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '@moorage/base';
import { UserError } from '../command-line/define.ts';
import { writeOwn } from '../files/private-file.ts';

/** A login that is kept between commands. */
interface SavedLogin {
  readonly username: string;
  readonly token: string;
  /** Logging in has made the token, and logging out ends it; one that was made by hand stays. */
  readonly session: boolean;
}

/** Saved logins by the address of their service, and the address that was logged in to last. */
export interface Logins {
  readonly last?: string | undefined;
  readonly services: Readonly<Record<string, SavedLogin>>;
}

/** Where logins are saved unless a setting says otherwise. */
export const defaultLoginsPath = (): string =>
  join(process.env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'moorage', 'logins.json');

const isText = (value: unknown): value is string => typeof value === 'string';
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function readLogin(value: unknown): SavedLogin | undefined {
  if (!isObject(value)) return undefined;
  const { username, token, session } = value;
  return isText(username) && isText(token) ? { username, token, session: session === true } : undefined;
}

/** The logins in a file; none when there is no such file. @throws {UserError} when it cannot be read, or is no such file */
export async function readLogins(path: string): Promise<Logins> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { services: {} };
    throw new UserError(`Saved logins cannot be read: ${(error as Error).message}`, 1, { cause: error });
  }
  try {
    const content: unknown = JSON.parse(text);
    if (!isObject(content) || !isObject(content.services)) throw new Error('it is not a list of logins');
    const services: Record<string, SavedLogin> = {};
    for (const [api, value] of Object.entries(content.services)) {
      const login = readLogin(value);
      if (login) services[api] = login;
    }
    return { services, last: isText(content.last) ? content.last : undefined };
  } catch (error) {
    throw new UserError(`Saved logins in "${path}" cannot be used: ${(error as Error).message}`, 1, { cause: error });
  }
}

/**
 * Writes logins for their user alone (mode 0600), whole or not at all.
 *
 * @throws {UserError} when the file cannot be written
 */
export async function writeLogins(path: string, logins: Logins): Promise<void> {
  try {
    await writeOwn(path, `${JSON.stringify(logins, null, 2)}\n`);
  } catch (error) {
    throw new UserError(`The login cannot be saved: ${(error as Error).message}`, 1, { cause: error });
  }
}
