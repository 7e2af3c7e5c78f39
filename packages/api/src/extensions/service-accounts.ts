import Type, { type Static } from 'typebox';
import { TokenRecord, tokenDaysLimit } from '../core/users.ts';
import { endpoints, tokenScopes } from '../endpoint.ts';
import { Id, Nullable, Timestamp, Title } from '../fields.ts';

/** What a token of a service account may do: never everything, which is how credentials are made. */
export const serviceScopes = tokenScopes.filter((scope) => scope !== 'all');

/** Service accounts of one product, and tokens of one of them, at most. Spec: API-LIMIT-service-accounts. */
export const serviceAccountsLimit = 50;
export const serviceTokensLimit = 20;

/** An account of a program that belongs to a product. Reference: records 1.14. */
export const ServiceAccountRecord = Type.Object({
  id: Id,
  name: Type.String({ description: 'within its product' }),
  user: Type.String({ description: 'what log and audit call it', examples: ['harbour-lamp:ci'] }),
  disabled_at: Nullable(Timestamp),
  created_at: Timestamp,
  tokens: Type.Array(TokenRecord),
});
export type ServiceAccountRecord = Static<typeof ServiceAccountRecord>;

const shared = {
  tag: 'Products',
  scope: 'all',
  limited: ['product_id'],
  access: 'product.service_accounts',
  audit: { what: 'service_account', id: 'params.service_account_id' },
} as const;

/** Accounts of programs that belong to a product, not to a person. Spec: API-RULE-service-account-1, API-RULE-service-account-2. */
export const serviceAccountsContract = endpoints(shared, {
  list: {
    route: 'GET /api/products/{product_id}/service-accounts',
    summary: 'List the service accounts of a product, with their tokens',
    reply: Type.Array(ServiceAccountRecord),
  },
  create: {
    route: 'POST /api/products/{product_id}/service-accounts',
    audit: { what: 'service_account', id: 'made' },
    spec: ['API-RULE-service-account-1', 'API-LIMIT-service-accounts'],
    summary: 'Add a service account to a product',
    description:
      'It may do what a manager of the product may, as far as the scopes of its tokens go, and nothing elsewhere. It cannot ' +
      'sign in, stays when the person who made it leaves, and goes with the product.',
    body: Type.Object({ name: Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,31}$', examples: ['ci'] }) }),
    reply: ServiceAccountRecord,
    errors: [400, 401, 403, 404, 409, 413, 415, 429],
  },
  update: {
    route: 'PUT /api/products/{product_id}/service-accounts/{service_account_id}',
    summary: 'Disable a service account, or let it in again',
    body: Type.Object({ disabled: Type.Boolean() }),
    reply: ServiceAccountRecord,
    errors: [400, 401, 403, 404, 413, 415],
  },
  remove: {
    route: 'DELETE /api/products/{product_id}/service-accounts/{service_account_id}',
    spec: ['API-RULE-service-account-2'],
    summary: 'Delete a service account with its tokens; what it has made becomes yours',
  },
  addToken: {
    route: 'POST /api/products/{product_id}/service-accounts/{service_account_id}/tokens',
    proof: { when: 'the new token would outlive the one shown' },
    audit: { what: 'token', id: 'made' },
    spec: ['API-RULE-service-account-1'],
    summary: 'Add a token to a service account; its value is shown this once',
    body: Type.Object({
      title: Title(100),
      scopes: Type.Array(Type.Enum([...serviceScopes]), {
        minItems: 1,
        maxItems: serviceScopes.length,
        examples: [['publish']],
      }),
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: tokenDaysLimit, description: 'how long it is good; for good without it' }),
      ),
    }),
    reply: TokenRecord,
    errors: [400, 401, 403, 404, 413, 415, 429],
  },
  removeToken: {
    route: 'DELETE /api/products/{product_id}/service-accounts/{service_account_id}/tokens/{token_id}',
    audit: { what: 'token', id: 'params.token_id' },
    summary: 'Revoke a token of a service account; it fails from the next request on',
  },
});
