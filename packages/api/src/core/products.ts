import Type, { type Static } from 'typebox';
import { binary, endpoints, type QueryOf } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { spelt } from '../spellings.ts';

/** A bundle tag, from the one devices reach last to the one they reach first. Reference: rules 2.4. Spec: API-RULE-bundle-state-3. */
export const tags = ['alpha', 'beta', 'release'] as const;
export type Tag = (typeof tags)[number];

export const ProductRecord = Type.Object({
  id: Id,
  title: Type.String(),
  code: Type.String({ description: 'as sent, upper case' }),
  product: Type.String({ description: 'full code <OWNER>-<PLATFORM>_<NAME>' }),
  meta: Type.String(),
  summary: Type.String(),
  description: Type.String(),
  user_id: Nullable(Id),
  user: Nullable(Type.String()),
  customer_id: Nullable(Id),
  customer: Nullable(Type.String()),
  platform_id: Id,
  platform: Type.String(),
  flavor_id: Nullable(Id),
  flavor: Nullable(Type.String()),
  firmware: Nullable(Type.String({ description: 'label of the firmware of the newest published bundle' })),
  firmware_version: Nullable(Type.String()),
  state: Type.Enum(['preview', 'published', 'archive', 'trash']),
  tag: Nullable(Type.Enum([...tags], { description: 'highest tag of its bundles' })),
  version: Nullable(Type.String({ description: 'version of the newest published bundle' })),
  release: Nullable(Type.String({ description: 'version of the bundle that carries the tag release' })),
  claimable: Type.Boolean(),
  production: Type.Boolean(),
  part_number: Nullable(Type.String()),
  role: Type.Enum(['owner', 'manager', 'operator', 'tester', 'none'], { description: 'of the caller' }),
  device_count: Type.Integer(),
  bundle_count: Type.Integer(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ProductRecord = Static<typeof ProductRecord>;

export const ActivationTokenRecord = Type.Object({
  id: Id,
  product_id: Id,
  token: Type.String({ description: 'all of it in the reply to POST only; later its last 4 characters' }),
  uses_left: Type.Integer(),
  user_id: Id,
  user: Type.String(),
  created_at: Timestamp,
});
export type ActivationTokenRecord = Static<typeof ActivationTokenRecord>;

export const productParams = Type.Object({ product_id: Id });
const shared = {
  tag: 'Products',
  scope: 'administer',
  limited: ['product_id'],
  access: 'product.read',
  audit: { what: 'product', id: 'params.product_id', read: 'get' },
} as const;

const texts = {
  title: Title(128),
  meta: Text(4096),
  summary: Text(256),
  description: Text(65_536),
};

/** The code leaves out the owner's prefix; records hold it in upper case. Reference: model 2.1. */
const Code = Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$', ...spelt('code'), examples: ['THERMOSTAT'] });

export type ProductListQuery = QueryOf<(typeof productsContract)['list']>;

/** Products and their activation tokens. Bundles of a product: `bundlesContract`. */
export const productsContract = endpoints(shared, {
  list: {
    route: 'GET /api/products',
    limited: 'open',
    access: 'filtered',
    summary: 'List the products you may see',
    description:
      'Products in trash are listed only with `state=trash`. Category `published` is the app store; `role=any` ' +
      'leaves those that you own, manage or test.',
    ...pageOf(ProductRecord, sortBy(['created_at', 'updated_at', 'title', 'code', 'product'], '-created_at'), {
      q: Type.Optional(Text(200, { description: 'part of title or code, in any letter case' })),
      role: Type.Optional(Type.Enum(['owner', 'manager', 'any'])),
      state: Type.Optional(Type.Enum(['preview', 'published', 'archive', 'trash'])),
      platform_id: Type.Optional(Id),
      flavor_id: Type.Optional(Id),
      production: Type.Optional(Type.Boolean()),
      edition: Type.Optional(Type.Boolean({ description: 'false leaves out the products of editions' })),
      category: Type.Optional(Type.Enum(['mine', 'managed', 'published', 'edition'])),
    }),
  },
  create: {
    route: 'POST /api/products',
    limited: 'closed',
    access: 'product.create',
    audit: { what: 'product', id: 'made' },
    summary: 'Add a product',
    body: Type.Object({
      title: texts.title,
      code: Code,
      meta: texts.meta,
      summary: Type.Optional(texts.summary),
      description: Type.Optional(texts.description),
      platform_id: Id,
      flavor_id: Type.Optional(Nullable(Id)),
    }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    route: 'GET /api/products/{product_id}',
    summary: 'One product',
    reply: ProductRecord,
    errors: [400, 401, 404],
  },
  description: {
    route: 'GET /api/products/{product_id}/description.html',
    summary: 'Description of a product as HTML',
    description:
      'Made from its Markdown: no HTML of the author, and links to web and mail addresses only. Text of more than ' +
      '16,384 characters is shown as it was typed.',
    reply: binary('text/html'),
    errors: [400, 401, 404],
  },
  preview: {
    route: 'POST /api/markdown',
    scope: 'read',
    limited: 'open',
    access: 'user.self',
    audit: { none: 'changes nothing' },
    summary: 'A text in Markdown as a description would show it, without keeping it',
    body: Type.Object({ text: texts.description }),
    reply: binary('text/html'),
    errors: [400, 401, 413, 415],
  },
  update: {
    route: 'PUT /api/products/{product_id}',
    access: ['product.change', 'product.claimable', 'product.part_number'],
    summary: 'Change texts and publication of a product',
    description: 'The code never changes: the one sent must equal it.',
    body: Type.Object({
      code: Code,
      title: Type.Optional(texts.title),
      summary: Type.Optional(texts.summary),
      description: Type.Optional(texts.description),
      meta: Type.Optional(texts.meta),
      state: Type.Optional(Type.Enum(['published', 'archive'])),
      claimable: Type.Optional(Type.Boolean({ description: 'changed by owners and administrators' })),
      part_number: Type.Optional(Nullable(Text(64, { minLength: 1, description: 'changed by administrators' }))),
    }),
    reply: ProductRecord,
    errors: [400, 401, 403, 404, 409],
  },
  remove: {
    route: 'DELETE /api/products/{product_id}',
    access: 'product.admin',
    summary: 'Delete a product that no device is activated to',
    errors: [400, 401, 403, 404, 409],
  },
  setState: {
    route: 'POST /api/products/{product_id}/state',
    makesRoom: true,
    access: 'product.change',
    summary: 'Put a product into the trash, or take it out',
    body: Type.Object({ state: Type.Enum(['active', 'trash']) }),
    errors: [400, 401, 403, 404, 409],
  },
  listTokens: {
    route: 'GET /api/products/{product_id}/tokens',
    access: 'token.activation.create',
    summary: 'List activation tokens',
    ...pageOf(ActivationTokenRecord, sortBy(['created_at'], '-created_at')),
  },
  addToken: {
    route: 'POST /api/products/{product_id}/tokens',
    scope: 'all',
    access: 'token.activation.create',
    audit: { what: 'token', id: 'made' },
    summary: 'Make an activation token; its value is shown once',
    body: Type.Object({ uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1 })) }),
    reply: ActivationTokenRecord,
    errors: [400, 401, 403, 404, 409],
  },
  removeToken: {
    route: 'DELETE /api/products/{product_id}/tokens/{token_id}',
    scope: 'all',
    access: 'token.activation.create',
    audit: { what: 'token', id: 'params.token_id' },
    summary: 'Revoke an activation token',
  },
});
