import { type Logged, observed, type TransactionObserver } from '../../engine/db/observer.ts';
import { isFailure } from '../../engine/db/outcomes.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { afterCommit } from '../../engine/db/transaction.ts';

/** What is known of a change when it is about to be committed. */
export interface Seen {
  /** What the rows of its log agree on, in the transaction that was tried last. */
  readonly log?: Partial<Logged>;
  readonly made?: string;
  readonly was?: object;
}

/** What a change is about. */
export interface About {
  readonly object?: { readonly kind: string; readonly id?: string | null | undefined } | undefined;
  readonly productId?: string | null | undefined;
  /** JSON objects. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A change, as far as it is known before it is made. */
export interface Change {
  readonly atMs: number;
  readonly action: string;
  /** Absent for who has no token: the log of the change says whose account it is. */
  readonly userId?: string | undefined;
  readonly tokenId?: string | undefined;
  /** For who is no user. */
  readonly by?: string;
  readonly ip?: string;
  readonly about: (seen: Seen) => About;
}

/**
 * Does something that leaves a row in the audit when it succeeds: in the transaction of the work that is committed
 * first, or in a transaction for the row alone where the work has none. What returns a failure leaves none.
 */
export function auditing<T>(
  { transaction }: Pick<Storage, 'transaction'>,
  change: Change,
  work: () => T | Promise<T>,
): Promise<T> {
  let seen: Seen = {};
  let loggedIn: Db | undefined;
  /** Its row is kept, or it has none to get any more. */
  let isOver = false;
  const observer: TransactionObserver = {
    logged(trx, rows) {
      if (rows.length === 0 || loggedIn === trx) return;
      loggedIn = trx;
      seen = { ...seen, log: agreed(rows) };
    },
    made(id) {
      seen = { ...seen, made: id };
    },
    was(record) {
      seen = { ...seen, was: record };
    },
    async committing(trx, outcome) {
      // False says that there was nothing to change.
      if (isOver || outcome === false) return;
      if (await queueRow(trx, change, seen)) {
        afterCommit(trx, () => {
          isOver = true;
        });
      }
    },
  };
  return observed(observer, async () => {
    try {
      const outcome = await work();
      if (!isOver && !isFailure(outcome)) await transaction(async () => outcome);
      return outcome;
    } finally {
      // What the work leaves behind, such as timers, is no part of it.
      isOver = true;
    }
  });
}

const loggedFields = ['message', 'userId', 'deviceId', 'bundleId', 'productId'] as const;

/** What all rows of a log say alike. */
const agreed = (rows: readonly Logged[]): Partial<Logged> =>
  Object.fromEntries(
    loggedFields.flatMap((field) => {
      const [value, ...others] = new Set(rows.map((row) => row[field]));
      return value == null || others.length > 0 ? [] : [[field, value]];
    }),
  );

/** What a log is about: a device, a bundle or a product. */
export function loggedThing({ deviceId, bundleId, productId }: Partial<Logged> = {}): About['object'] {
  if (deviceId) return { kind: 'device', id: deviceId };
  if (bundleId) return { kind: 'bundle', id: bundleId };
  return productId ? { kind: 'product', id: productId } : undefined;
}

/** Queues the row of a change in a transaction that is about to be committed, once it is known who makes it. */
async function queueRow(trx: Db, change: Change, seen: Seen): Promise<boolean> {
  const { atMs, action, by, ip, tokenId } = change;
  const userId = change.userId ?? seen.log?.userId ?? undefined;
  if (!userId && by === undefined) return false;
  const { object, productId, before, after } = change.about(seen);
  await trx
    .insertInto('audit_queue')
    .values((eb) => ({
      at: atMs,
      user_id: by === undefined ? (userId ?? null) : null,
      user:
        by ??
        eb.fn.coalesce(
          eb
            .selectFrom('users')
            .select('username')
            .where('id', '=', userId ?? ''),
          eb.val(''),
        ),
      token_id: tokenId ?? null,
      token: tokenId ? eb.selectFrom('tokens').select('title').where('id', '=', tokenId) : null,
      ip: ip ?? null,
      action,
      object_kind: object?.kind ?? null,
      object_id: object?.id ?? null,
      product_id: productId ?? null,
      message: seen.log?.message ?? null,
      before: before ?? null,
      after: after ?? null,
    }))
    .execute();
  return true;
}
