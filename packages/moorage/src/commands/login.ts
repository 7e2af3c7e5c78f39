import { writeLogins } from '../client/logins.ts';
import {
  CallError,
  clientOptions,
  type ServiceClient,
  servicePlace,
  throwingClient,
} from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import { askSecret, isTerminal } from '../command-line/terminal.ts';

const wrongLogin = 401;

/** A token and what its user is called, for a password or a token that was made by hand. */
async function logIn(
  api: string,
  email: string | undefined,
  given: { token?: string | undefined; password?: string | undefined; code?: string | undefined },
) {
  if (given.token !== undefined) {
    const { value } = await throwingClient(api, given.token).call('users.get', {});
    return { username: value.username, token: given.token, session: false };
  }
  if (email === undefined) throw new UserError('Argument EMAIL is missing; with --token it may be left out', 2);
  const password = given.password ?? (await askSecret(`Password of ${email} at ${api}: `, 'password'));
  const service = throwingClient(api, undefined);
  const opened = await service
    .call('auth.login', { body: { username: email, password } })
    .catch((error: unknown) => finishLogin(service, error, given.code));
  const { token } = opened.value;
  const { value } = await throwingClient(api, token).call('users.get', {});
  return { username: value.username, token, session: true };
}

/** Finishes a login that wants a second factor. @throws any other refusal */
async function finishLogin(service: ServiceClient, refused: unknown, given: string | undefined) {
  const challenge = refused instanceof CallError ? refused.challenge : undefined;
  if (challenge === undefined) throw refused;
  const code = given ?? (isTerminal() ? await askSecret('Code of your app, or a recovery code: ', 'code') : undefined);
  if (code === undefined) throw new UserError('The account has a second factor: give a code with --code', 2);
  return service.call('factors.login', { body: { challenge, code } });
}

export const loginCommand = defineCliCommand({
  name: 'login',
  summary: 'Log in to a service, and keep the login for the commands that are clients of it',
  arguments: [{ name: 'EMAIL', help: 'email or user name', optional: true }],
  options: {
    ...clientOptions,
    token: { ...clientOptions.token, help: 'keep this bearer token instead', defaultText: 'one that logging in makes' },
    password: {
      kind: 'text',
      placeholder: 'PASSWORD',
      help: 'password of the account',
      secret: true,
      defaultText: 'asked for, or a line of the standard input',
    },
    code: {
      kind: 'text',
      placeholder: 'CODE',
      help: 'of the second factor: six digits of the app, or a recovery code',
      // Its first use is its last.
      secret: false,
      defaultText: 'asked for where the account has one',
    },
  },
  async run({ options, args: [email], reporter }) {
    const { api, path, logins } = await servicePlace(options);
    const login = await logIn(api, email, options);
    await writeLogins(path, { services: { ...logins.services, [api]: login }, last: api });
    const { username } = login;
    reporter.event('login', { api, username }, `Logged in to ${api} as ${username}; kept in ${path}`);
  },
});

export const logoutCommand = defineCliCommand({
  name: 'logout',
  summary: 'End the saved login of a service, and forget it',
  options: { api: clientOptions.api, logins: clientOptions.logins },
  async run({ options, reporter }) {
    const { api, path, logins } = await servicePlace(options);
    const { [api]: login, ...services } = logins.services;
    if (!login) throw new UserError(`There is no login for ${api}`);
    if (login.session) {
      await throwingClient(api, login.token)
        .call('session.close', {})
        .catch((error: unknown) => {
          // It was over already: that is what was asked for.
          if (!(error instanceof CallError && error.status === wrongLogin)) throw error;
        });
    }
    await writeLogins(path, { services, last: logins.last === api ? undefined : logins.last });
    reporter.event('logout', { api }, `Logged out of ${api}`);
  },
});
