import type { RolloutSettings, Tag, TemplateName } from '@moorage/api';
import { t } from '../../texts/rollouts.ts';
import { finished } from './filter-rows.ts';

/** What the guided start asks for, as it is typed: a number that is none is not given. */
export interface Draft {
  /** Where its settings come from: typed here, of its product, or a template. */
  readonly way: 'own' | 'default' | TemplateName;
  readonly productId: string | null;
  readonly bundleId: string | null;
  readonly title: string;
  readonly filter: string;
  /** Percent of all devices that have been reached after each stage but the last. */
  readonly stages: readonly number[];
  readonly donePercent: number | string;
  readonly failedPercent: number | string;
  readonly soakMinutes: number | string;
  readonly person: boolean;
  readonly stopAt: number | string;
  readonly stopMin: number | string;
  readonly stopAction: 'pause' | 'abort' | 'roll_back';
  readonly open: number | string;
  readonly perMinute: number | string;
  readonly retries: number | string;
  readonly thenTag: Tag | null;
}

/** Careful without being asked: a tenth first, and a stop before many are broken. */
export const firstDraft: Draft = {
  way: 'own',
  productId: null,
  bundleId: null,
  title: '',
  filter: '',
  stages: [10, 50],
  donePercent: '',
  failedPercent: 5,
  soakMinutes: '',
  person: false,
  stopAt: 10,
  stopMin: 5,
  stopAction: 'pause',
  open: '',
  perMinute: '',
  retries: 0,
  thenTag: null,
};

const retryAfterS = 600;

const isNumber = (typed: number | string): boolean => typed !== '' && !Number.isNaN(Number(typed));

/** The settings of a draft as the service takes them. */
export function settingsOf(draft: Draft): RolloutSettings {
  const gate = {
    ...(isNumber(draft.donePercent) && { done_percent: Number(draft.donePercent) }),
    ...(isNumber(draft.failedPercent) && { failed_percent: Number(draft.failedPercent) }),
    ...(Number(draft.soakMinutes) > 0 && { soak_s: Math.round(60 * Number(draft.soakMinutes)) }),
    ...(draft.person && { person: true }),
  };
  const pace = {
    ...(isNumber(draft.open) && { open: Number(draft.open) }),
    ...(isNumber(draft.perMinute) && { per_minute: Number(draft.perMinute) }),
  };
  const abort = {
    percent: Number(draft.stopAt),
    min: Math.max(1, Number(draft.stopMin) || 1),
    action: draft.stopAction,
  };
  const count = Number(draft.retries);
  return {
    stages: [...draft.stages.map((percent) => ({ percent, gate })), {}],
    ...(Object.keys(pace).length > 0 && { pace }),
    ...(isNumber(draft.stopAt) && { abort: [{ kind: 'any' as const, ...abort }] }),
    ...(count > 0 && { retry: { count, back_off_s: retryAfterS } }),
    ...(draft.thenTag && { then_tag: draft.thenTag }),
  };
}

/** What is wrong with stages, in a sentence; `undefined` when nothing is. */
export function stagesProblem(stages: readonly number[]): string | undefined {
  for (const [index, percent] of stages.entries()) {
    if (!(percent > 0 && percent < 100)) return t.stageNeedsPercentageBetween0(index + 1);
    const before = stages[index - 1];
    if (before !== undefined && percent <= before) return t.stageHasToReachMore(index + 1, index);
  }
  return undefined;
}

/** What is wrong with the filter or settings of a draft, in a sentence; those that are not typed here are right. */
export const draftProblem = ({ way, stages, filter }: Draft): string | undefined =>
  finished(filter) ?? (way === 'own' ? stagesProblem(stages) : undefined);
