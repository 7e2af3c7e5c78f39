import Type, { type Static } from 'typebox';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, Nullable, pageOf, ResultOk, sortBy, Text, Timestamp } from '../fields.ts';

/** An email address: one @ with something on both sides. Whether it is reachable only a letter can tell. */
export const Email = Text(254, { pattern: '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$', examples: ['maker@example.com'] });

/** Shown in front of product codes, so it has their characters; records hold it in lower case. */
export const Username = Text(32, { pattern: '^[A-Za-z0-9_.]+$', examples: ['maker'] });

export const NewPassword = Text(1024, {
  minLength: 8,
  description: 'at least 12 characters, or 8 of an account with a second factor; none that many people choose',
  examples: ['correct horse'],
});

export const userTextFields = {
  name_given: Type.Optional(Text(100)),
  name_family: Type.Optional(Text(100)),
  organisation: Type.Optional(Text(200)),
};

/** Who may make an account: anybody, those who have an invitation, or no one. Spec: API-RULE-signup-1. */
export const signUpPolicies = ['open', 'invite', 'closed'] as const;
export type SignUpPolicy = (typeof signUpPolicies)[number];

/** Of whom the service wants a second factor. Spec: API-RULE-factor-4. */
export const secondFactorPolicies = ['optional', 'administrators', 'all'] as const;
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

/** The token in the link of an invitation. */
const Invitation = Text(64, { minLength: 1, description: 'the token of an invitation' });

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

const shared = { tag: 'Login', auth: 'none', audit: { what: 'user', id: 'caller' } } as const;

export const authContract = endpoints(shared, {
  login: {
    route: 'POST /api/auth/login',
    makesRoom: true,
    spec: ['API-AUTH-2', 'API-LIMIT-login', 'API-RULE-known-1'],
    summary: 'Log in with email or user name',
    description:
      'Ten failures in 15 minutes from one address for one account, twenty in an hour from its network and fifty in an ' +
      'hour from everywhere close that door until the oldest is over, and so do a hundred in 15 minutes from one address ' +
      'for whatever accounts, two hundred from its network. An address is an IPv4 address or a /64 of IPv6, its network a /24 or ' +
      'a /48. Where the account has come in from within 30 days, what others try does not count. The right password of an ' +
      'account with a second factor is refused with SECOND_FACTOR_REQUIRED and a challenge, which finishes the login.',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({
      username: Text(254, { minLength: 1, description: 'email or user name, in any letter case' }),
      password: Text(1024),
    }),
    reply: Session,
    errors: [400, 401, 403, 413, 415, 429, 503],
  },
  signup: {
    route: 'POST /api/auth/signup',
    summary: 'Make an account and log in',
    description:
      'Without a user name one is made from the email address. Who may do it is a setting of the service: anybody, those ' +
      'with an invitation, or nobody. One address may try that twenty times in an hour without an invitation, its network ' +
      'forty times; 200 accounts are made in an hour.',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({
      invitation: Type.Optional(Invitation),
      email: Email,
      password: NewPassword,
      username: Type.Optional(Username),
      ...userTextFields,
    }),
    reply: Session,
    errors: [400, 403, 409, 413, 415, 429, 503],
  },
  policy: {
    route: 'GET /api/auth/sign-up',
    spec: ['API-RULE-signup-1'],
    summary:
      'Who may make an account, who needs a second factor, what signs people in, and whether the service sends mail',
    reply: Type.Object({
      sign_up: Type.Enum([...signUpPolicies]),
      mail: Type.Boolean({ description: 'a forgotten password is replaced by a link in a mail' }),
      second_factor: Type.Enum([...secondFactorPolicies], { description: 'of whom the service wants one' }),
      sso: Nullable(Type.String({ description: 'name of the provider that signs people in' })),
      passkeys: Nullable(
        Type.String({
          description: 'the address that passkeys are for; null where the one that was called can have none',
          examples: ['https://hub.example'],
        }),
      ),
    }),
    errors: [],
  },
  invitation: {
    route: 'POST /api/auth/invitation',
    audit: { none: 'reads an invitation' },
    summary: 'What an invitation is for, as long as it may be used',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({ invitation: Invitation }),
    reply: Type.Object({
      email: Nullable(Type.String({ description: 'the only address that it is for' })),
      role: Type.Enum(['user', 'admin']),
      expires_at: Timestamp,
    }),
    errors: [400, 403, 413, 415, 429],
  },
});

/** Who is signed in, and how. */
export const SessionRecord = Type.Object({
  user_id: Id,
  username: Type.String(),
  role: Type.Enum(['user', 'customer', 'admin']),
  initial_password: Type.Boolean({ description: 'the password is still the one that the first run has made' }),
  factor_needed: Type.Boolean({ description: 'this session may only set up the second factor that its account lacks' }),
});
export type SessionRecord = Static<typeof SessionRecord>;

/** What a page of the service sends with every change, in the header `x-console`. Spec: API-RULE-session-2. */
export const consoleHeader = { name: 'x-console', value: '1' } as const;

const sessionShared = { ...shared, auth: 'bearer', limited: 'closed', access: 'user.self' } as const;

/**
 * Sessions of the web console: the token travels in a cookie that no script can read, and changes must come from a page
 * of the service itself. Spec: API-RULE-session-1.
 */
export const sessionContract = endpoints(sessionShared, {
  open: {
    route: 'POST /api/auth/session',
    makesRoom: true,
    spec: ['API-RULE-session-1', 'API-RULE-session-2'],
    summary: 'Log in from a page of the service: the token comes in a cookie',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: authContract.login.body,
    reply: SessionRecord,
    errors: [400, 401, 403, 413, 415, 429, 503],
  },
  signup: {
    route: 'POST /api/auth/session/signup',
    spec: ['API-RULE-session-1'],
    summary: 'Make an account and log in from a page of the service',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: authContract.signup.body,
    reply: SessionRecord,
    errors: [400, 403, 409, 413, 415, 429, 503],
  },
  get: {
    route: 'GET /api/auth/session',
    limited: 'open',
    withoutFactor: true,
    summary: 'Who is signed in',
    reply: SessionRecord,
    errors: [401],
  },
  close: {
    route: 'DELETE /api/auth/session',
    scope: 'read',
    limited: 'open',
    audit: { what: 'user', id: 'caller', read: 'get' },
    withoutFactor: true,
    summary: 'Log out: the token that was used stops working, and the cookie goes',
    reply: Type.Object({
      ...ResultOk.properties,
      sign_out_url: Type.Optional(
        Type.String({ description: 'after single sign-on: page of the provider that ends its session too' }),
      ),
    }),
    errors: [401, 403],
  },
  changePassword: {
    route: 'PUT /api/user/password',
    scope: 'all',
    proof: 'in the body',
    withoutFactor: true,
    spec: ['API-RULE-session-3'],
    tag: 'User',
    summary: 'Change your password; all other login sessions end, tokens made by hand stay',
    body: Type.Object({ current_password: Text(1024), password: NewPassword }),
    errors: [400, 401, 403, 413, 415, 429, 503],
  },
});

/** A link by which one account can be made. */
export const InvitationRecord = Type.Object({
  id: Id,
  token: Type.String({ description: 'the whole value in the reply that made it, later its last 4 characters' }),
  email: Nullable(Type.String({ description: 'the only address that it is for' })),
  role: Type.Enum(['user', 'admin']),
  created_by: Nullable(Type.String({ description: 'user name; null for one of the command line' })),
  created_at: Timestamp,
  expires_at: Timestamp,
  used_at: Nullable(Timestamp),
  used_by: Nullable(Type.String({ description: 'user name' })),
});
export type InvitationRecord = Static<typeof InvitationRecord>;

/** How long an invitation is good, in days: unless it says so, and at most. */
export const invitationDays = { usual: 7, most: 365 } as const;

/** Invitations that may be open at once. Spec: API-LIMIT-invitations. */
export const openInvitationsLimit = 1000;

const invitationsShared = { ...sessionShared, scope: 'all', access: 'invitation.manage' } as const;

export const invitationsContract = endpoints(invitationsShared, {
  list: {
    route: 'GET /api/invitations',
    summary: 'List invitations (administrators)',
    ...pageOf(InvitationRecord, sortBy(['created_at', 'expires_at'], '-created_at')),
    errors: [400, 401, 403],
  },
  create: {
    route: 'POST /api/invitations',
    proof: 'always',
    audit: { what: 'invitation', id: 'made' },
    spec: ['API-LIMIT-invitations'],
    summary: 'Make an invitation, which one account can be made with (administrators)',
    description: 'The link for people is /sign-up#TOKEN; the token is shown this once.',
    body: Type.Object({
      email: Type.Optional(Email),
      role: Type.Optional(Type.Enum(['user', 'admin'])),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: invitationDays.most, description: `${invitationDays.usual} without it` }),
      ),
    }),
    reply: InvitationRecord,
    errors: [400, 401, 403, 409, 413, 415],
  },
  revoke: {
    route: 'DELETE /api/invitations/{invitation_id}',
    audit: { what: 'invitation', id: 'params.invitation_id' },
    summary: 'Take an invitation back (administrators)',
  },
});
