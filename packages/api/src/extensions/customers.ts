import Type, { type Static } from 'typebox';
import { customerRoleNames } from '../core/users.ts';
import { endpoints } from '../endpoint.ts';
import { AccountName, Id, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';

/** An organisation that owns production products. Reference: model 1.1. */
export const CustomerRecord = Type.Object({
  id: Id,
  name: Type.String({ description: 'prefix of the codes of its products' }),
  title: Type.String(),
  users: Type.Array(Type.Object({ user_id: Id, user: Type.String(), role: Type.Enum([...customerRoleNames]) }), {
    description: 'its people',
  }),
  invited: Type.Array(
    Type.Object({
      id: Id,
      user: Type.String({ description: 'the name or address by which they were invited' }),
      role: Type.Enum([...customerRoleNames]),
      created_at: Timestamp,
    }),
    { description: 'who is to be one of its people, and has not accepted that yet' },
  ),
  product_count: Type.Integer(),
  created_at: Timestamp,
});
export type CustomerRecord = Static<typeof CustomerRecord>;

/** An invitation to be one of the people of a customer: it gives nothing until it is accepted. Spec: API-RULE-customer-4. */
export const MembershipRecord = Type.Object({
  id: Id,
  customer_id: Id,
  customer: Type.String({ description: 'name of the customer' }),
  title: Type.String({ description: 'its title' }),
  role: Type.Enum([...customerRoleNames]),
  created_at: Timestamp,
});
export type MembershipRecord = Static<typeof MembershipRecord>;

/** People of a customer with those who are invited, at most. Spec: API-LIMIT-customer. */
export const customerUsersLimit = 100;

const shared = { tag: 'Customers', scope: 'all', limited: 'closed', access: 'customer.people' } as const;

export const customersContract = endpoints(shared, {
  list: {
    route: 'GET /api/customers',
    access: 'customer.manage',
    summary: 'List customers (administrators)',
    ...pageOf(CustomerRecord, sortBy(['created_at', 'name', 'title'], '-created_at'), {
      q: Type.Optional(Text(200, { description: 'part of name or title, in any letter case' })),
    }),
    errors: [400, 401, 403],
  },
  create: {
    route: 'POST /api/customers',
    access: 'customer.manage',
    audit: { what: 'customer', id: 'made' },
    summary: 'Add a customer (administrators)',
    description: 'The users named are invited as its owners: what the customer owns is theirs once they accept.',
    body: Type.Object({
      name: Type.String({ pattern: '^[A-Za-z0-9_.]{1,32}$', examples: ['acme'] }),
      title: Type.Optional(Title(128)),
      users: Type.Optional(Type.Array(AccountName, { maxItems: customerUsersLimit })),
    }),
    reply: CustomerRecord,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    route: 'GET /api/customers/{customer_id}',
    access: 'customer.read',
    summary: 'Read a customer, with its people (these, and administrators)',
    reply: CustomerRecord,
    errors: [400, 401, 404],
  },
  addUser: {
    route: 'POST /api/customers/{customer_id}/users',
    audit: { what: 'customer', id: 'params.customer_id' },
    spec: [
      'API-LIMIT-customer',
      'API-LIMIT-look-ups',
      'API-RULE-customer-1',
      'API-RULE-customer-3',
      'API-RULE-customer-4',
    ],
    summary: 'Invite a user to the people of a customer, or give them another role (its owners, administrators)',
    description:
      'To all products of the customer, an owner is what the owner of a product is, a maintainer what a manager is, a viewer what a ' +
      'tester is; an operator runs the devices and rollouts, and changes no product. Who invites themselves has accepted.',
    body: Type.Object({
      user: AccountName,
      role: Type.Optional(
        Type.Enum([...customerRoleNames], {
          description: 'without it, new people are owners, and others stay as they are',
        }),
      ),
    }),
    reply: CustomerRecord,
    errors: [400, 401, 403, 404, 409, 429],
  },
  removeUser: {
    route: 'DELETE /api/customers/{customer_id}/users/{user_id}',
    audit: { what: 'user', id: 'params.user_id' },
    spec: ['API-RULE-customer-3'],
    summary: 'Take a user off a customer (its owners, administrators), or leave it',
    errors: [400, 401, 403, 404, 409],
  },
  takeBack: {
    route: 'DELETE /api/customers/{customer_id}/memberships/{membership_id}',
    audit: { what: 'membership', id: 'params.membership_id' },
    summary: 'Take an invitation back (owners of the customer, administrators)',
  },
});

/** What customers have invited the caller to. Spec: API-RULE-customer-4. */
export const membershipsContract = endpoints(
  {
    ...shared,
    tag: 'User',
    access: 'user.self',
    audit: { what: 'membership', id: 'params.membership_id' },
  },
  {
    list: {
      route: 'GET /api/user/memberships',
      summary: 'List what customers have invited you to',
      ...pageOf(MembershipRecord, sortBy(['created_at'], '-created_at')),
    },
    accept: {
      route: 'POST /api/user/memberships/{membership_id}/accept',
      spec: ['API-RULE-customer-4'],
      summary: 'Become one of the people of the customer that has invited you',
      description: 'Who belongs to another customer leaves that first.',
      errors: [400, 401, 403, 404, 409],
    },
    decline: {
      route: 'DELETE /api/user/memberships/{membership_id}',
      summary: 'Decline the invitation of a customer',
    },
  },
);
