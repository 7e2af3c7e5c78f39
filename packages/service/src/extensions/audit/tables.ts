import * as t from '../../engine/db/table.ts';

/** A change by a person or token. Names are those of then: accounts, tokens and objects may be gone. */
const change = {
  /** When it was asked for. */
  at: t.time,
  /** Null for what was done on the command line of the machine. */
  user_id: t.optional(t.text),
  user: t.text,
  /** None for who has shown a password or a link. */
  token_id: t.optional(t.text),
  /** Title of the token; a session is one that is called Login. */
  token: t.optional(t.text),
  ip: t.optional(t.text),
  /** Name of the endpoint. */
  action: t.text,
  object_kind: t.optional(t.text),
  object_id: t.optional(t.text),
  product_id: t.optional(t.text),
  /** That of the first row of the log that the change has written. */
  message: t.optional(t.text),
  /** JSON objects with the fields that were changed, none of them a secret. */
  before: t.optional(t.text),
  after: t.optional(t.text),
};

export const auditTables = {
  /** A link of the chain. The database refuses to change one, and to remove one that retention has not let go. */
  audit: t.table(
    {
      ...change,
      /** 1, 2, 3, … without a gap. */
      seq: t.keyed(t.integer),
      /** Hash of the row before. */
      previous: t.text,
      /** SHA-256, hex, of all other columns. */
      hash: t.text,
    },
    [t.index('at', 'seq'), t.index('object_id', 'seq'), t.index('product_id', 'seq'), t.index('user', 'seq')],
  ),
  /** A change that has yet to get its place in the chain; written in the transaction of what it tells. */
  audit_queue: t.table({
    ...change,
    /** In the order of writing. */
    id: t.counter,
  }),
  /** Where the chain begins and ends: one row. */
  audit_chain: t.table({
    id: t.key,
    /** Number and hash of the newest row. */
    seq: t.integer,
    hash: t.text,
    /** Number and hash of the last row that retention has let go. */
    dropped_seq: t.integer,
    dropped_hash: t.text,
  }),
};
