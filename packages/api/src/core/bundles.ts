import Type, { type Static } from 'typebox';
import { binary, endpoints, type QueryOf } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Timestamp } from '../fields.ts';
import { Filename, storedFileFields, uploadFields, VersionOrBlank } from './platforms.ts';
import { tags } from './products.ts';

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
const shared = {
  tag: 'Bundles',
  scope: 'publish',
  limited: ['bundle_id'],
  access: 'product.change',
  audit: { what: 'bundle', id: 'params.bundle_id', read: 'get' },
} as const;

export type BundleListQuery = QueryOf<(typeof bundlesContract)['list']>;

/** Bundles of a product and their resources. */
export const bundlesContract = endpoints(shared, {
  list: {
    route: 'GET /api/products/{product_id}/bundles',
    limited: ['product_id'],
    access: 'product.read',
    summary: 'List bundles of a product',
    description:
      'Its people see all of them. Others see what a device of theirs may get: published bundles without excluded ' +
      'files, and what their devices are getting; of a production product only the latter.',
    ...pageOf(BundleRecord, sortBy(['created_at', 'version'], '-created_at'), {
      state: Type.Optional(Type.Enum([...bundleStates])),
      tag: Type.Optional(Type.Enum(['', ...tags], { description: 'empty: those without a tag' })),
    }),
    errors: [400, 401, 404],
  },
  create: {
    route: 'POST /api/products/{product_id}/bundles',
    limited: ['product_id'],
    audit: { what: 'bundle', id: 'made' },
    summary: 'Create a bundle',
    description:
      'Without a version it gets the highest existing one with its last part one higher; the first is 0.0.0.1.',
    // API-RULE-bundle-create-1
    body: Type.Object({ product_id: Id, firmware_id: Id, version: Type.Optional(Nullable(VersionOrBlank)) }),
    reply: BundleDetail,
    errors: [400, 401, 403, 404, 409],
  },
  byTag: {
    route: 'GET /api/products/{product_id}/bundles/{tag}',
    limited: ['product_id'],
    access: 'product.read',
    summary: 'The bundle of a product that carries a tag',
    params: { tag: Type.Enum([...tags]) },
    reply: BundleDetail,
    errors: [400, 401, 404],
  },
  get: {
    route: 'GET /api/bundles/{bundle_id}',
    access: ['bundle.read', 'bundle.read.all'],
    summary: 'One bundle with its resources',
    reply: BundleDetail,
    errors: [400, 401, 404],
  },
  addResource: {
    route: 'POST /api/bundles/{bundle_id}/resources',
    audit: { what: 'resource', id: 'made' },
    summary: 'Add a file to a bundle in preview',
    body: Type.Object({ ...uploadFields, exclude: Type.Optional(Type.Boolean({ default: false })) }),
    reply: Type.Object({ id: Id, size: Type.Integer({ description: 'bytes of the decoded content' }) }),
    errors: [400, 401, 403, 404, 409, 413],
  },
  addArtifact: {
    route: 'POST /api/bundles/{bundle_id}/artifacts/{name*}',
    audit: { what: 'bundle', id: 'params.bundle_id' },
    spec: ['API-LIMIT-artifact'],
    summary: 'Add a file of any size to a bundle in preview: the image of an update',
    description:
      'The raw bytes, or a form with one part named "file"; they are streamed to the store. A folder before the name is the part of the device that the file is for.',
    params: { name: Filename },
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
    route: 'DELETE /api/bundles/{bundle_id}/resources/{resource_id}',
    audit: { what: 'resource', id: 'params.resource_id' },
    summary: 'Remove a file from a bundle in preview',
    errors: [400, 401, 403, 404, 409, 412],
  },
  binary: {
    route: 'GET /api/bundles/{bundle_id}/resources/{resource_id}/binary',
    access: ['bundle.read', 'bundle.read.all'],
    summary: 'The bytes of a resource',
    reply: binary(),
    errors: [400, 401, 404, 416],
  },
  setState: {
    route: 'POST /api/bundles/{bundle_id}/state',
    makesRoom: true,
    summary: 'Publish, archive or trash a bundle',
    body: Type.Object({
      state: Type.Enum([...bundleStates, 'trash']),
      abort_rollouts: Type.Optional(
        Type.Boolean({ description: 'abort first the rollouts that bring the bundle, which are named in the refusal' }),
      ),
    }),
    errors: [400, 401, 403, 404, 409],
  },
  setTag: {
    route: 'POST /api/bundles/{bundle_id}/tag',
    summary: 'Move a tag to a published bundle, or take its tag off',
    body: Type.Object({ tag: Type.Enum(['', ...tags]) }),
    errors: [400, 401, 403, 404, 409],
  },
});
