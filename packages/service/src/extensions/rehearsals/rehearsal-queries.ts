import { rehearsalsKept } from '@moorage/api';
import { transition } from '@moorage/base';
import type { NewRow, Row, RowChange } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type RehearsalTrigger, rehearsalTransitions } from '../fleet/rollouts/rules.ts';

export type RehearsalRow = Row<'rehearsals'>;

/** The name of the work that a rehearsal is: one process has it at a time. */
export const rehearsalWork = 'rehearsal';

const shown = [
  'number',
  'state',
  'reason',
  'percent',
  'devices',
  'seeds',
  'created_at',
  'finished_at',
] as const satisfies readonly (keyof Row<'rehearsals'>)[];

/** A rehearsal without its report. */
export type ShownRehearsal = Pick<RehearsalRow, (typeof shown)[number]>;

/** Those of a rollout, the newest first. */
export const rehearsalsOf = (db: Db, rolloutId: string): Promise<ShownRehearsal[]> =>
  db
    .selectFrom('rehearsals')
    .select(shown)
    .where('rollout_id', '=', rolloutId)
    .orderBy('number', 'desc')
    .limit(rehearsalsKept)
    .execute();

export const rehearsalByNumber = (db: Db, rolloutId: string, number: number): Promise<RehearsalRow | undefined> =>
  db
    .selectFrom('rehearsals')
    .selectAll()
    .where('rollout_id', '=', rolloutId)
    .where('number', '=', number)
    .executeTakeFirst();

/** Adds one with the next number, in the place of the oldest; its rollout is locked. Spec: API-LIMIT-rehearsals. */
export async function insertRehearsal(trx: Db, row: Omit<NewRow<'rehearsals'>, 'number'>): Promise<ShownRehearsal> {
  const { last } = await trx
    .selectFrom('rehearsals')
    .select((eb) => eb.fn.max('number').as('last'))
    .where('rollout_id', '=', row.rollout_id)
    .executeTakeFirstOrThrow();
  const number = Number(last ?? 0) + 1;
  await trx
    .deleteFrom('rehearsals')
    .where('rollout_id', '=', row.rollout_id)
    .where('number', '<=', number - rehearsalsKept)
    .execute();
  return trx
    .insertInto('rehearsals')
    .values({ ...row, number })
    .returning(shown)
    .executeTakeFirstOrThrow();
}

/** Notes that a user asks, and whether it is their turn: nobody else waits for longer who has asked since `keptMs`. */
export async function takesTurn(db: Db, userId: string, nowMs: number, keptMs: number): Promise<boolean> {
  await db
    .deleteFrom('rehearsal_turns')
    .where('asked_at', '<', nowMs - keptMs)
    .execute();
  await db
    .insertInto('rehearsal_turns')
    .values({ user_id: userId, since: nowMs, asked_at: nowMs })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ asked_at: nowMs }))
    .execute();
  const next = await db
    .selectFrom('rehearsal_turns')
    .select('user_id')
    .orderBy('since')
    .orderBy('user_id')
    .executeTakeFirstOrThrow();
  return next.user_id === userId;
}

/** A user who has had their turn goes to the end. */
export const endTurn = (db: Db, userId: string) =>
  db.deleteFrom('rehearsal_turns').where('user_id', '=', userId).execute();

/** Notes how far one is; false when it is no more, or has ended. */
export async function setRehearsalPercent(db: Db, id: string, percent: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('rehearsals')
    .set({ percent })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

const ending = (db: Db, trigger: RehearsalTrigger, change: Omit<RowChange<'rehearsals'>, 'state'>) => {
  const state = transition(rehearsalTransitions, 'running', trigger);
  if (!state) throw new Error(`A rehearsal does not end by "${trigger}"`);
  return db
    .updateTable('rehearsals')
    .set({ ...change, state })
    .where('state', '=', 'running');
};

/** Ends one that runs; one that has been removed stays away. */
export const endRehearsal = (
  db: Db,
  id: string,
  trigger: RehearsalTrigger,
  change: Pick<RowChange<'rehearsals'>, 'reason' | 'report' | 'page' | 'percent' | 'finished_at'>,
) => ending(db, trigger, change).where('id', '=', id).execute();

/** Ends those whose process is gone. */
export const endLostRehearsals = (db: Db, nowMs: number) =>
  ending(db, 'fail', { reason: 'The service ended while it ran', finished_at: nowMs })
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('work')
            .innerJoin('processes', 'processes.id', 'work.holder')
            .select('work.name')
            .where('work.name', '=', rehearsalWork)
            .whereRef('work.fence', '=', 'rehearsals.fence'),
        ),
      ),
    )
    .execute();

export const deleteRehearsal = (db: Db, id: string) => db.deleteFrom('rehearsals').where('id', '=', id).execute();
