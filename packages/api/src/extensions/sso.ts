import Type, { type Static } from 'typebox';
import { SessionRecord } from '../core/auth.ts';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, Nullable, Text, Timestamp } from '../fields.ts';

/** Who gets in by single sign-on: all whom the provider signs in, or those with an account or an invitation. */
export const ssoAccountPolicies = ['create', 'invited'] as const;

/** A page of the console and no other site: `//` and `/\` begin the name of a host to a browser. */
const ReturnTo = Text(2_000, {
  pattern: '^/([^/\\\\\\s\\u0000][^\\\\\\s\\u0000]*)?$',
  description: 'page of the console to go on to',
  examples: ['/devices'],
});

const start = {
  body: Type.Object({ return_to: Type.Optional(ReturnTo) }),
  reply: Type.Object({
    url: Type.String({ description: 'page of the provider to go to', examples: ['https://id.example.com/authorize'] }),
  }),
} as const;

/** A person as a provider knows them, who signs in to an account here. */
export const SsoLinkRecord = Type.Object({
  id: Id,
  issuer: Type.String({ examples: ['https://id.example.com'] }),
  email: Nullable(Type.String({ description: 'what the provider has said last' })),
  created_at: Timestamp,
  last_used_at: Timestamp,
});
export type SsoLinkRecord = Static<typeof SsoLinkRecord>;

const shared = { tag: 'User', scope: 'all', limited: 'closed', access: 'user.self' } as const;

/** Single sign-on by OpenID Connect. Spec: API-RULE-sso-1. */
export const ssoContract = endpoints(shared, {
  start: {
    ...start,
    route: 'POST /api/auth/sso',
    audit: { none: 'leads to the provider; what comes of it is sso.finish' },
    spec: ['API-RULE-sso-1', 'API-LIMIT-sso'],
    tag: 'Login',
    summary: 'Begin to sign in at the provider, from a page of the service',
    description: 'The cookie that comes along binds the sign-in to the browser, for ten minutes.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    errors: [400, 403, 409, 413, 415, 429, 502],
  },
  finish: {
    route: 'POST /api/auth/sso/finish',
    audit: { what: 'user', id: 'caller' },
    spec: ['API-RULE-sso-1', 'API-RULE-sso-2', 'API-RULE-sso-3'],
    tag: 'Login',
    summary: 'Log in with what the provider has answered: the token comes in a cookie',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    body: Type.Object({
      query: Text(8_192, { minLength: 1, description: 'what the address has behind the `?` that the provider led to' }),
    }),
    reply: Type.Object({
      session: Nullable(SessionRecord),
      return_to: Type.String({ description: 'page of the console to go on to' }),
    }),
    errors: [400, 403, 409, 413, 415, 429, 502, 503],
  },
  link: {
    ...start,
    route: 'POST /api/user/sso',
    proof: 'always',
    audit: { none: 'leads to the provider; what comes of it is sso.finish' },
    spec: ['API-RULE-sso-2'],
    summary: 'Begin to link your account to the provider: from then on it can be signed in to there',
    errors: [400, 401, 403, 409, 413, 415, 429, 502],
  },
  list: {
    route: 'GET /api/user/sso',
    summary: 'What your account is linked to',
    reply: Type.Array(SsoLinkRecord),
    errors: [401],
  },
  unlink: {
    route: 'DELETE /api/user/sso/{link_id}',
    proof: 'always',
    audit: { what: 'link', id: 'params.link_id' },
    summary: 'Take a link back: it does not sign in to your account any more',
  },
});
