import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { isFailure } from '../../engine/db/outcomes.ts';
import type { Db, Storage } from '../../engine/db/storage.ts';
import { readUpdatesAhead } from './queries.ts';
import type { DeviceLedger, OtaDeviceRow, UpdateFleet } from './work.ts';

type Named = Pick<OtaDeviceRow, 'id' | 'product_id'>;
export type Run<T> = (trx: Db, device: OtaDeviceRow) => Promise<Result<T, Refusal>>;

/** One step of an update: part of a transaction in which its device is locked. Refusal: NOT_FOUND. */
export type InStep = <T>(device: Named, run: Run<T>) => Promise<Result<T, Refusal>>;

/** Devices whose steps are one transaction: each of them stays locked until the last one's is done. */
const devicesTogether = 32;

interface Step {
  readonly device: Named;
  readonly run: Run<unknown>;
  readonly resolve: (outcome: Result<unknown, Refusal>) => void;
  readonly reject: (error: unknown) => void;
}

interface Parts {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly ledger: DeviceLedger;
  readonly fleet: UpdateFleet;
}

const gone = () => failure(refusal('NOT_FOUND', { what: 'Device' }));

/**
 * Does work of each product one after another.
 *
 * @param last the work of each product after which nothing waits yet; a product without any is not kept
 */
export function productTurns(last = new Map<string, Promise<void>>()) {
  return <T>(productId: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(productId) ?? Promise.resolve()).then(work);
    const forget = () => {
      if (last.get(productId) === over) last.delete(productId);
    };
    const over = turn.then(forget, forget);
    last.set(productId, over);
    return turn;
  };
}

/**
 * Steps of one product, one after another: they meet in the same rows. PostgreSQL would make some try again until what
 * they were asked for has long been over. Those of devices that ask for themselves are grouped.
 */
export function openSteps(parts: Parts): { readonly single: InStep; readonly grouped: InStep } {
  const inTurn = productTurns();
  return {
    single: (device, run) => inTurn(device.product_id, () => single(parts, device, run)),
    grouped: groupedSteps(parts, inTurn),
  };
}

const single = <T>({ storage, ledger }: Omit<Parts, 'fleet'>, { id }: Named, run: Run<T>) =>
  storage.transaction(async (trx) => {
    const locked = await ledger.lock(trx, id);
    return locked ? run(trx, locked) : gone();
  });

/**
 * Steps of devices that ask for themselves: those of one product that wait for their turn are one transaction, since a
 * commit costs more than most steps. When one of them is refused or fails, each is done again by itself.
 */
function groupedSteps(parts: Parts, inTurn: ReturnType<typeof productTurns>): InStep {
  const waiting = new Map<string, Step[]>();

  /** Joins the group of a product that has not begun, or begins another. */
  function join(step: Step): void {
    const { id, product_id: productId } = step.device;
    const group = waiting.get(productId);
    if (group && group.length < devicesTogether && group.every(({ device }) => device.id !== id)) {
      group.push(step);
      return;
    }
    const steps = [step];
    waiting.set(productId, steps);
    const turn = inTurn(productId, async () => {
      // The rest of this turn of the event loop still gets on board.
      await new Promise((begin) => setImmediate(begin));
      if (waiting.get(productId) === steps) waiting.delete(productId);
      return doTogether(parts, steps);
    });
    turn.catch((error: unknown) => {
      for (const { reject } of steps) reject(error);
    });
  }

  return <T>(device: Named, run: Run<T>) =>
    new Promise<Result<T, Refusal>>((resolve, reject) => {
      // Safe: the outcome is that of this very work.
      join({ device, run, resolve: (outcome) => resolve(outcome as Result<T, Refusal>), reject });
    });
}

/** Does steps in one transaction, or each by itself. */
async function doTogether(parts: Parts, steps: readonly Step[]): Promise<void> {
  const done = steps.length > 1 ? await tryTogether(parts, steps) : undefined;
  for (const [at, { device, run, resolve, reject }] of steps.entries()) {
    const outcome = done?.[at];
    if (outcome) resolve(outcome);
    else await single(parts, device, run).then(resolve, reject);
  }
}

/** The outcomes of all steps in one transaction; nothing, and nothing is written, when one of them is refused or fails. */
async function tryTogether({ storage, ledger, fleet }: Parts, steps: readonly Step[]) {
  const work = async (trx: Db): Promise<Result<Result<unknown, Refusal>[], undefined>> => {
    const ids = steps.map(({ device }) => device.id);
    const locked = new Map((await ledger.lockAll(trx, ids)).map((device) => [device.id, device]));
    await readUpdatesAhead(
      trx,
      [...locked.values()].flatMap(({ update_id }) => update_id ?? []),
    );
    await fleet.beginSteps(trx, ids);
    const outcomes: Result<unknown, Refusal>[] = [];
    for (const { device, run } of steps) {
      const row = locked.get(device.id);
      const outcome = row ? await run(trx, row) : gone();
      if (isFailure(outcome)) return failure(undefined);
      outcomes.push(outcome);
    }
    return success(outcomes);
  };
  try {
    const done = await storage.transaction(work);
    return done.ok ? done.value : undefined;
  } catch {
    // Whose step it was is told by doing each again.
    return undefined;
  }
}
