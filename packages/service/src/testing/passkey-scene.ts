import { type Client, consoleHeader, createClient, type PasskeyRequest } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { type SoftAuthenticator, softAuthenticator } from './authenticator.ts';
import { injectFetch, type TestApp } from './build-app.ts';

export const password = 'correct horse';
/** Where the pages of the tests are, for the host that requests name on their own. */
export const origin = 'http://localhost';

interface Came {
  /** Header fields beside those of a page. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Network address: what is tried too often at one may be tried at another. */
  readonly address?: string;
}

/** Calls as a page of the service makes them. */
export function pageOf({ api }: TestApp, { headers: more = {}, address = '127.0.0.1' }: Came = {}): Client {
  const from: TestApp['api'] = Object.create(api, {
    inject: { value: (options: object) => api.inject({ ...options, remoteAddress: address }) },
  });
  const inject = injectFetch(from);
  return createClient({
    baseUrl: 'http://service',
    fetch(url, init) {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries({ [consoleHeader.name]: consoleHeader.value, ...more })) {
        headers.set(name, value);
      }
      return inject(url, { ...init, headers });
    },
  });
}

let counter = 0;

/** A new account, made in a network of its own, which is known for it; none of the tests sees that of another. */
export async function person(app: TestApp) {
  const name = `eve${++counter}`;
  const home = `10.${1 + (counter >> 8)}.${counter & 255}.1`;
  const page = pageOf(app, { address: home });
  const { token } = unwrap(await page.call('auth.signup', { body: { email: `${name}@example.com`, password } })).value;
  const client = pageOf(app).as(token);
  const { id } = unwrap(await client.call('users.get')).value;
  const login = () => app.client.call('auth.login', { body: { username: name, password } });
  /** A login that waits for its second step. */
  const challenge = async (): Promise<string> => {
    const refused = await login();
    const found = refused.ok ? undefined : refused.error.body.challenge;
    if (found === undefined) throw new Error('The password was enough');
    return found;
  };
  return { id, name, home, token, client, login, challenge };
}

type Person = Awaited<ReturnType<typeof person>>;

/** Has an account begin to add a passkey. */
export const beginToAdd = async ({ client }: Pick<Person, 'client'>) =>
  unwrap(await client.call('passkeys.register')).value.options;

/** Adds a passkey to an account; its recovery codes, where it had none. */
export async function addPasskey(one: Pick<Person, 'client'>, key: SoftAuthenticator, title = 'Work laptop') {
  const credential = key.make(await beginToAdd(one));
  return unwrap(await one.client.call('passkeys.add', { body: { title, credential } })).value;
}

/** An account with a passkey, and what holds it. */
export async function withPasskey(app: TestApp) {
  const made = await person(app);
  const key = softAuthenticator(origin);
  const { passkey, recovery_codes } = await addPasskey(made, key);
  return { ...made, key, passkey, recovery: recovery_codes };
}

/** What a page is to have signed: for a sign-in, or for the second step of a login. */
export async function toSign(page: Client, challenge?: string): Promise<PasskeyRequest> {
  const body = challenge === undefined ? {} : { challenge };
  const { options } = unwrap(await page.call('passkeys.begin', { body })).value;
  if (!options) throw new Error('There is no passkey for this');
  return options;
}

export const refusedWith = (status: number, code: string) => ({ ok: false, error: { status, body: { code } } });
