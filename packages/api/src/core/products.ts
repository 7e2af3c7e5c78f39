import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Id, Nullable, pageQuery, ResultOk, sortBy, Text, Timestamp, Title } from '../fields.ts';
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
  auth: 'bearer',
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

const listQuery = Type.Object({
  ...pageQuery,
  sort: sortBy(['created_at', 'updated_at', 'title', 'code', 'product'], '-created_at'),
  q: Type.Optional(Text(200, { description: 'part of title or code, in any letter case' })),
  role: Type.Optional(Type.Enum(['owner', 'manager', 'any'])),
  state: Type.Optional(Type.Enum(['preview', 'published', 'archive', 'trash'])),
  platform_id: Type.Optional(Id),
  flavor_id: Type.Optional(Id),
  production: Type.Optional(Type.Boolean()),
  edition: Type.Optional(Type.Boolean({ description: 'false leaves out the products of editions' })),
  category: Type.Optional(Type.Enum(['mine', 'managed', 'published', 'edition'])),
});
export type ProductListQuery = Static<typeof listQuery>;

/** Products and their activation tokens. Bundles of a product: `bundlesContract`. */
export const productsContract = endpoints(shared, {
  list: {
    method: 'GET',
    path: '/api/products',
    limited: 'open',
    access: 'filtered',
    spec: ['API-EP-GET-products'],
    summary: 'List the products you may see',
    description:
      'Products in trash are listed only with `state=trash`. Category `published` is the app store; `role=any` ' +
      'leaves those that you own, manage or test.',
    query: listQuery,
    reply: Type.Array(ProductRecord),
    paged: true,
    errors: [400, 401],
  },
  create: {
    method: 'POST',
    path: '/api/products',
    scope: 'administer',
    limited: 'closed',
    access: 'product.create',
    audit: { what: 'product', id: 'made' },
    spec: ['API-EP-POST-products'],
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
    method: 'GET',
    path: '/api/products/{product_id}',
    spec: ['API-EP-GET-products-product_id'],
    summary: 'One product',
    params: productParams,
    reply: ProductRecord,
    errors: [400, 401, 404],
  },
  description: {
    method: 'GET',
    path: '/api/products/{product_id}/description.html',
    spec: ['API-EP-GET-products-product_id-description.html'],
    summary: 'Description of a product as HTML',
    description:
      'Made from its Markdown: no HTML of the author, and links to web and mail addresses only. Text of more than ' +
      '16,384 characters is shown as it was typed.',
    params: productParams,
    reply: binary('text/html'),
    errors: [400, 401, 404],
  },
  preview: {
    method: 'POST',
    path: '/api/markdown',
    scope: 'read',
    limited: 'open',
    access: 'user.self',
    audit: { none: 'changes nothing' },
    spec: ['API-EP-POST-markdown'],
    summary: 'A text in Markdown as a description would show it, without keeping it',
    body: Type.Object({ text: texts.description }),
    reply: binary('text/html'),
    errors: [400, 401, 413, 415],
  },
  update: {
    method: 'PUT',
    path: '/api/products/{product_id}',
    scope: 'administer',
    access: ['product.change', 'product.claimable', 'product.part_number'],
    spec: ['API-EP-PUT-products-product_id'],
    summary: 'Change texts and publication of a product',
    description: 'The code never changes: the one sent must equal it.',
    params: productParams,
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
    method: 'DELETE',
    path: '/api/products/{product_id}',
    scope: 'administer',
    access: 'product.admin',
    spec: ['API-EP-DELETE-products-product_id'],
    summary: 'Delete a product that no device is activated to',
    params: productParams,
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  },
  setState: {
    method: 'POST',
    path: '/api/products/{product_id}/state',
    scope: 'administer',
    access: 'product.change',
    spec: ['API-EP-POST-products-product_id-state'],
    summary: 'Put a product into the trash, or take it out',
    params: productParams,
    body: Type.Object({ state: Type.Enum(['active', 'trash']) }),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  },
  listTokens: {
    method: 'GET',
    path: '/api/products/{product_id}/tokens',
    access: 'token.activation.create',
    spec: ['API-EP-GET-products-product_id-tokens'],
    summary: 'List activation tokens',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at'], '-created_at') }),
    reply: Type.Array(ActivationTokenRecord),
    paged: true,
    errors: [400, 401, 403, 404],
  },
  addToken: {
    method: 'POST',
    path: '/api/products/{product_id}/tokens',
    scope: 'all',
    access: 'token.activation.create',
    audit: { what: 'token', id: 'made' },
    spec: ['API-EP-POST-products-product_id-tokens'],
    summary: 'Make an activation token; its value is shown once',
    params: productParams,
    body: Type.Object({ uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1 })) }),
    reply: ActivationTokenRecord,
    errors: [400, 401, 403, 404, 409],
  },
  removeToken: {
    method: 'DELETE',
    path: '/api/products/{product_id}/tokens/{token_id}',
    scope: 'all',
    access: 'token.activation.create',
    audit: { what: 'token', id: 'params.token_id' },
    spec: ['API-EP-DELETE-products-product_id-tokens-token_id'],
    summary: 'Revoke an activation token',
    params: Type.Object({ product_id: Id, token_id: Id }),
    reply: ResultOk,
    errors: [400, 401, 403, 404],
  },
});
