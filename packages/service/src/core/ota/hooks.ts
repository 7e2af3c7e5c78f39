import { type ReportedFailure, usualPollS } from '@moorage/api';
import type { Reads, Work } from '../../engine/db/work.ts';
import type { Assignment, Poll, UpdateTrigger } from './rules.ts';

/** A device that something is said of. */
export interface HookedDevice {
  readonly id: string;
  readonly product_id: string;
}

/** An update that has moved, and what moved it. */
export interface MovedUpdate {
  readonly id: number;
  readonly device_id: string;
  readonly trigger: UpdateTrigger;
  /** In which way it has failed, where the device says it. */
  readonly kind?: ReportedFailure | undefined;
}

/** What is said of a device that asks for an update. */
export interface Assigned<A extends Assignment = Assignment> {
  /** What it gets in the place of the bundle that it follows: those that come first count first. */
  readonly assignments: readonly A[];
  /** When it makes sense that the device asks again. */
  readonly poll: Poll;
}

/**
 * What an extension says of updates, and is told of them. All but `assign` are called inside the transaction that the
 * update changes in: what they throw undoes it, what they change they put into the work, and what shall follow the commit
 * they hand to `work.afterCommit`.
 */
export interface UpdateExtension {
  /**
   * A device asks for an update and names no bundle. Called outside of transactions, with reads that many devices share,
   * and again with the work of the transaction where the answer brings something; what is counted is locked there.
   */
  assign(reads: Reads, device: HookedDevice): Promise<Assigned>;
  /** A work begins in which these devices, which are locked, take a step each: what is needed of them can be read at once. */
  begin(work: Work, deviceIds: readonly string[]): Promise<void>;
  /** A device whose turn it was has been offered what was assigned to it by an update, or runs it already. */
  offered(
    work: Work,
    device: HookedDevice,
    assignment: Assignment,
    offer: { readonly updateId: number | null; readonly isDone: boolean },
  ): Promise<void>;
  /** An update has moved, has been confirmed after its end, or the device does not work with it after all (`fail` of one that is done). */
  moved(work: Work, update: MovedUpdate): Promise<void>;
}

/** What extensions answer about updates. */
export interface UpdateHooks {
  readonly updateHooks: UpdateExtension;
}

export const noUpdateHooks: UpdateHooks = {
  updateHooks: {
    assign: async () => ({
      assignments: [],
      poll: { intervalMs: usualPollS * 1_000, isSoon: false, atMs: undefined },
    }),
    begin: async () => {},
    offered: async () => {},
    moved: async () => {},
  },
};
