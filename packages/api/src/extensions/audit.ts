import Type, { type Static } from 'typebox';
import { TimeQuery } from '../core/logs.ts';
import { endpoints, type QueryOf } from '../endpoint.ts';
import { Id, Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';

const Fields = Nullable(Type.Record(Type.String(), Type.Unknown()));
const Hash = Type.String({
  pattern: '^[0-9a-f]{64}$',
  minLength: 64,
  maxLength: 64,
  description: 'SHA-256',
  examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
});

/** A change, as the audit has it. Reference: records 1.13. */
export const AuditRecord = Type.Object({
  seq: Type.Integer({ description: 'place in the chain' }),
  at: Timestamp,
  user_id: Nullable(Id),
  user: Type.String({ description: 'user name at that time, `command line` for what was done on the machine itself' }),
  token_id: Nullable(Id),
  token: Nullable(Type.String({ description: 'title of the token; a session is called Login' })),
  ip: Nullable(Type.String()),
  action: Type.String({ description: 'name of the endpoint', examples: ['products.setState'] }),
  object_kind: Nullable(Type.String({ examples: ['product'] })),
  object_id: Nullable(Type.String()),
  product_id: Nullable(Id),
  message: Nullable(Type.String({ description: 'what the log says of it' })),
  before: Fields,
  after: Fields,
  previous: Hash,
  hash: Hash,
});
export type AuditRecord = Static<typeof AuditRecord>;

export type AuditQuery = QueryOf<(typeof auditContract)['list']>;

const shared = { tag: 'Audit' } as const;

/** What people and tokens have changed. Spec: API-RULE-audit-1, API-RULE-audit-2. */
export const auditContract = endpoints(shared, {
  list: {
    route: 'GET /api/audit',
    limited: ['product_id'],
    access: 'filtered',
    spec: ['API-RULE-audit-1', 'API-RULE-audit-3'],
    summary: 'List changes: your own, and those of products whose logs you read; administrators those of everybody',
    description:
      'One row for each change by a person or token. `before` and `after` have the fields that it names, where they are ' +
      'short and no secret; `…` stands for the others.',
    ...pageOf(AuditRecord, sortBy(['seq'], '-seq'), {
      user: Type.Optional(Text(64, { description: 'user name of the person who did it' })),
      action: Type.Optional(Text(64)),
      object: Type.Optional(Text(64, { description: 'id of the object, or of the product that it belongs to' })),
      product_id: Type.Optional(Id),
      from: TimeQuery('from this moment on, epoch milliseconds'),
      to: TimeQuery('before this moment, epoch milliseconds'),
      after: Type.Optional(
        Type.Integer({ minimum: 0, description: 'the list from behind the row with this `seq` on' }),
      ),
    }),
  },
  verify: {
    route: 'GET /api/audit/verify',
    limited: 'closed',
    access: 'audit.all',
    spec: ['API-RULE-audit-2', 'API-RULE-audit-3'],
    summary: 'Check the chain of the audit from its begin to its end; administrators',
    description:
      'Each row has the hash of the row before it. Note `last_seq` and `hash` where nobody who reaches the database ' +
      'reaches them, and give them as `seq` and `hash` the next time: then a chain that was made anew is found as well.',
    query: Type.Object({
      seq: Type.Optional(Type.Integer({ minimum: 1, description: 'number of a row that was noted before' })),
      hash: Type.Optional(Hash),
      days: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: 'how long rows were kept when the oldest went, where that was not the setting',
        }),
      ),
    }),
    reply: Type.Object({
      ok: Type.Boolean(),
      rows: Type.Integer(),
      first_seq: Type.Integer({ description: 'of the oldest row that is kept' }),
      last_seq: Type.Integer(),
      hash: Hash,
      problem: Nullable(
        Type.Object({ seq: Type.Integer({ description: 'first row that is not right' }), text: Type.String() }),
      ),
    }),
    errors: [400, 401, 403],
  },
});
