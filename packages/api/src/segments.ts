import Type, { type Static } from 'typebox';
import { endpoint } from './endpoint.ts';
import { Id, pageQuery, ResultOk, sortBy, Text, Timestamp, Title } from './fields.ts';
import { productParams } from './products.ts';

/** Longest filter, in characters. Spec: API-RULE-filter-1. */
export const filterLimit = 2_000;

/** A condition over devices in RSQL. Reference: rules 6.2. */
export const FilterText = Text(filterLimit, {
  minLength: 1,
  description: 'a condition over devices in RSQL',
  examples: ['label.region==eu;attribute.free_flash=gt=65536;last_seen=ge=-7d'],
});

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
const tag = 'Fleet';

/** Filters with names. */
export const segmentsContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/segments',
    spec: ['API-EP-GET-products-product_id-segments'],
    tag,
    summary: 'List the segments of a product, each with its devices counted',
    auth: 'bearer',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at', 'title'], '-created_at') }),
    reply: Type.Array(SegmentRecord),
    paged: true,
    errors: [400, 401, 403, 404],
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/segments',
    spec: ['API-EP-POST-products-product_id-segments', 'API-RULE-filter-1', 'API-LIMIT-segments'],
    tag,
    summary: 'Give a filter a name',
    auth: 'bearer',
    params: productParams,
    body,
    reply: SegmentRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/segments/{segment_id}',
    spec: ['API-EP-GET-segments-segment_id'],
    tag,
    summary: 'One segment, with its devices counted',
    auth: 'bearer',
    params: bySegmentId,
    reply: SegmentRecord,
    errors: [400, 401, 403, 404],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/segments/{segment_id}',
    spec: ['API-EP-PUT-segments-segment_id', 'API-RULE-filter-1'],
    tag,
    summary: 'Change a segment',
    auth: 'bearer',
    params: bySegmentId,
    body,
    reply: SegmentRecord,
    errors: [400, 401, 403, 404],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/segments/{segment_id}',
    spec: ['API-EP-DELETE-segments-segment_id'],
    tag,
    summary: 'Delete a segment; its devices stay as they are',
    auth: 'bearer',
    params: bySegmentId,
    reply: ResultOk,
    errors: [400, 401, 403, 404],
  }),
};
