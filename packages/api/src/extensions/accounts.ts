import Type, { type Static } from 'typebox';
import { ListedUserRecord } from '../core/users.ts';
import { endpoints } from '../endpoint.ts';
import { AccountName } from '../fields.ts';

/** An account as administrators see it, with what depends on it. */
export const AccountRecord = Type.Object({
  ...ListedUserRecord.properties,
  owns: Type.Object({
    products: Type.Integer(),
    bundles: Type.Integer({ description: 'made by this user, whoever owns the product' }),
    devices: Type.Integer(),
  }),
  sessions: Type.Integer({ description: 'logins that have not ended' }),
  tokens: Type.Integer({ description: 'made by hand' }),
});
export type AccountRecord = Static<typeof AccountRecord>;

const shared = {
  tag: 'User',
  scope: 'all',
  limited: 'closed',
  access: 'user.manage',
  audit: { what: 'user', id: 'params.user_id' },
} as const;

/** Accounts in the hands of administrators. Spec: API-RULE-accounts-1, API-RULE-accounts-2. */
export const accountsContract = endpoints(shared, {
  get: {
    route: 'GET /api/users/{user_id}',
    summary: 'An account, with what it owns; administrators',
    reply: AccountRecord,
  },
  update: {
    route: 'PUT /api/users/{user_id}',
    proof: 'always',
    audit: { what: 'user', id: 'params.user_id', read: 'get' },
    spec: ['API-RULE-accounts-1'],
    summary: 'Change what an account may do, disable it or let it in again; administrators',
    description:
      'A disabled account keeps what it owns, and its devices go on; neither its password nor its tokens work, and its ' +
      'event streams end at once.',
    body: Type.Object({
      role: Type.Optional(
        Type.Enum(['user', 'admin'], { description: 'an administrator who is no longer one is of the customer again' }),
      ),
      disabled: Type.Optional(Type.Boolean()),
    }),
    reply: AccountRecord,
    errors: [400, 401, 403, 404, 409, 413, 415],
  },
  resetPassword: {
    route: 'POST /api/users/{user_id}/password',
    proof: 'always',
    summary: 'Give an account a new password, shown this once; its sessions end; administrators',
    reply: Type.Object({ password: Type.String() }),
  },
  endSessions: {
    route: 'DELETE /api/users/{user_id}/sessions',
    summary: 'End all login sessions of an account; administrators',
    query: Type.Object({
      tokens: Type.Optional(Type.Boolean({ description: 'its tokens that were made by hand, too' })),
    }),
    reply: Type.Object({ ended: Type.Integer({ description: 'sessions and tokens' }) }),
  },
  resetFactors: {
    route: 'DELETE /api/users/{user_id}/second-factor',
    proof: 'always',
    summary: 'Forget the second factor of an account, for somebody who has lost it; its sessions end; administrators',
  },
  remove: {
    route: 'DELETE /api/users/{user_id}',
    proof: 'always',
    audit: { what: 'user', id: 'params.user_id', read: 'get' },
    spec: ['API-RULE-accounts-2'],
    summary: 'Delete an account; what it owns goes to the heir; administrators',
    query: Type.Object({ heir: Type.Optional(AccountName) }),
    errors: [400, 401, 403, 404, 409],
  },
});
