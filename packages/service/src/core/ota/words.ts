import type { ReportedFailure, UpdateState } from '@moorage/api';
import type { UpdateTrigger } from './rules.ts';

/** How far a device is with an update. What fails there has failed in that way, unless the device says another. */
export type Phase = Extract<ReportedFailure, 'download' | 'install'>;

/** What a client can say of an update, and what that means: a row of the table of its protocol. */
export interface Word<Says> {
  readonly says: Says;
  /** The states of the update in which it means that; all of them without it. */
  readonly when?: readonly UpdateState[];
  /** What it does to the update. */
  readonly trigger?: Extract<UpdateTrigger, 'fetch' | 'install' | 'confirm' | 'fail'>;
  /** The client has come so far. */
  readonly reaches?: Phase;
  /** In which way the update has failed that ends with it. */
  readonly kind?: ReportedFailure;
  /** In a sentence, where the client has none of its own. */
  readonly reason?: string;
}

/** The first row that fits what a client says while an update is in a state. */
export const meaningOf = <S, W extends Word<S>>(
  words: readonly W[],
  state: UpdateState,
  isSaid: (says: S) => boolean,
): W | undefined => words.find(({ says, when }) => isSaid(says) && (when?.includes(state) ?? true));

/** How far a device is, by the state of its update alone. */
export const phaseOf = (state: UpdateState): Phase => (state === 'installed' ? 'install' : 'download');
