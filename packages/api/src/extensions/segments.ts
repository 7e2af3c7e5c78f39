import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { FilterText, Id, pageOf, sortBy, Timestamp, Title } from '../fields.ts';

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

const body = Type.Object({ title: Title(128), filter: FilterText });
const shared = {
  tag: 'Fleet',
  scope: 'operate',
  limited: ['segment_id'],
  access: 'product.fleet',
  audit: { what: 'segment', id: 'params.segment_id', read: 'get' },
} as const;

/** Filters with names. */
export const segmentsContract = endpoints(shared, {
  list: {
    route: 'GET /api/products/{product_id}/segments',
    limited: ['product_id'],
    summary: 'List the segments of a product, each with its devices counted',
    ...pageOf(SegmentRecord, sortBy(['created_at', 'title'], '-created_at')),
  },
  create: {
    route: 'POST /api/products/{product_id}/segments',
    limited: ['product_id'],
    audit: { what: 'segment', id: 'made' },
    spec: ['API-RULE-filter-1', 'API-LIMIT-segments'],
    summary: 'Give a filter a name',
    body,
    reply: SegmentRecord,
    errors: [400, 401, 403, 404, 409],
  },
  get: {
    route: 'GET /api/segments/{segment_id}',
    summary: 'One segment, with its devices counted',
    reply: SegmentRecord,
  },
  update: {
    route: 'PUT /api/segments/{segment_id}',
    spec: ['API-RULE-filter-1'],
    summary: 'Change a segment',
    body,
    reply: SegmentRecord,
  },
  remove: {
    route: 'DELETE /api/segments/{segment_id}',
    summary: 'Delete a segment that no alert rule watches; its devices stay as they are',
    errors: [400, 401, 403, 404, 409],
  },
});
