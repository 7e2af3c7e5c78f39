import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';

/** Saved views of one user. Spec: API-LIMIT-views. */
export const viewsLimit = 100;

/** A view that a user has saved: what a page shows, under a name. Reference: records 1.11. */
export const ViewRecord = Type.Object({
  id: Id,
  page: Type.String({ examples: ['devices'] }),
  title: Type.String(),
  state: Type.String({ description: 'what the program that saved it keeps there, as it is' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type ViewRecord = Static<typeof ViewRecord>;

const page = Text(40, { pattern: '^[a-z][a-z0-9-]*$', description: 'which page of the program it is a view of' });
const title = Title(100);
const state = Text(16_384);
const shared = {
  tag: 'User',
  scope: 'all',
  limited: 'closed',
  access: 'user.self',
  audit: { what: 'view', id: 'params.view_id' },
} as const;

/** Saved views of the caller: every browser of theirs has them. Spec: API-RULE-views-1. */
export const viewsContract = endpoints(shared, {
  list: {
    route: 'GET /api/user/views',
    spec: ['API-RULE-views-1'],
    summary: 'Own saved views',
    ...pageOf(ViewRecord, sortBy(['title', 'created_at'], 'title'), { page: Type.Optional(page) }),
  },
  create: {
    route: 'POST /api/user/views',
    audit: { what: 'view', id: 'made' },
    spec: ['API-LIMIT-views'],
    summary: 'Save a view',
    body: Type.Object({ page, title, state }),
    reply: ViewRecord,
    errors: [400, 401, 409],
  },
  update: {
    route: 'PUT /api/user/views/{view_id}',
    summary: 'Rename a saved view, or replace what it shows',
    body: Type.Object({ title: Type.Optional(title), state: Type.Optional(state) }),
    reply: ViewRecord,
    errors: [400, 401, 404],
  },
  remove: {
    route: 'DELETE /api/user/views/{view_id}',
    summary: 'Delete a saved view',
    errors: [400, 401, 404],
  },
});
