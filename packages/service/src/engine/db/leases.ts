import type { Clock } from '@moorage/base';
import type { Db, Storage } from './storage.ts';

export interface WorkClaim {
  readonly name: string;
  /** The process that would do it. */
  readonly holder: string;
  /** Work that was done after this moment is not due, epoch ms. */
  readonly doneBeforeMs: number;
  /** What is said to be done after this moment was done by a clock that was ahead, and is due, epoch ms. */
  readonly aheadMs: number;
}

/**
 * Takes work that one process does for all, if it is due and no living process is at it. Of several at once one gets it.
 *
 * @returns the number of this holder, with which the work ends
 */
export async function claimWork(
  db: Db,
  { name, holder, doneBeforeMs, aheadMs }: WorkClaim,
): Promise<number | undefined> {
  await db
    .insertInto('work')
    .values({ name, holder: null, fence: 0, done_at: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const claimed = await db
    .updateTable('work')
    .set(({ eb }) => ({ holder, fence: eb('fence', '+', 1) }))
    .where('name', '=', name)
    .where(({ eb, or }) => or([eb('done_at', '<=', doneBeforeMs), eb('done_at', '>', aheadMs)]))
    .where(({ eb, or, selectFrom }) =>
      or([eb('holder', 'is', null), eb('holder', 'not in', selectFrom('processes').select('id'))]),
    )
    .returning('fence')
    .executeTakeFirst();
  return claimed?.fence;
}

/**
 * Ends work, or gives it back undone without a time. Returns false when another process holds it by now, since this one
 * stood still: then nothing changes.
 */
export async function endWork(db: Db, name: string, fence: number, doneAtMs?: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('work')
    .set({ holder: null, ...(doneAtMs !== undefined && { done_at: doneAtMs }) })
    .where('name', '=', name)
    .where('fence', '=', fence)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether the work of this name is still this process's. */
export async function holdsWork(db: Db, name: string, fence: number): Promise<boolean> {
  const row = await db.selectFrom('work').select('fence').where('name', '=', name).executeTakeFirst();
  return row?.fence === fence;
}

/** The life of a process: what it holds passes to others when that ends. */
export interface WorkLease {
  readonly id: string;
  signOn(): Promise<unknown>;
}

export interface SharedWork {
  readonly name: string;
  /** How often it is due, in ms. */
  readonly everyMs: number;
  /** What the clocks of two processes may differ by, in ms. */
  readonly skewMs: number;
}

/**
 * Does work that is due and that no other process is at. What throws, or says that it is not done, is due again at once.
 *
 * @param work says whether it is done
 */
export async function doForAll(
  { storage: { db }, clock, lease }: { readonly storage: Storage; readonly clock: Clock; readonly lease: WorkLease },
  { name, everyMs, skewMs }: SharedWork,
  work: () => Promise<boolean>,
): Promise<void> {
  await lease.signOn();
  const nowMs = clock.now();
  // Done later than now is what a clock has done that was ahead.
  const due = { doneBeforeMs: nowMs - everyMs + skewMs, aheadMs: nowMs + skewMs };
  const fence = await claimWork(db, { name, holder: lease.id, ...due });
  if (fence === undefined) return;
  let isDone = false;
  try {
    isDone = await work();
  } finally {
    await endWork(db, name, fence, isDone ? clock.now() : undefined);
  }
}
