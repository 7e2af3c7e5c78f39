import Type, { type Static } from 'typebox';
import { endpoints, strangerBodyLimitBytes } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp, Title } from '../fields.ts';
import { ruled } from '../patterns.ts';

/** Longest status broadcast, in bytes, as a module posts it. */
export const broadcastLimitBytes = 16_384;

/** Most keys that one user may have. */
export const broadcastKeysLimit = 100;

/** A key for status broadcasts: its value only in the reply that made it, its last 4 characters later on. */
export const BroadcastKeyRecord = Type.Object({
  id: Id,
  title: Type.String(),
  key: Type.String(),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
});
export type BroadcastKeyRecord = Static<typeof BroadcastKeyRecord>;

const shared = { tag: 'User', scope: 'all', limited: 'closed', access: 'user.self' } as const;

/**
 * Status broadcasts by HTTP: modules post what `broadcast.data` names to `broadcast.http.host`, which is set to the
 * address of the service and the path with a key. Without a key of a user no module can post.
 */
export const broadcastsContract = endpoints(shared, {
  list: {
    route: 'GET /api/user/broadcasts',
    summary: 'Own keys for status broadcasts',
    ...pageOf(BroadcastKeyRecord, sortBy(['created_at'], '-created_at')),
  },
  create: {
    route: 'POST /api/user/broadcasts',
    audit: { what: 'broadcast', id: 'made' },
    summary: 'Make a key with which your modules may post their status; its value is shown this once',
    body: Type.Object({ title: Type.Optional(Title(100)) }),
    reply: BroadcastKeyRecord,
    errors: [400, 401, 409, 413, 415],
  },
  revoke: {
    route: 'DELETE /api/user/broadcasts/{broadcast_id}',
    audit: { what: 'broadcast', id: 'params.broadcast_id' },
    summary: 'Revoke such a key; it fails from the next post on',
    errors: [400, 401, 404],
  },
  receive: {
    route: 'POST /api/broadcasts/{key}',
    audit: { none: 'a device answers' },
    tag: 'Data of devices',
    summary: 'Status of a module, kept as its telemetry',
    description:
      'Posted by modules with `broadcast.http.host`. The object has to name the module by `uuid` or `mac`, and the ' +
      'module has to belong to the user who made the key.',
    auth: 'none',
    bodyLimitBytes: strangerBodyLimitBytes,
    params: { key: Text(64, { minLength: 1 }) },
    body: Type.Object(
      { uuid: Type.Optional(Text(64)), mac: Type.Optional(Text(64)) },
      {
        additionalProperties: true,
        maxProperties: 64,
        ...ruled({ anyOf: [{ required: ['uuid'] }, { required: ['mac'] }] }),
      },
    ),
    errors: [400, 404, 413, 415],
  },
});
