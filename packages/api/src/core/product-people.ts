import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { AccountName, Id, pageOf, sortBy, Text, Timestamp } from '../fields.ts';
import { ProductRecord } from './products.ts';

/** A user whom the owner of a product has let in. */
export const ProductUserRecord = Type.Object({
  user_id: Id,
  user: Type.String({ description: 'user name' }),
  name_given: Type.String(),
  name_family: Type.String(),
  role: Type.Enum(['manager', 'tester']),
  created_at: Timestamp,
});
export type ProductUserRecord = Static<typeof ProductUserRecord>;

/** Users of one product beside its owner, at most. Spec: API-LIMIT-product-users. */
export const productUsersLimit = 500;

const peopleShared = {
  tag: 'Products',
  scope: 'all',
  limited: ['product_id'],
  access: 'product.admin',
  audit: { what: 'product', id: 'params.product_id' },
} as const;

/** Who works on a product, and for whom it is made. */
export const productPeopleContract = endpoints(peopleShared, {
  list: {
    route: 'GET /api/products/{product_id}/users',
    access: 'product.people',
    summary: 'List who works on a product beside its owner',
    ...pageOf(ProductUserRecord, sortBy(['created_at', 'user', 'role'], '-created_at')),
  },
  add: {
    route: 'POST /api/products/{product_id}/users',
    spec: ['API-LIMIT-product-users', 'API-LIMIT-look-ups'],
    summary: 'Let a user work on a product, or give them another role',
    body: Type.Object({ user: AccountName, role: Type.Enum(['manager', 'tester']) }),
    reply: ProductUserRecord,
    errors: [400, 401, 403, 404, 409, 429],
  },
  remove: {
    route: 'DELETE /api/products/{product_id}/users/{user_id}',
    audit: { what: 'user', id: 'params.user_id' },
    summary: 'Take a user off a product, or leave it',
  },
  move: {
    route: 'PUT /api/products/{product_id}/owner',
    spec: ['API-RULE-customer-2', 'API-LIMIT-look-ups'],
    summary: 'Move a product to another owner: a user, or a customer',
    description:
      'Owners move a product between themselves and the customer that they are an owner of, administrators anywhere. A production ' +
      'product stays with customers. Its codes stay as they are, since devices report them.',
    body: Type.Object({
      user: Type.Optional(AccountName),
      customer_id: Type.Optional(Id),
    }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409, 429],
  },
  makeProduction: {
    route: 'POST /api/products/{product_id}/production',
    access: 'product.production',
    audit: { what: 'product', id: 'made' },
    spec: ['API-RULE-production-2'],
    summary: 'Make a production product from a development product (administrators)',
    description:
      'The new product belongs to the customer, is not claimable, and begins with the release candidate of the ' +
      'development product: its bundle with the highest tag.',
    body: Type.Object({ customer_id: Id, part_number: Text(64, { minLength: 1 }) }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409],
  },
});
