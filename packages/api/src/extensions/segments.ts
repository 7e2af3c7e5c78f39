import Type, { type Static } from 'typebox';
import { productParams } from '../core/products.ts';
import { endpoints } from '../endpoint.ts';
import { FilterText, Id, pageQuery, ResultOk, sortBy, Timestamp, Title } from '../fields.ts';

/** A filter with a name, over the devices of a product. */
export const SegmentRecord = Type.Object({
  id: Id,
  product_id: Id,
  title: Type.String(),
  filter: Type.String(),
  devices: Type.Integer({ description: 'devices of the product that fit the filter now' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type SegmentRecord = Static<typeof SegmentRecord>;

const bySegmentId = Type.Object({ segment_id: Id });
const body = Type.Object({ title: Title(128), filter: FilterText });
const shared = {
  tag: 'Fleet',
  auth: 'bearer',
  limited: ['segment_id'],
  errors: [400, 401, 403, 404],
  access: 'product.fleet',
  audit: { what: 'segment', id: 'params.segment_id', read: 'get' },
} as const;

/** Filters with names. */
export const segmentsContract = endpoints(shared, {
  list: {
    method: 'GET',
    path: '/api/products/{product_id}/segments',
    limited: ['product_id'],
    spec: ['API-EP-GET-products-product_id-segments'],
    summary: 'List the segments of a product, each with its devices counted',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at', 'title'], '-created_at') }),
    reply: Type.Array(SegmentRecord),
    paged: true,
  },
  create: {
    method: 'POST',
    path: '/api/products/{product_id}/segments',
    scope: 'operate',
    limited: ['product_id'],
    audit: { what: 'segment', id: 'made' },
    spec: ['API-EP-POST-products-product_id-segments', 'API-RULE-filter-1', 'API-LIMIT-segments'],
    summary: 'Give a filter a name',
    params: productParams,
    body,
    reply: SegmentRecord,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    method: 'GET',
    path: '/api/segments/{segment_id}',
    spec: ['API-EP-GET-segments-segment_id'],
    summary: 'One segment, with its devices counted',
    params: bySegmentId,
    reply: SegmentRecord,
  },
  update: {
    method: 'PUT',
    path: '/api/segments/{segment_id}',
    scope: 'operate',
    spec: ['API-EP-PUT-segments-segment_id', 'API-RULE-filter-1'],
    summary: 'Change a segment',
    params: bySegmentId,
    body,
    reply: SegmentRecord,
  },
  remove: {
    method: 'DELETE',
    path: '/api/segments/{segment_id}',
    scope: 'operate',
    spec: ['API-EP-DELETE-segments-segment_id'],
    summary: 'Delete a segment that no alert rule watches; its devices stay as they are',
    params: bySegmentId,
    reply: ResultOk,
    errors: [400, 401, 403, 404, 409],
  },
});
