import Type, { type Static } from 'typebox';
import { endpoint, strangerBodyLimitBytes } from './endpoint.ts';
import { Id, ResultOk, Text } from './fields.ts';

/** An email address: one @ with something on both sides. Whether it is reachable only a letter can tell. */
export const Email = Text(254, { pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$', examples: ['maker@example.com'] });

/** Shown in front of product codes, so it has their characters; records hold it in lower case. */
export const Username = Text(32, { pattern: '^[A-Za-z0-9_.]+$', examples: ['maker'] });

export const NewPassword = Text(1024, {
  minLength: 8,
  description: 'at least 8 characters',
  examples: ['correct horse'],
});

export const userTextFields = {
  name_given: Type.Optional(Text(100)),
  name_family: Type.Optional(Text(100)),
  organisation: Type.Optional(Text(200)),
};

/** What login and sign-up answer: the bearer value, and an opaque id of this login session. Spec: API-AUTH-2. */
export const Session = Type.Object({
  result: Type.Literal('ok'),
  token: Type.String({
    pattern: '^[A-Za-z0-9+/]{32}$',
    description: 'bearer value',
    examples: ['SVlSU2VZbllaWHUxcVF4VDBHNjVjQ2Rl'],
  }),
  client: Type.String({ pattern: '^[0-9a-f]{32}$', examples: ['a62b2222d190fca0fd2c2dc108136319'] }),
});
export type Session = Static<typeof Session>;

export const authContract = {
  login: endpoint({
    method: 'POST',
    path: '/api/auth/login',
    spec: ['API-EP-POST-auth-login', 'API-AUTH-2', 'API-LIMIT-login'],
    tag: 'Login',
    summary: 'Log in with email or user name',
    description: 'Ten failures in 15 minutes from one address for one name close that door until the oldest is over.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({
      username: Text(254, { minLength: 1, description: 'email or user name, in any letter case' }),
      password: Text(1024),
    }),
    reply: Session,
    errors: [400, 401, 413, 415, 429, 503],
  }),
  signup: endpoint({
    method: 'POST',
    path: '/api/auth/signup',
    spec: ['API-EP-POST-auth-signup'],
    tag: 'Login',
    summary: 'Make an account and log in',
    description: 'Without a user name one is made from the email address.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({
      email: Email,
      password: NewPassword,
      username: Type.Optional(Username),
      ...userTextFields,
    }),
    reply: Session,
    errors: [400, 409, 413, 415, 503],
  }),
};

/** Who is signed in, and how. */
export const SessionRecord = Type.Object({
  user_id: Id,
  username: Type.String(),
  role: Type.Enum(['user', 'customer', 'admin']),
  initial_password: Type.Boolean({ description: 'the password is still the one that the first run has made' }),
});
export type SessionRecord = Static<typeof SessionRecord>;

/** What a page of the service sends with every change, in the header `x-console`. Spec: API-RULE-session-2. */
export const consoleHeader = { name: 'x-console', value: '1' } as const;

/**
 * Sessions of the web console: the token travels in a cookie that no script can read, and changes must come from a page
 * of the service itself. Spec: API-RULE-session-1.
 */
export const sessionContract = {
  open: endpoint({
    method: 'POST',
    path: '/api/auth/session',
    spec: ['API-EP-POST-auth-session', 'API-RULE-session-1', 'API-RULE-session-2'],
    tag: 'Login',
    summary: 'Log in from a page of the service: the token comes in a cookie',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: authContract.login.body,
    reply: SessionRecord,
    errors: [400, 401, 403, 413, 415, 429, 503],
  }),
  signup: endpoint({
    method: 'POST',
    path: '/api/auth/session/signup',
    spec: ['API-EP-POST-auth-session-signup', 'API-RULE-session-1'],
    tag: 'Login',
    summary: 'Make an account and log in from a page of the service',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: authContract.signup.body,
    reply: SessionRecord,
    errors: [400, 403, 409, 413, 415, 503],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/auth/session',
    spec: ['API-EP-GET-auth-session'],
    tag: 'Login',
    summary: 'Who is signed in',
    auth: 'bearer',
    reply: SessionRecord,
    errors: [401],
  }),
  close: endpoint({
    method: 'DELETE',
    path: '/api/auth/session',
    spec: ['API-EP-DELETE-auth-session'],
    tag: 'Login',
    summary: 'Log out: the token that was used stops working, and the cookie goes',
    auth: 'bearer',
    reply: ResultOk,
    errors: [401, 403],
  }),
  changePassword: endpoint({
    method: 'PUT',
    path: '/api/user/password',
    spec: ['API-EP-PUT-user-password', 'API-RULE-session-3'],
    tag: 'User',
    summary: 'Change your password; all other login sessions end, tokens made by hand stay',
    auth: 'bearer',
    body: Type.Object({ current_password: Text(1024), password: NewPassword }),
    reply: ResultOk,
    errors: [400, 401, 403, 413, 415, 429, 503],
  }),
};
