import Type, { type Static } from 'typebox';
import { binary, endpoint } from './endpoint.ts';
import { Id, Nullable, pageQuery, ResultOk, sortBy, Timestamp } from './fields.ts';
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
const tag = 'Bundles';

const listQuery = Type.Object({
  ...pageQuery,
  sort: sortBy(['created_at', 'version'], '-created_at'),
  state: Type.Optional(Type.Enum([...bundleStates])),
  tag: Type.Optional(Type.Enum(['', ...tags], { description: 'empty: those without a tag' })),
});
export type BundleListQuery = Static<typeof listQuery>;

/** Bundles of a product and their resources. */
export const bundlesContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/bundles',
    spec: ['API-EP-GET-products-product_id-bundles'],
    tag,
    summary: 'List bundles of a product',
    description:
      'Its people see all of them. Others see what a device of theirs may get: published bundles without excluded ' +
      'files, and what their devices are getting; of a production product only the latter.',
    auth: 'bearer',
    params: productParams,
    query: listQuery,
    reply: Type.Array(BundleRecord),
    paged: true,
    errors: [400, 401, 404],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/bundles',
    spec: ['API-EP-POST-products-product_id-bundles'],
    tag,
    summary: 'Create a bundle',
    description:
      'Without a version it gets the highest existing one with its last part one higher; the first is 0.0.0.1.',
    auth: 'bearer',
    params: productParams,
    // API-RULE-bundle-create-1
    body: Type.Object({ product_id: Id, firmware_id: Id, version: Type.Optional(Nullable(VersionOrBlank)) }),
    reply: BundleDetail,
    errors: [400, 401, 403, 404, 409],
  }),
  byTag: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/bundles/{tag}',
    spec: ['API-EP-GET-products-product_id-bundles-tag'],
    tag,
    summary: 'The bundle of a product that carries a tag',
    auth: 'bearer',
    params: Type.Object({ product_id: Id, tag: Type.Enum([...tags]) }),
    reply: BundleDetail,
    errors: [400, 401, 404],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/bundles/{bundle_id}',
    spec: ['API-EP-GET-bundles-bundle_id'],
    tag,
    summary: 'One bundle with its resources',
    auth: 'bearer',
    params: bundleParams,
    reply: BundleDetail,
    errors: [400, 401, 404],
  }),
  addResource: endpoint({
    method: 'POST',
    path: '/api/bundles/{bundle_id}/resources',
    spec: ['API-EP-POST-bundles-bundle_id-resources'],
    tag,
    summary: 'Add a file to a bundle in preview',
    auth: 'bearer',
    params: bundleParams,
    body: Type.Object({ ...uploadFields, exclude: Type.Optional(Type.Boolean({ default: false })) }),
    reply: Type.Object({ id: Id, size: Type.Integer({ description: 'bytes of the decoded content' }) }),
    errors: [400, 401, 403, 404, 409, 413],
  }),
  addArtifact: endpoint({
    method: 'POST',
    path: '/api/bundles/{bundle_id}/artifacts/{name*}',
    spec: ['API-EP-POST-bundles-bundle_id-artifacts-name', 'API-LIMIT-artifact'],
    tag,
    summary: 'Add a file of any size to a bundle in preview: the image of an update',
    description:
      'The raw bytes, or a form with one part named "file"; they are streamed to the store. A folder before the name is the part of the device that the file is for.',
    auth: 'bearer',
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
  }),
  removeResource: endpoint({
    method: 'DELETE',
    path: '/api/bundles/{bundle_id}/resources/{resource_id}',
    spec: ['API-EP-DELETE-bundles-bundle_id-resources-resource_id'],
    tag,
    summary: 'Remove a file from a bundle in preview',
    auth: 'bearer',
    params: resourceParams,
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409, 412],
  }),
  binary: endpoint({
    method: 'GET',
    path: '/api/bundles/{bundle_id}/resources/{resource_id}/binary',
    spec: ['API-EP-GET-bundles-bundle_id-resources-resource_id-binary'],
    tag,
    summary: 'The bytes of a resource',
    auth: 'bearer',
    params: resourceParams,
    reply: binary(),
    errors: [400, 401, 404, 416],
  }),
  setState: endpoint({
    method: 'POST',
    path: '/api/bundles/{bundle_id}/state',
    spec: ['API-EP-POST-bundles-bundle_id-state'],
    tag,
    summary: 'Publish, archive or trash a bundle',
    auth: 'bearer',
    params: bundleParams,
    body: Type.Object({ state: Type.Enum([...bundleStates, 'trash']) }),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  }),
  setTag: endpoint({
    method: 'POST',
    path: '/api/bundles/{bundle_id}/tag',
    spec: ['API-EP-POST-bundles-bundle_id-tag'],
    tag,
    summary: 'Move a tag to a published bundle, or take its tag off',
    auth: 'bearer',
    params: bundleParams,
    body: Type.Object({ tag: Type.Enum(['', ...tags]) }),
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  }),
};
