import { usualPollS } from '@moorage/api';
import type { UpdateFleet } from './work.ts';

/** What extensions answer about updates. */
export interface UpdateHooks {
  readonly updateHooks: UpdateFleet;
}

export const noUpdateHooks: UpdateHooks = {
  updateHooks: {
    standing: async () => ({
      poll: { intervalMs: usualPollS * 1_000, isSoon: false, atMs: undefined },
      isLasting: true,
    }),
    beginSteps: async () => {},
    recordOffer: async () => {},
    contradicted: async () => {},
    moved: async () => {},
  },
};
