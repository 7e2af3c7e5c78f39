import { randomUUID } from 'node:crypto';
import {
  optionalTimestamp,
  type RehearsalRecord,
  refusal,
  type rehearsalsContract,
  type ShapeRecord,
} from '@moorage/api';
import { failure, type Result, sleep, success, unlessAborted } from '@moorage/base';
import { claimWork, endWork, type WorkLease } from '../../engine/db/leases.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handler, type Handlers, handlers } from '../../engine/http/types.ts';
import { lockRollout, type RolloutRow } from '../fleet/rollouts/queries.ts';
import { allowedRollout } from '../fleet/rollouts/routes.ts';
import {
  deleteRehearsal,
  endLostRehearsals,
  endRehearsal,
  endTurn,
  insertRehearsal,
  type RehearsalRow,
  rehearsalByNumber,
  rehearsalsOf,
  rehearsalWork,
  type ShownRehearsal,
  setRehearsalPercent,
  takesTurn,
} from './rehearsal-queries.ts';
import type { RehearsalInput, Rehearser } from './rehearser.ts';

type Contract = typeof rehearsalsContract;

export interface RehearsalDeps extends Deps {
  /** None where the service has been put together without one. */
  readonly rehearser: Rehearser | undefined;
  readonly lease: WorkLease;
  readonly shapeOf: (
    storage: Storage,
    of: { readonly productId: string; readonly filter: string | undefined; readonly nowMs: number },
  ) => Promise<ShapeRecord>;
  readonly resourcesOf: (
    db: Db,
    bundleId: string,
  ) => Promise<readonly { readonly filename: string; readonly sha256: string; readonly exclude: 0 | 1 }[]>;
}

/** Twins hold far less. */
const bundleLimitBytes = 32 * 1024 * 1024;
const tryAgainS = 60;
/** Those who ask again within this time, in ms, keep their turn. */
const turnKeptMs = 2 * tryAgainS * 1000;
/** The database is asked again this much later, in ms. */
const writeAgainMs = 5_000;
/** Work that is due whenever nobody is at it. */
const always = { doneBeforeMs: Number.MAX_SAFE_INTEGER, aheadMs: Number.MAX_SAFE_INTEGER };

const recordOf = ({ created_at, finished_at, ...row }: ShownRehearsal): RehearsalRecord => ({
  ...row,
  created_at: String(created_at),
  finished_at: optionalTimestamp(finished_at),
});

/** The files of a bundle, as devices get them. The refusal is a sentence. */
async function filesFor(
  { blobs, resourcesOf, storage: { db } }: RehearsalDeps,
  bundleId: string,
): Promise<Result<RehearsalInput['files'], string>> {
  const files: RehearsalInput['files'][number][] = [];
  let left = bundleLimitBytes;
  for (const { exclude, filename, sha256 } of await resourcesOf(db, bundleId)) {
    if (exclude) continue;
    const blob = await blobs.open(sha256);
    if (!blob) throw new Error(`Blob ${sha256} is recorded but not stored`);
    try {
      left -= blob.size;
      if (left < 0) return failure(`The files of the bundle have more than ${bundleLimitBytes} bytes`);
      const bytes = new Uint8Array(blob.size);
      for (let at = 0; at < bytes.length; ) {
        const n = await blob.read(bytes.subarray(at), at);
        if (n === 0) throw new Error(`Blob ${sha256} ends at byte ${at}`);
        at += n;
      }
      files.push({ filename, bytes });
    } finally {
      await blob.close();
    }
  }
  return success(files);
}

type RehearsalOptions = Pick<RehearsalInput, 'devices' | 'seeds' | 'compare' | 'scenario'>;

async function inputFor(
  deps: RehearsalDeps,
  rollout: RolloutRow,
  options: RehearsalOptions,
): Promise<Result<RehearsalInput, string>> {
  const files = await filesFor(deps, rollout.bundle_id);
  if (!files.ok) return files;
  const { filter, priority, product_id: productId, title, version } = rollout;
  const nowMs = deps.clock.now();
  const shape = await deps.shapeOf(deps.storage, { productId, filter: filter ?? undefined, nowMs });
  const planned = { title, priority, settings: rollout.settings, ...(filter !== null && { filter }) };
  return success({ ...options, rollout: planned, version, files: files.value, shape });
}

/** A rehearsal that this process has begun. */
interface Begun {
  readonly id: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Rehearses rollouts, one at a time, each in a process of its own. */
export class Rehearsals {
  readonly #deps: RehearsalDeps;
  readonly #closed = new AbortController();
  #begun: Begun | undefined;

  constructor(deps: RehearsalDeps) {
    this.#deps = deps;
  }

  /** Begins what has been claimed under this number and recorded under this id. */
  begin(id: string, fence: number, rollout: RolloutRow, options: RehearsalOptions, rehearser: Rehearser): void {
    const stop = new AbortController();
    const { db } = this.#deps.storage.background;
    const ended = this.#perform(id, rollout, options, rehearser, stop)
      .then((record) => this.#surely(record))
      .then(() => this.#surely(() => endWork(db, rehearsalWork, fence)))
      .then(() => {
        if (this.#begun?.id === id) this.#begun = undefined;
      });
    this.#begun = { id, stop, ended };
  }

  /** Ends it, if this process has begun it; another one notices that the record is gone. */
  stop(id: string): void {
    if (this.#begun?.id === id) this.#begun.stop.abort();
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#begun?.stop.abort();
    await this.#begun?.ended;
  }

  /** Writes until it is written, or the process ends: what is not would keep all others waiting until then. */
  async #surely(write: () => Promise<unknown>): Promise<void> {
    const { clock, log } = this.#deps;
    const { signal } = this.#closed;
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        log.error({ err: error }, 'The end of a rehearsal could not be recorded');
      }
      if (signal.aborted) return;
      await unlessAborted(signal, sleep(clock, writeAgainMs));
    }
  }

  /** Returns what records how it has ended. */
  async #perform(
    id: string,
    rollout: RolloutRow,
    options: RehearsalOptions,
    rehearser: Rehearser,
    stop: AbortController,
  ): Promise<() => Promise<unknown>> {
    const { clock, log, storage } = this.#deps;
    const { db } = storage.background;
    let noting: Promise<void> | undefined;
    const note = async (percent: number): Promise<void> => {
      if (!(await setRehearsalPercent(db, id, percent))) stop.abort();
    };
    const onPercent = (percent: number): void => {
      noting ??= note(percent)
        .catch((error: unknown) => log.warn({ err: error }, 'The progress of a rehearsal is not recorded'))
        .finally(() => {
          noting = undefined;
        });
    };
    const rehearsed = async () => {
      const input = await inputFor(this.#deps, rollout, options);
      return input.ok ? rehearser.rehearse(input.value, { signal: stop.signal, onPercent }) : input;
    };
    const outcome = await rehearsed().catch((error: unknown) => {
      log.error({ err: error }, 'A rehearsal failed');
      return failure('The service failed; its log has the cause');
    });
    await noting;
    const finished_at = clock.now();
    if (outcome.ok) {
      const { page, report } = outcome.value;
      const found = { report: JSON.stringify(report), page, percent: 100, finished_at };
      return () => endRehearsal(db, id, 'finish', found);
    }
    const reason = stop.signal.aborted ? 'It was stopped' : outcome.error;
    return () => endRehearsal(db, id, 'fail', { reason, finished_at });
  }
}

/** API-EP-POST-rollouts-rollout_id-rehearsals. Spec: API-LIMIT-rehearsals. */
const start =
  (deps: RehearsalDeps, rehearsals: Rehearsals): Handler<Contract['start']> =>
  async (call) => {
    const { clock, lease, rehearser, storage } = deps;
    const rollout = await allowedRollout(storage.db, call.params.rollout_id, call.caller);
    if (!rollout.ok) return rollout;
    if (!rehearser) return failure(refusal('NO_REHEARSALS'));
    const { compare = false, devices = 200, scenario, seeds = 3 } = call.body;
    const mistake = scenario && (await rehearser.mistakeIn(scenario));
    if (mistake !== undefined) {
      const detail = `Field "scenario" of the body is wrong: ${mistake}`;
      return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['scenario'] }));
    }
    const { userId } = call.caller;
    await lease.signOn();
    const isNext = await takesTurn(storage.db, userId, clock.now(), turnKeptMs);
    const fence = isNext
      ? await claimWork(storage.db, { name: rehearsalWork, holder: lease.id, ...always })
      : undefined;
    if (fence === undefined) {
      return failure({ ...refusal('BUSY', { retryAfterS: tryAgainS }), retryAfterS: tryAgainS });
    }
    try {
      await endTurn(storage.db, userId);
      const id = randomUUID();
      const record = await storage.transaction(async (trx, work) => {
        const found = await lockRollout(work, rollout.value.id);
        if (!found) return undefined;
        const atMs = clock.now();
        const message = `Rollout "${found.title}": rehearse on ${devices} twins`;
        const about = { productId: found.product_id, data: { rollout: found.id } };
        await writeLog(trx, { ...byCaller(call, atMs), type: 'rollout.act', message, ...about });
        const row = { id, rollout_id: found.id, state: 'running', percent: 0, fence, devices, seeds } as const;
        return insertRehearsal(trx, { ...row, created_at: atMs });
      });
      if (!record) {
        await endWork(storage.db, rehearsalWork, fence);
        return failure(refusal('NOT_FOUND', { what: 'Rollout' }));
      }
      rehearsals.begin(id, fence, rollout.value, { devices, seeds, compare, scenario }, rehearser);
      return success(recordOf(record));
    } catch (error) {
      await endWork(storage.db, rehearsalWork, fence);
      throw error;
    }
  };

/** API-EP-GET-rollouts-rollout_id-rehearsals */
async function list({ clock, storage: { db } }: RehearsalDeps, { caller, params }: Call<Contract['list']>) {
  const rollout = await allowedRollout(db, params.rollout_id, caller);
  if (!rollout.ok) return rollout;
  await endLostRehearsals(db, clock.now());
  return success((await rehearsalsOf(db, rollout.value.id)).map(recordOf));
}

type OfRehearsal = Pick<Call<Contract['get']>, 'params'> & { readonly caller: Caller };

async function found(
  { clock, storage: { db } }: RehearsalDeps,
  { caller, params: { number, rollout_id } }: OfRehearsal,
) {
  const rollout = await allowedRollout(db, rollout_id, caller);
  if (!rollout.ok) return rollout;
  await endLostRehearsals(db, clock.now());
  const row = await rehearsalByNumber(db, rollout.value.id, number);
  return row ? success(row) : failure(refusal('NOT_FOUND', { what: 'Rehearsal' }));
}

const shownOf = ({
  id: _id,
  rollout_id: _rollout,
  fence: _fence,
  page: _page,
  report: _report,
  ...row
}: RehearsalRow) => recordOf(row);

/** API-EP-GET-rollouts-rollout_id-rehearsals-number */
async function get(deps: RehearsalDeps, call: Call<Contract['get']>) {
  const row = await found(deps, call);
  if (!row.ok) return row;
  const { report } = row.value;
  return success({ ...shownOf(row.value), report: report === null ? null : JSON.parse(report) });
}

/** API-EP-GET-rollouts-rollout_id-rehearsals-number-page. It is sent as what others have uploaded is: nothing in it runs. */
async function page(deps: RehearsalDeps, call: Call<Contract['page']>) {
  const row = await found(deps, call);
  if (!row.ok) return row;
  if (row.value.page === null) return failure(refusal('NOT_FOUND', { what: 'Report' }));
  return success({ bytes: Buffer.from(row.value.page), mime: 'text/html; charset=utf-8' });
}

/** API-EP-DELETE-rollouts-rollout_id-rehearsals-number */
const remove =
  (deps: RehearsalDeps, rehearsals: Rehearsals): Handler<Contract['remove']> =>
  async (call) => {
    const row = await found(deps, call);
    if (!row.ok) return row;
    await deleteRehearsal(deps.storage.db, row.value.id);
    rehearsals.stop(row.value.id);
    return success({ result: 'ok' as const });
  };

/** Rollouts on twins, before they come to devices. */
export const rehearsalRoutes = (deps: RehearsalDeps, rehearsals: Rehearsals): Handlers<Contract> => ({
  ...handlers(deps, { list, get, page }),
  start: start(deps, rehearsals),
  remove: remove(deps, rehearsals),
});
