import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogEntry } from './logs.ts';
import { isFailure } from './outcomes.ts';
import type { Db, Storage } from './storage.ts';

/** What somebody does, as far as it is known before it is done. */
export interface Change {
  readonly atMs: number;
  readonly action: string;
  /** Absent for who has no token: the log of the change says whose account it is. */
  readonly userId?: string | undefined;
  readonly tokenId?: string | undefined;
  /** For who is no user. */
  readonly by?: string;
  readonly ip?: string;
  /** What it is about; without an id one that it makes. */
  readonly object?: { readonly kind: string; readonly id?: string } | undefined;
  readonly productId?: string | undefined;
  /** JSON objects. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

interface UnderWay {
  readonly change: Change;
  /** The first row of its log, in the transaction that was tried last. */
  log?: { readonly trx: Db; readonly entry: LogEntry };
  /** Its row is kept, or it has none to get any more. */
  isOver: boolean;
}

const current = new AsyncLocalStorage<UnderWay | undefined>();

/**
 * Does something that leaves a row in the audit when it succeeds: in the transaction of the work that is committed
 * first, or in one of its own where the work has none. What returns a failure leaves none.
 */
export function auditing<T>(
  { transaction }: Pick<Storage, 'transaction'>,
  change: Change,
  work: () => T | Promise<T>,
): Promise<T> {
  const underWay: UnderWay = { change, isOver: false };
  return current.run(underWay, async () => {
    try {
      const outcome = await work();
      if (!underWay.isOver && !isFailure(outcome)) await transaction(async () => outcome);
      return outcome;
    } finally {
      // What the work leaves behind, such as timers, is no part of it.
      underWay.isOver = true;
    }
  });
}

/** Notes what a change writes into the log: the audit has its words, and what they are about. */
export function noteInAudit(trx: Db, entries: readonly LogEntry[]): void {
  const underWay = current.getStore();
  const [entry] = entries;
  if (underWay && entry && underWay.log?.trx !== trx) underWay.log = { trx, entry };
}

/** The id of a record that work has made, where its outcome shows one. */
function idIn(outcome: unknown): string | undefined {
  if (typeof outcome !== 'object' || outcome === null) return undefined;
  if ('ok' in outcome) return 'value' in outcome ? idIn(outcome.value) : undefined;
  if ('id' in outcome && typeof outcome.id === 'string') return outcome.id;
  return 'row' in outcome ? idIn(outcome.row) : undefined;
}

/** What a row of the log is about; where it is about nothing else, that is the account. */
function loggedObject(entry: LogEntry | undefined): { kind: string; id: string } | undefined {
  if (entry?.deviceId) return { kind: 'device', id: entry.deviceId };
  if (entry?.bundleId) return { kind: 'bundle', id: entry.bundleId };
  if (entry?.productId) return { kind: 'product', id: entry.productId };
  return entry?.userId ? { kind: 'user', id: entry.userId } : undefined;
}

/** What a change is about: as the request names it or, of what it makes and of things with several names, as the log does. */
function objectOf(
  named: Change['object'],
  entry: LogEntry | undefined,
  outcome: unknown,
): { kind: string; id?: string | undefined } | undefined {
  const logged = loggedObject(entry);
  if (!named || named.kind === logged?.kind) return logged ?? named;
  return { kind: named.kind, id: named.id ?? idIn(outcome) };
}

/** Queues the row of the change under way in a transaction that is about to be committed; returns what follows that. */
export async function auditIn(trx: Db, outcome: unknown): Promise<(() => void) | undefined> {
  const underWay = current.getStore();
  // False says that there was nothing to change.
  if (!underWay || underWay.isOver || outcome === false) return undefined;
  const { change, log } = underWay;
  const { atMs, action, by, ip, before, after } = change;
  const userId = change.userId ?? log?.entry.userId;
  // Before it is known who calls, nothing is done that counts.
  if (!userId && by === undefined) return undefined;
  const object = objectOf(change.object, log?.entry, outcome);
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
      token_id: change.tokenId ?? null,
      token: change.tokenId ? eb.selectFrom('tokens').select('title').where('id', '=', change.tokenId) : null,
      ip: ip ?? null,
      action,
      object_kind: object?.kind ?? null,
      object_id: object?.id ?? null,
      product_id: change.productId ?? log?.entry.productId ?? null,
      message: log?.entry.message ?? null,
      before: before ?? null,
      after: after ?? null,
    }))
    .execute();
  return () => {
    underWay.isOver = true;
  };
}
