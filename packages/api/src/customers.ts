import Type, { type Static } from 'typebox';
import { endpoint } from './endpoint.ts';
import { AccountName, Id, pageQuery, ResultOk, sortBy, Text, Timestamp, Title } from './fields.ts';
import { ProductRecord, productParams } from './products.ts';
import { customerRoleNames } from './users.ts';

/** An organisation that owns production products. Reference: model 1.1. */
export const CustomerRecord = Type.Object({
  id: Id,
  name: Type.String({ description: 'prefix of the codes of its products' }),
  title: Type.String(),
  users: Type.Array(Type.Object({ user_id: Id, user: Type.String(), role: Type.Enum([...customerRoleNames]) }), {
    description: 'its people',
  }),
  product_count: Type.Integer(),
  created_at: Timestamp,
});
export type CustomerRecord = Static<typeof CustomerRecord>;

/** People of a customer, at most. Spec: API-LIMIT-customer. */
export const customerUsersLimit = 100;

export const customersContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/customers',
    spec: ['API-EP-GET-customers'],
    tag: 'Customers',
    summary: 'List customers (administrators)',
    auth: 'bearer',
    query: Type.Object({
      ...pageQuery,
      sort: sortBy(['created_at', 'name', 'title'], '-created_at'),
      q: Type.Optional(Text(200, { description: 'part of name or title, in any letter case' })),
    }),
    reply: Type.Array(CustomerRecord),
    paged: true,
    errors: [400, 401, 403],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/customers',
    spec: ['API-EP-POST-customers'],
    tag: 'Customers',
    summary: 'Add a customer (administrators)',
    description: 'The users named become its people: what the customer owns is theirs.',
    auth: 'bearer',
    body: Type.Object({
      name: Type.String({ pattern: '^[A-Za-z0-9_.]{1,32}$', examples: ['acme'] }),
      title: Type.Optional(Title(128)),
      users: Type.Optional(Type.Array(AccountName, { maxItems: customerUsersLimit })),
    }),
    reply: CustomerRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/customers/{customer_id}',
    spec: ['API-EP-GET-customers-customer_id'],
    tag: 'Customers',
    summary: 'Read a customer, with its people (these, and administrators)',
    auth: 'bearer',
    params: Type.Object({ customer_id: Id }),
    reply: CustomerRecord,
    errors: [400, 401, 404],
  }),
  addUser: endpoint({
    method: 'POST',
    path: '/api/customers/{customer_id}/users',
    spec: ['API-EP-POST-customers-customer_id-users', 'API-LIMIT-customer', 'API-RULE-customer-1'],
    tag: 'Customers',
    summary: 'Make a user one of the people of a customer, or give them another role (its owners, administrators)',
    description:
      'To all products of the customer, an owner is what the owner of a product is, a maintainer what a manager is, a viewer what a ' +
      'tester is; an operator runs the devices and rollouts, and changes no product.',
    auth: 'bearer',
    params: Type.Object({ customer_id: Id }),
    body: Type.Object({
      user: AccountName,
      role: Type.Optional(
        Type.Enum([...customerRoleNames], {
          description: 'without it, new people are owners, and others stay as they are',
        }),
      ),
    }),
    reply: CustomerRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  removeUser: endpoint({
    method: 'DELETE',
    path: '/api/customers/{customer_id}/users/{user_id}',
    spec: ['API-EP-DELETE-customers-customer_id-users-user_id'],
    tag: 'Customers',
    summary: 'Take a user off a customer (its owners, administrators), or leave it',
    auth: 'bearer',
    params: Type.Object({ customer_id: Id, user_id: Id }),
    reply: ResultOk,
    errors: [400, 401, 403, 404],
  }),
};

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

/** Who works on a product, and for whom it is made. */
export const productPeopleContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/users',
    spec: ['API-EP-GET-products-product_id-users'],
    tag: 'Products',
    summary: 'List who works on a product beside its owner',
    auth: 'bearer',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at', 'user', 'role'], '-created_at') }),
    reply: Type.Array(ProductUserRecord),
    paged: true,
    errors: [400, 401, 403, 404],
  }),
  add: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/users',
    spec: ['API-EP-POST-products-product_id-users', 'API-LIMIT-product-users'],
    tag: 'Products',
    summary: 'Let a user work on a product, or give them another role',
    auth: 'bearer',
    params: productParams,
    body: Type.Object({ user: AccountName, role: Type.Enum(['manager', 'tester']) }),
    reply: ProductUserRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/products/{product_id}/users/{user_id}',
    spec: ['API-EP-DELETE-products-product_id-users-user_id'],
    tag: 'Products',
    summary: 'Take a user off a product, or leave it',
    auth: 'bearer',
    params: Type.Object({ product_id: Id, user_id: Id }),
    reply: Type.Object({ result: Type.Literal('ok') }),
    errors: [400, 401, 403, 404],
  }),
  move: endpoint({
    method: 'PUT',
    path: '/api/products/{product_id}/owner',
    spec: ['API-EP-PUT-products-product_id-owner', 'API-RULE-customer-2'],
    tag: 'Products',
    summary: 'Move a product to another owner: a user, or a customer',
    description:
      'Owners move a product between themselves and the customer that they are an owner of, administrators anywhere. A production ' +
      'product stays with customers. Its codes stay as they are, since devices report them.',
    auth: 'bearer',
    params: productParams,
    body: Type.Object({
      user: Type.Optional(AccountName),
      customer_id: Type.Optional(Id),
    }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409, 429],
  }),
  makeProduction: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/production',
    spec: ['API-EP-POST-products-product_id-production', 'API-RULE-production-2'],
    tag: 'Products',
    summary: 'Make a production product from a development product (administrators)',
    description:
      'The new product belongs to the customer, is not claimable, and begins with the release candidate of the ' +
      'development product: its bundle with the highest tag.',
    auth: 'bearer',
    params: productParams,
    body: Type.Object({ customer_id: Id, part_number: Text(64, { minLength: 1 }) }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409],
  }),
};
