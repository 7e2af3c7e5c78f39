import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Id, Nullable, pageQuery, ResultOk, sortBy, Timestamp } from '../fields.ts';
import { Filename, storedFileFields, uploadFields, VersionOrBlank } from './platforms.ts';
import { productParams, tags } from './products.ts';

/** States that a kept bundle can be in; `trash` removes it. Spec: API-FIELD-bundle-state. */
export const bundleStates = ['preview', 'published', 'archive'] as const;
export type BundleState = (typeof bundleStates)[number];

export const ResourceRecord = Type.Object({ ...storedFileFields, exclude: Type.Boolean() });
export type ResourceRecord = Static<typeof ResourceRecord>;

export const BundleRecord = Type.Object({
  id: Id,
  user_id: Id,
  firmware_id: Id,
  product_id: Id,
  state: Type.Enum([...bundleStates]),
  tag: Nullable(Type.Enum([...tags])),
  version: Type.String(),
  created_at: Timestamp,
  part_number: Nullable(Type.String()),
  description: Type.String(),
  remote_id: Nullable(Type.String()),
  remote_product: Nullable(Type.String()),
  firmware: Type.String({ description: 'label and version of the firmware' }),
  device_count: Type.Integer({ description: 'devices that were offered this bundle last' }),
  device_count_bundle_ok: Type.Integer({ description: 'those of them that reported it installed' }),
});
export type BundleRecord = Static<typeof BundleRecord>;

export const BundleDetail = Type.Object({
  ...BundleRecord.properties,
  product: Type.String(),
  platform_id: Id,
  platform: Type.String(),
  resources: Type.Array(ResourceRecord),
  bversion: Type.String({ examples: ['ACME-BRT106_DEMO-0.0.0.1, 2026-01-01T00:00:00Z, 1.0.0-1.0.0.4'] }),
});
export type BundleDetail = Static<typeof BundleDetail>;

/** Largest file of an image, in bytes. Spec: API-LIMIT-artifact. */
export const artifactLimitBytes = 4 * 1024 * 1024 * 1024;
const bundleParams = Type.Object({ bundle_id: Id });
const resourceParams = Type.Object({ bundle_id: Id, resource_id: Id });
const shared = {
  tag: 'Bundles',
  auth: 'bearer',
  limited: ['bundle_id'],
  access: 'product.change',
  audit: { what: 'bundle', id: 'params.bundle_id', read: 'get' },
} as const;

const listQuery = Type.Object({
  ...pageQuery,
  sort: sortBy(['created_at', 'version'], '-created_at'),
  state: Type.Optional(Type.Enum([...bundleStates])),
  tag: Type.Optional(Type.Enum(['', ...tags], { description: 'empty: those without a tag' })),
});
export type BundleListQuery = Static<typeof listQuery>;

/** Bundles of a product and their resources. */
export const bundlesContract = endpoints(shared, {
  list: {
    method: 'GET',
    path: '/api/products/{product_id}/bundles',
    limited: ['product_id'],
    access: 'product.read',
    spec: ['API-EP-GET-products-product_id-bundles'],
    summary: 'List bundles of a product',
    description:
      'Its people see all of them. Others see what a device of theirs may get: published bundles without excluded ' +
      'files, and what their devices are getting; of a production product only the latter.',
    params: productParams,
    query: listQuery,
    reply: Type.Array(BundleRecord),
    paged: true,
    errors: [400, 401, 404],
  },
  create: {
    method: 'POST',
    path: '/api/products/{product_id}/bundles',
    scope: 'publish',
    limited: ['product_id'],
    audit: { what: 'bundle', id: 'made' },
    spec: ['API-EP-POST-products-product_id-bundles'],
    summary: 'Create a bundle',
    description:
      'Without a version it gets the highest existing one with its last part one higher; the first is 0.0.0.1.',
    params: productParams,
    // API-RULE-bundle-create-1
    body: Type.Object({ product_id: Id, firmware_id: Id, version: Type.Optional(Nullable(VersionOrBlank)) }),
    reply: BundleDetail,
    errors: [400, 401, 403, 404, 409],
  },
  byTag: {
    method: 'GET',
    path: '/api/products/{product_id}/bundles/{tag}',
    limited: ['product_id'],
    access: 'product.read',
    spec: ['API-EP-GET-products-product_id-bundles-tag'],
    summary: 'The bundle of a product that carries a tag',
    params: Type.Object({ product_id: Id, tag: Type.Enum([...tags]) }),
    reply: BundleDetail,
    errors: [400, 401, 404],
  },
  get: {
    method: 'GET',
    path: '/api/bundles/{bundle_id}',
    access: ['bundle.read', 'bundle.read.all'],
    spec: ['API-EP-GET-bundles-bundle_id'],
    summary: 'One bundle with its resources',
    params: bundleParams,
    reply: BundleDetail,
    errors: [400, 401, 404],
  },
  addResource: {
    method: 'POST',
    path: '/api/bundles/{bundle_id}/resources',
    scope: 'publish',
    audit: { what: 'resource', id: 'made' },
    spec: ['API-EP-POST-bundles-bundle_id-resources'],
    summary: 'Add a file to a bundle in preview',
    params: bundleParams,
    body: Type.Object({ ...uploadFields, exclude: Type.Optional(Type.Boolean({ default: false })) }),
    reply: Type.Object({ id: Id, size: Type.Integer({ description: 'bytes of the decoded content' }) }),
    errors: [400, 401, 403, 404, 409, 413],
  },
  addArtifact: {
    method: 'POST',
    path: '/api/bundles/{bundle_id}/artifacts/{name*}',
    scope: 'publish',
    audit: { what: 'bundle', id: 'params.bundle_id' },
    spec: ['API-EP-POST-bundles-bundle_id-artifacts-name', 'API-LIMIT-artifact'],
    summary: 'Add a file of any size to a bundle in preview: the image of an update',
    description:
      'The raw bytes, or a form with one part named "file"; they are streamed to the store. A folder before the name is the part of the device that the file is for.',
    params: Type.Object({ bundle_id: Id, name: Filename }),
    body: binary(),
    reply: Type.Object({
      id: Id,
      size: Type.Integer({ description: 'bytes' }),
      sha1: Type.String(),
      md5: Type.String(),
      sha256: Type.String(),
    }),
    errors: [400, 401, 403, 404, 409, 413, 415],
  },
  removeResource: {
    method: 'DELETE',
    path: '/api/bundles/{bundle_id}/resources/{resource_id}',
    scope: 'publish',
    audit: { what: 'resource', id: 'params.resource_id' },
    spec: ['API-EP-DELETE-bundles-bundle_id-resources-resource_id'],
    summary: 'Remove a file from a bundle in preview',
    params: resourceParams,
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409, 412],
  },
  binary: {
    method: 'GET',
    path: '/api/bundles/{bundle_id}/resources/{resource_id}/binary',
    access: ['bundle.read', 'bundle.read.all'],
    spec: ['API-EP-GET-bundles-bundle_id-resources-resource_id-binary'],
    summary: 'The bytes of a resource',
    params: resourceParams,
    reply: binary(),
    errors: [400, 401, 404, 416],
  },
  setState: {
    method: 'POST',
    path: '/api/bundles/{bundle_id}/state',
    scope: 'publish',
    spec: ['API-EP-POST-bundles-bundle_id-state'],
    summary: 'Publish, archive or trash a bundle',
    params: bundleParams,
    body: Type.Object({
      state: Type.Enum([...bundleStates, 'trash']),
      abort_rollouts: Type.Optional(
        Type.Boolean({ description: 'abort first the rollouts that bring the bundle, which are named in the refusal' }),
      ),
    }),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  },
  setTag: {
    method: 'POST',
    path: '/api/bundles/{bundle_id}/tag',
    scope: 'publish',
    spec: ['API-EP-POST-bundles-bundle_id-tag'],
    summary: 'Move a tag to a published bundle, or take its tag off',
    params: bundleParams,
    body: Type.Object({ tag: Type.Enum(['', ...tags]) }),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  },
});
