import { type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Storage } from '../../engine/db/storage.ts';
import type { Work } from '../../engine/db/work.ts';
import { deviceRows } from '../devices/device-rows.ts';
import type { HookedDevice, UpdateExtension } from './hooks.ts';
import { updateRows } from './queries.ts';

export type Run<T> = (work: Work, device: DeviceRow) => Promise<Result<T, Refusal>>;

/** Takes one step of the updates of a device, in a work in which it is locked. Refusal: NOT_FOUND. */
export type TakeStep = <T>(device: HookedDevice, run: Run<T>) => Promise<Result<T, Refusal>>;

/** Devices whose steps are one transaction: each of them stays locked until the last one's is done. */
const devicesTogether = 32;

interface WaitingStep {
  readonly device: HookedDevice;
  readonly run: Run<unknown>;
  readonly resolve: (outcome: Result<unknown, Refusal>) => void;
  readonly reject: (error: unknown) => void;
}

interface Parts {
  readonly storage: Pick<Storage, 'transaction'>;
  readonly hooks: Pick<UpdateExtension, 'begin'>;
}

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
 * they were asked for has long been over. Those of devices that ask for themselves are grouped: the ones of a product
 * that wait for their turn are one transaction, since a commit costs more than most steps.
 */
export function openSteps(parts: Parts): { readonly single: TakeStep; readonly grouped: TakeStep } {
  const inTurn = productTurns();
  const waiting = new Map<string, WaitingStep[]>();

  /** Joins the group of a product that has not begun, or begins another. */
  function join(step: WaitingStep): void {
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
      await takeTogether(parts, steps);
    });
    turn.catch((error: unknown) => {
      for (const { reject } of steps) reject(error);
    });
  }

  return {
    single: (device, run) => inTurn(device.product_id, () => takeOne(parts, { device, run })),
    grouped: <T>(device: HookedDevice, run: Run<T>) =>
      new Promise<Result<T, Refusal>>((resolve, reject) => {
        // Safe: the outcome is that of this very step.
        join({ device, run, resolve: (outcome) => resolve(outcome as Result<T, Refusal>), reject });
      }),
  };
}

/** Takes steps in one transaction; when one of them is refused or fails, nothing of it is written, and each is taken by itself. */
async function takeTogether(parts: Parts, steps: readonly WaitingStep[]): Promise<void> {
  // Whose step was refused, or has failed, is told by taking each again.
  const done = steps.length > 1 ? await takeAll(parts, steps).catch(() => undefined) : undefined;
  for (const [at, step] of steps.entries()) {
    const outcome = done?.ok ? done.value[at] : undefined;
    if (outcome) step.resolve(outcome);
    else await takeOne(parts, step).then(step.resolve, step.reject);
  }
}

type Step<T> = Pick<WaitingStep, 'device'> & { readonly run: Run<T> };

const takeAll = (parts: Parts, steps: readonly WaitingStep[]) =>
  inWork(parts, steps, async (take): Promise<Result<Result<unknown, Refusal>[], Refusal>> => {
    const outcomes: Result<unknown, Refusal>[] = [];
    for (const step of steps) {
      const outcome = await take(step);
      if (!outcome.ok) return outcome;
      outcomes.push(outcome);
    }
    return success(outcomes);
  });

/** The outcome is that of the transaction: the audit looks in it for what was made. */
const takeOne = <T>(parts: Parts, step: Step<T>) => inWork(parts, [step], (take) => take(step));

/** Begins a transaction in which the devices of steps are locked, and what each looks at has been read at once. */
const inWork = <T>(
  { storage, hooks }: Parts,
  steps: readonly Pick<WaitingStep, 'device'>[],
  run: (take: <S>(step: Step<S>) => Promise<Result<S, Refusal>>) => Promise<T>,
): Promise<T> =>
  storage.transaction(async (_trx, work) => {
    const ids = steps.map(({ device }) => device.id);
    const updateIds = (await work.lock(deviceRows, ids)).flatMap(({ update_id }) => update_id ?? []);
    await work.all(updateRows, updateIds);
    await hooks.begin(work, ids);
    return run(async ({ device, run: takeStep }) => {
      const locked = await work.get(deviceRows, device.id);
      return locked ? takeStep(work, locked) : failure(refusal('NOT_FOUND', { what: 'Device' }));
    });
  });
