import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { AccountName, Id, pageQuery, sortBy, Text, Timestamp } from '../fields.ts';
import { ProductRecord, productParams } from './products.ts';

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
  auth: 'bearer',
  limited: ['product_id'],
  access: 'product.admin',
  audit: { what: 'product', id: 'params.product_id' },
} as const;

/** Who works on a product, and for whom it is made. */
export const productPeopleContract = endpoints(peopleShared, {
  list: {
    method: 'GET',
    path: '/api/products/{product_id}/users',
    access: 'product.people',
    spec: ['API-EP-GET-products-product_id-users'],
    summary: 'List who works on a product beside its owner',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at', 'user', 'role'], '-created_at') }),
    reply: Type.Array(ProductUserRecord),
    paged: true,
    errors: [400, 401, 403, 404],
  },
  add: {
    method: 'POST',
    path: '/api/products/{product_id}/users',
    scope: 'all',
    spec: ['API-EP-POST-products-product_id-users', 'API-LIMIT-product-users', 'API-LIMIT-look-ups'],
    summary: 'Let a user work on a product, or give them another role',
    params: productParams,
    body: Type.Object({ user: AccountName, role: Type.Enum(['manager', 'tester']) }),
    reply: ProductUserRecord,
    errors: [400, 401, 403, 404, 409, 429],
  },
  remove: {
    method: 'DELETE',
    path: '/api/products/{product_id}/users/{user_id}',
    scope: 'all',
    audit: { what: 'user', id: 'params.user_id' },
    spec: ['API-EP-DELETE-products-product_id-users-user_id'],
    summary: 'Take a user off a product, or leave it',
    params: Type.Object({ product_id: Id, user_id: Id }),
    reply: Type.Object({ result: Type.Literal('ok') }),
    errors: [400, 401, 403, 404],
  },
  move: {
    method: 'PUT',
    path: '/api/products/{product_id}/owner',
    scope: 'all',
    spec: ['API-EP-PUT-products-product_id-owner', 'API-RULE-customer-2', 'API-LIMIT-look-ups'],
    summary: 'Move a product to another owner: a user, or a customer',
    description:
      'Owners move a product between themselves and the customer that they are an owner of, administrators anywhere. A production ' +
      'product stays with customers. Its codes stay as they are, since devices report them.',
    params: productParams,
    body: Type.Object({
      user: Type.Optional(AccountName),
      customer_id: Type.Optional(Id),
    }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409, 429],
  },
  makeProduction: {
    method: 'POST',
    path: '/api/products/{product_id}/production',
    scope: 'all',
    access: 'product.production',
    audit: { what: 'product', id: 'made' },
    spec: ['API-EP-POST-products-product_id-production', 'API-RULE-production-2'],
    summary: 'Make a production product from a development product (administrators)',
    description:
      'The new product belongs to the customer, is not claimable, and begins with the release candidate of the ' +
      'development product: its bundle with the highest tag.',
    params: productParams,
    body: Type.Object({ customer_id: Id, part_number: Text(64, { minLength: 1 }) }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409],
  },
});
