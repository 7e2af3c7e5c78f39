import { type RolloutSettingsInput, rolloutsContract, ShapeRecord, usualPollS } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { schemaMistake } from '@moorage/module/model/schema-mistake';
import Type, { type Static, type TSchema } from 'typebox';
import Value from 'typebox/value';
import { type FleetScenario, parseScenario } from '../scenario.ts';

const { bundle_id, title, ...others } = rolloutsContract.create.body.properties;

/** The body with which the API is asked for a rollout; the bundle and a title may be missing. */
const PlannedRollout = Type.Object(
  { ...others, title: Type.Optional(title), bundle_id: Type.Optional(bundle_id) },
  { additionalProperties: false },
);
type PlannedRollout = Static<typeof PlannedRollout>;

function parse<S extends TSchema>(schema: S, json: string): Result<Static<S>, string> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    return failure(`It is not JSON: ${(cause as Error).message}`);
  }
  if (!Value.Check(schema, value)) return failure(schemaMistake(Value.Errors(schema, value), value));
  // Safe: it has just been checked.
  return success(value as Static<S>);
}

/** Reads the file of a planned rollout. The refusal is one sentence that names the first wrong key and its value. */
export const parseRollout = (json: string): Result<PlannedRollout, string> => parse(PlannedRollout, json);

/** Reads what a service has said of the shape of a fleet. The refusal names the first wrong key. */
export const parseShape = (json: string): Result<ShapeRecord, string> => parse(ShapeRecord, json);

type Gate = NonNullable<NonNullable<RolloutSettingsInput['stages']>[number]['gate']>;

/** A gate without those who have to be asked. */
const lonelyGate = ({ ask: _ask, person: _person, signal: _signal, ...gate }: Gate): Gate => gate;

/** Settings as a rehearsal can have them, where nobody is asked and nothing is waited for beforehand; and what it takes for granted. */
export function rehearsable({ approval, start_at, ...settings }: RolloutSettingsInput) {
  const gates = [...(settings.stages ?? []), settings.growth ?? {}].map(({ gate }) => gate ?? {});
  const stages = settings.stages?.map((stage) => (stage.gate ? { ...stage, gate: lonelyGate(stage.gate) } : stage));
  const growth = settings.growth?.gate && { ...settings.growth, gate: lonelyGate(settings.growth.gate) };
  const assumed = [
    ...(approval ? ['It is approved at once'] : []),
    ...(start_at !== undefined ? ['It begins on a Monday at 8:00 UTC'] : []),
    ...(gates.some(({ person }) => person) ? ['People begin the next stage at once'] : []),
    ...(gates.some(({ ask, signal }) => ask ?? signal) ? ['Signals and addresses that are asked say yes at once'] : []),
  ];
  return { settings: { ...settings, ...(stages && { stages }), ...(growth && { growth }) }, assumed };
}

/** Settings that count devices, for as many twins in the place of a fleet; and how they were scaled. */
export function scaledSettings(settings: RolloutSettingsInput, devices: number, twins: number) {
  const { pace, stages } = settings;
  const scaled: string[] = [];
  const scale = (what: string, n: number, least = 1): number => {
    const share = (n * twins) / devices;
    const counted = Math.max(least, Math.round(share));
    if (counted !== n)
      scaled.push(`${what} ${n} to ${counted}${counted > 1.5 * share ? ' (more than its share)' : ''}`);
    return counted;
  };
  const { open, per_minute } = pace ?? {};
  const scaledPace = {
    ...(open !== undefined && { open: scale('"open"', open) }),
    ...(per_minute !== undefined && { per_minute: scale('"per_minute"', per_minute) }),
  };
  // Each stage reaches more than those before it.
  let reached = 0;
  const scaledStages = stages?.map((stage, index) => {
    if (stage.count === undefined) return stage;
    reached = scale(`"count" of stage ${index + 1}`, stage.count, reached + 1);
    return { ...stage, count: reached };
  });
  return {
    settings: { ...settings, ...(pace && { pace: scaledPace }), ...(scaledStages && { stages: scaledStages }) },
    assumed: scaled.length > 0 ? [`${twins} twins stand for ${devices} devices: ${scaled.join(', ')}`] : [],
  };
}

/** What twins do where devices have failed in these ways. Other ways follow from the bundle and the link themselves. */
const faultOf = {
  boot: 'does_not_boot',
  health: 'does_not_boot',
  install: 'does_not_boot',
  contradicted: 'reports_old',
  timed_out_installed: 'never_back',
} as const;

/** Devices that have not been seen for longer than a week, and never, of 100. */
export const silentPercentOf = ({ devices, seen }: ShapeRecord): number =>
  devices === 0 ? 0 : (100 * (seen.longer + seen.never)) / devices;

/**
 * The scenario of a fleet of this shape that gets a version: a group for each version that devices run, with the failures
 * that its rollouts have had. The refusal says why there is none.
 */
export function scenarioOf(shape: ShapeRecord, version: string): Result<FleetScenario, string> {
  const { devices: all, filter, groups, outcomes, poll_interval_s } = shape;
  if (all === 0 && filter !== undefined) return failure('The rollout: "filter" fits no device');
  const shares = new Map<string, number>();
  for (const { devices, version: runs } of groups) {
    if (runs !== version) shares.set(runs ?? '', (shares.get(runs ?? '') ?? 0) + devices);
  }
  if (shares.size === 0) return failure(`No device runs anything else than ${version}`);
  const ended = outcomes.done + Object.values(outcomes.failed).reduce((sum, n) => sum + n, 0);
  // One fault is all that a version can have in a group: the most frequent.
  const [worst] = Object.entries(faultOf)
    .map(([kind, fault]) => ({ version, fault, percent: (100 * (outcomes.failed[kind] ?? 0)) / Math.max(1, ended) }))
    .filter(({ percent }) => percent > 0)
    .sort((one, other) => other.percent - one.percent);
  const scenario = [...shares].slice(0, maxGroups).map(([runs, share]) => ({
    name: runs === '' ? 'unknown version' : runs,
    share,
    poll_s: poll_interval_s ?? usualPollS,
    ...(runs !== '' && { version: runs }),
    ...(worst && { failures: [worst] }),
  }));
  return parseScenario(JSON.stringify({ groups: scenario }));
}

const maxGroups = 50;
