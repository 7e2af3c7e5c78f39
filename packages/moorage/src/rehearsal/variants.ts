import { type RehearsalVariant, type RolloutSettingsInput, rehearsalVariants, usualPollS } from '@moorage/api';
import type { Rehearsal } from './run.ts';

type Change = (settings: RolloutSettingsInput, asksPerMinute: number) => RolloutSettingsInput | undefined;
type Gate = NonNullable<NonNullable<RolloutSettingsInput['stages']>[number]['gate']>;

/** Seconds that a gate waits at most, as the contract has it. */
const longestSoakS = 7_776_000;

const slower = (gate: Gate): Gate =>
  gate.soak_s === undefined ? gate : { ...gate, soak_s: Math.min(longestSoakS, 2 * gate.soak_s) };

const withGate = <T extends { readonly gate?: Gate }>(stage: T): T =>
  stage.gate ? { ...stage, gate: slower(stage.gate) } : stage;

/** What each changes; `undefined` where that makes no difference. */
const changes: Readonly<Record<RehearsalVariant, Change>> = {
  half_pace(settings, asksPerMinute) {
    // Without a pace devices get it as fast as they ask.
    const now = Math.min(asksPerMinute, settings.pace?.per_minute ?? Number.POSITIVE_INFINITY);
    const per_minute = Math.max(1, Math.floor(now / 2));
    return per_minute < now ? { ...settings, pace: { ...settings.pace, per_minute } } : undefined;
  },
  slow_gates({ growth, stages, ...settings }) {
    const gates = [...(stages ?? []), growth ?? {}].map(({ gate }) => gate?.soak_s ?? 0);
    if (!gates.some((soakS) => soakS > 0)) return undefined;
    return {
      ...settings,
      ...(stages && { stages: stages.map(withGate) }),
      ...(growth && { growth: withGate(growth) }),
    };
  },
  at_once: ({ growth, stages, ...settings }) =>
    growth || (stages ?? []).length > 1 ? { ...settings, stages: [{}] } : undefined,
};

/** Devices that ask in a minute when all go on as they are set. */
function asksPerMinuteOf({ devices, pollS = usualPollS, scenario: { groups } }: Rehearsal): number {
  const shares = groups.reduce((sum, { share }) => sum + share, 0);
  return groups.reduce((sum, { poll_s = pollS, share }) => sum + (devices * share * 60) / shares / poll_s, 0);
}

/** The same rehearsal with other settings: each shows which of them matter. */
export function variantsOf(rehearsal: Rehearsal) {
  const { settings } = rehearsal.rollout;
  const asksPerMinute = asksPerMinuteOf(rehearsal);
  return rehearsalVariants.flatMap((name) => {
    const changed = settings && changes[name](settings, asksPerMinute);
    if (!changed) return [];
    return [{ settings: name, rehearsal: { ...rehearsal, rollout: { ...rehearsal.rollout, settings: changed } } }];
  });
}
