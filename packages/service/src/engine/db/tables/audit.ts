import type { Generated } from 'kysely';
import type { TimeMs } from './columns.ts';

/** A change by a person or token. Names are those of then: accounts, tokens and objects may be gone. */
export interface ChangeColumns {
  /** When it was asked for. */
  at: TimeMs;
  /** Null for what was done on the command line of the machine. */
  user_id: string | null;
  user: string;
  /** None for who has shown a password or a link. */
  token_id: string | null;
  /** Title of the token; a session is one that is called Login. */
  token: string | null;
  ip: string | null;
  /** Name of the endpoint. */
  action: string;
  object_kind: string | null;
  object_id: string | null;
  product_id: string | null;
  /** That of the first row of the log that the change has written. */
  message: string | null;
  /** JSON objects with the fields that were changed, none of them a secret. */
  before: string | null;
  after: string | null;
}

/** A change that has yet to get its place in the chain; written in the transaction of what it tells. */
export interface AuditQueueTable extends ChangeColumns {
  /** In the order of writing. */
  id: Generated<number>;
}

/** A link of the chain. The database refuses to change one, and to remove one that retention has not let go. */
export interface AuditTable extends ChangeColumns {
  /** 1, 2, 3, … without a gap. */
  seq: number;
  /** Hash of the row before. */
  previous: string;
  /** SHA-256, hex, of all other columns. */
  hash: string;
}

/** Where the chain begins and ends: one row. */
export interface AuditChainTable {
  id: string;
  /** Number and hash of the newest row. */
  seq: number;
  hash: string;
  /** Number and hash of the last row that retention has let go. */
  dropped_seq: number;
  dropped_hash: string;
}
