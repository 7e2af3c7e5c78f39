import Type, { type Static } from 'typebox';
import { endpoint } from './endpoint.ts';
import { Text } from './fields.ts';

/** An email address: one @ with something on both sides. Whether it is reachable only a letter can tell. */
export const Email = Text(254, { pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$', examples: ['maker@example.com'] });

/** Shown in front of product codes, so it has their characters; records hold it in lower case. */
export const Username = Text(32, { pattern: '^[A-Za-z0-9_.]+$', examples: ['maker'] });

export const NewPassword = Text(1024, { minLength: 8, description: 'at least 8 characters' });

export const userTextFields = {
  name_given: Type.Optional(Text(100)),
  name_family: Type.Optional(Text(100)),
  organisation: Type.Optional(Text(200)),
};

/** What login and sign-up answer: the bearer value, and an opaque id of this login session. Spec: API-AUTH-2. */
export const Session = Type.Object({
  result: Type.Literal('ok'),
  token: Type.String({ pattern: '^[A-Za-z0-9+/]{32}$', description: 'bearer value' }),
  client: Type.String({ pattern: '^[0-9a-f]{32}$' }),
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
