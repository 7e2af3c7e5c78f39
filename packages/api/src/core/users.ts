import Type, { type Static } from 'typebox';
import { endpoints, type QueryOf, tokenScopes } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { Email, userTextFields } from './auth.ts';

export const userRoles = ['user', 'customer', 'admin'] as const;

/** What the people of a customer may be: from everything to looking on. Spec: API-RULE-customer-1. */
export const customerRoleNames = ['owner', 'maintainer', 'operator', 'viewer'] as const;
export type CustomerRole = (typeof customerRoleNames)[number];

/** Record of a user. Reference: records 1.5. */
export const UserRecord = Type.Object({
  id: Id,
  email: Type.String(), // API-FIELD-user-email
  username: Type.String(),
  name_given: Type.String(), // API-FIELD-user-name_given
  name_family: Type.String(), // API-FIELD-user-name_family
  organisation: Type.String(), // API-FIELD-user-organisation
  role: Type.Enum([...userRoles]),
  customer_id: Nullable(Id),
  customer_role: Nullable(Type.Enum([...customerRoleNames])),
  avatar_id: Nullable(Id),
  created_at: Timestamp,
  email_confirmed_at: Nullable(Timestamp),
});
export type UserRecord = Static<typeof UserRecord>;

/** The record of the caller. */
export const OwnUserRecord = Type.Object({
  ...UserRecord.properties,
  email_pending: Nullable(
    Type.String({ description: 'the address that a link was mailed to, which takes the place of `email` by it' }),
  ),
});
export type OwnUserRecord = Static<typeof OwnUserRecord>;

/** A user in the list of all. */
export const ListedUserRecord = Type.Object({
  ...UserRecord.properties,
  disabled_at: Nullable(Timestamp),
  second_factor: Type.Boolean(),
});
export type ListedUserRecord = Static<typeof ListedUserRecord>;

/** Products that one token may be limited to. */
export const tokenProductsLimit = 20;
/** How long a token may be good, in days. */
export const tokenDaysLimit = 3650;

/** Record of a token. Reference: records 1.6. */
export const TokenRecord = Type.Object({
  id: Id,
  title: Type.String(),
  token: Type.String({ description: 'the whole value in the reply that made it, later its last 4 characters' }),
  client: Nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  last_used_ip: Nullable(Type.String({ description: 'address of the client that used it last, to the minute' })),
  scopes: Type.Array(Type.Enum([...tokenScopes])),
  product_ids: Nullable(Type.Array(Id, { description: 'the only products that it is for' })),
  expires_at: Nullable(Timestamp),
  user_agent: Nullable(Type.String({ description: 'of a login session: the program that logged in, by its own word' })),
  current: Type.Boolean({ description: 'this request was made with it' }),
});
export type TokenRecord = Static<typeof TokenRecord>;

export const tokenSortFields = ['created_at', 'last_used_at', 'title'] as const;

/** What accounts may have so and so much of. Spec: API-LIMIT-quotas. */
export const quotaNames = ['devices', 'products', 'bundles', 'connectors', 'bytes'] as const;
export type QuotaName = (typeof quotaNames)[number];

export const QuotaRecord = Type.Object({
  name: Type.Enum([...quotaNames, 'requests_per_minute'], {
    description:
      'bundles, connectors and assets count for the owner of their product, files for the owner of their device; bytes ' +
      'are those of files, assets and resources',
  }),
  used: Nullable(Type.Integer({ description: 'not counted here for requests_per_minute' })),
  limit: Nullable(Type.Integer({ description: 'any number without it' })),
});
export type QuotaRecord = Static<typeof QuotaRecord>;

export type UserListQuery = QueryOf<(typeof usersContract)['list']>;

const shared = { tag: 'User', scope: 'all', limited: 'closed', access: 'user.self' } as const;

export const usersContract = endpoints(shared, {
  list: {
    route: 'GET /api/users',
    access: 'user.list',
    summary: 'List the accounts of this service; administrators',
    ...pageOf(ListedUserRecord, sortBy(['username', 'email', 'created_at'], 'username'), {
      q: Type.Optional(
        Text(200, { description: 'part of the user name, email, names or organisation, in any letter case' }),
      ),
      role: Type.Optional(Type.Enum([...userRoles])),
    }),
    errors: [400, 401, 403],
  },
  get: {
    route: 'GET /api/user',
    limited: 'open',
    summary: 'Own details',
    reply: OwnUserRecord,
    errors: [401],
  },
  update: {
    route: 'PUT /api/user',
    proof: { when: 'the address changes' },
    audit: { what: 'user', id: 'caller', read: 'get' },
    spec: ['API-LIMIT-look-ups'],
    summary: 'Change own details',
    description:
      'Where the service sends mail, a new address counts once the link that it is mailed was used, and the former one is ' +
      'mailed a link that undoes the change within a week. An address that another account has gets no link.',
    body: Type.Object({ email: Type.Optional(Email), ...userTextFields }),
    reply: OwnUserRecord,
    errors: [400, 401, 403, 409, 413, 415, 429],
  },
  quotas: {
    route: 'GET /api/user/quotas',
    spec: ['API-LIMIT-quotas'],
    summary: 'What your account has and may have',
    reply: Type.Array(QuotaRecord),
    errors: [401],
  },
});

/** Bearer tokens of the caller. Spec: API-AUTH-3. */
export const tokensContract = endpoints(shared, {
  list: {
    route: 'GET /api/user/tokens',
    spec: ['API-RULE-token-1'],
    summary: 'Own tokens, those of logins too',
    ...pageOf(TokenRecord, sortBy(tokenSortFields, '-created_at')),
  },
  create: {
    route: 'POST /api/user/tokens',
    proof: { when: 'the new token would outlive the one shown' },
    audit: { what: 'token', id: 'made' },
    spec: ['API-RULE-token-1', 'API-RULE-token-3', 'API-RULE-token-4'],
    summary: 'Add a token; its value is shown this once',
    description:
      'Without scopes it may do all that its user may. One with products is for what names one of them: in the path, in ' +
      '`product_id`, or by a bundle, device, rollout or the like; everything else is 403 TOKEN_PRODUCT.',
    body: Type.Object({
      title: Type.Optional(Title(100)),
      scopes: Type.Optional(
        Type.Array(Type.Enum([...tokenScopes]), { minItems: 1, maxItems: tokenScopes.length, examples: [['publish']] }),
      ),
      product_ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: tokenProductsLimit })),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: tokenDaysLimit, description: 'how long it is good; for good without it' }),
      ),
    }),
    reply: TokenRecord,
    errors: [400, 401, 403, 404, 413, 415],
  },
  rename: {
    route: 'PUT /api/user/tokens/{token_id}',
    audit: { what: 'token', id: 'params.token_id' },
    summary: 'Rename a token',
    body: Type.Object({ title: Title(100) }),
    reply: TokenRecord,
    errors: [400, 401, 404, 413, 415],
  },
  revoke: {
    route: 'DELETE /api/user/tokens/{token_id}',
    audit: { what: 'token', id: 'params.token_id' },
    spec: ['API-RULE-token-2'],
    summary: 'Revoke a token; it fails from the next request on',
    errors: [400, 401, 404],
  },
});
