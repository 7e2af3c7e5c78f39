import type { UpdateProgress } from '@moorage/api';
import { common } from '../../texts/common.ts';
import { t } from '../../texts/device.ts';

/** One step of an update that was asked for. */
export interface CourseStep {
  readonly label: string;
  readonly state: 'done' | 'now' | 'next' | 'failed';
  /** When it was reached, as a timestamp of a record. */
  readonly at: string | null;
  readonly detail?: string;
}

type Reached = Omit<CourseStep, 'state'>;

/** Steps of which the first so many are over; the one after them is under way. */
const stepsOf = (all: readonly Reached[], over: number): CourseStep[] =>
  all.map((step, at) => ({ ...step, state: at < over ? 'done' : at === over ? 'now' : 'next' }));

/** The update that the asking led to; one that was over before has nothing to do with it. */
function updateAfter({ asked_at, update }: UpdateProgress): UpdateProgress['update'] {
  if (!update || asked_at === null) return null;
  const wasOver = update.finished_at !== null && Number(update.finished_at) < Number(asked_at);
  return wasOver ? null : update;
}

/**
 * What becomes of a device that was asked to look for its update, step by step; empty when it never was.
 *
 * @param percent how much of the download it has been sent, where that is known
 */
export function courseOf(progress: UpdateProgress, percent: number | undefined): readonly CourseStep[] {
  const { online, asked_at, looked_at } = progress;
  if (asked_at === null) return [];
  const asked: Reached = {
    label: t.asked,
    at: asked_at,
    detail: online ? t.overMessageChannel : t.deviceIsNotOnMessage,
  };
  const update = updateAfter(progress);
  if (looked_at === null) return stepsOf([asked, { label: t.looksForUpdate, at: null }], 1);
  const looked: Reached = {
    label: t.looked,
    at: looked_at,
    detail: update ? t.versionIsOnOffer(update.bundle) : t.thereIsNothingToFetch,
  };
  if (!update) return stepsOf([asked, looked], 2);
  const failed = update.state === 'failed' || update.state === 'superseded';
  const steps: Reached[] = [
    asked,
    looked,
    {
      label: t.downloads,
      at: update.downloading_at,
      ...(update.state === 'downloading' && percent !== undefined && { detail: `${percent} %` }),
    },
    { label: t.restarts, at: update.installed_at },
    {
      label: failed ? common.failed : t.cameBack,
      at: update.finished_at,
      ...(update.reason && { detail: update.reason }),
    },
  ];
  if (failed) {
    return stepsOf(steps, steps.length).map((step, at) => {
      if (at === steps.length - 1) return { ...step, state: 'failed' };
      return step.at === null ? { ...step, state: 'next' } : step;
    });
  }
  const over = { offered: 2, downloading: 2, installed: 3, done: steps.length } as const;
  // Failed and superseded are dealt with above.
  return stepsOf(steps, over[update.state as keyof typeof over]);
}
