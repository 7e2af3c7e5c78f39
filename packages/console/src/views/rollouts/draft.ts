import type { RolloutSettings, Tag, TemplateName } from '@moorage/api';
import { t } from '../../texts/rollouts.ts';

/** What the guided start asks for, as it is typed. */
export interface Draft {
  /** Where its settings come from: typed here, of its product, or a template. */
  readonly way: 'own' | 'default' | TemplateName;
  readonly productId: string | null;
  readonly bundleId: string | null;
  readonly title: string;
  readonly filter: string;
  /** Percent of all devices that have been reached after each stage but the last. */
  readonly stages: readonly number[];
  readonly donePercent: number | '';
  readonly failedPercent: number | '';
  readonly soakMinutes: number | '';
  readonly person: boolean;
  readonly stopAt: number | '';
  readonly stopMin: number;
  readonly stopAction: 'pause' | 'abort' | 'roll_back';
  readonly open: number | '';
  readonly perMinute: number | '';
  readonly retries: number;
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

/** The settings of a draft as the service takes them. */
export function settingsOf(draft: Draft): RolloutSettings {
  const gate = {
    ...(draft.donePercent !== '' && { done_percent: draft.donePercent }),
    ...(draft.failedPercent !== '' && { failed_percent: draft.failedPercent }),
    ...(draft.soakMinutes !== '' && draft.soakMinutes > 0 && { soak_s: Math.round(60 * draft.soakMinutes) }),
    ...(draft.person && { person: true }),
  };
  const pace = {
    ...(draft.open !== '' && { open: draft.open }),
    ...(draft.perMinute !== '' && { per_minute: draft.perMinute }),
  };
  const { stopAt, stopMin, stopAction } = draft;
  return {
    stages: [...draft.stages.map((percent) => ({ percent, gate })), {}],
    ...(Object.keys(pace).length > 0 && { pace }),
    ...(stopAt !== '' && { abort: [{ kind: 'any' as const, percent: stopAt, min: stopMin, action: stopAction }] }),
    ...(draft.retries > 0 && { retry: { count: draft.retries, back_off_s: retryAfterS } }),
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

/** Width of each stage in percent of all devices, the last one included. */
export const stageWidths = (stages: readonly number[]): number[] =>
  [...stages, 100].map((percent, index) => Math.max(0, percent - (stages[index - 1] ?? 0)));

/** What is wrong with the settings of a draft, in a sentence; those that are not typed here are right. */
export const draftProblem = ({ way, stages }: Draft): string | undefined =>
  way === 'own' ? stagesProblem(stages) : undefined;
