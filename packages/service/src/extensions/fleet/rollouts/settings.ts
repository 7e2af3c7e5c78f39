import {
  type FailureKind,
  type FleetSettings,
  type Refusal,
  type RolloutSettings,
  type RolloutSettingsInput,
  type RolloutStage,
  refusal,
  rolloutTemplates,
  type TemplateName,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Outbound } from '../../../engine/outbound/ports.ts';
import { parseFilter } from '../filters/parse.ts';
import { isZone, longestClosedMs } from './windows.ts';

/** Which hosts may be called. */
export type Targets = Pick<Outbound, 'refusedHost'>;

/** Stages of one rollout. */
const stagesLimit = 20;

const wrong = (key: string, detail: string): Refusal =>
  refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [`settings.${key}`] });

const wrongStage = (index: number, problem: string): Refusal =>
  wrong(`stages.${index}`, `Stage ${index + 1} ${problem}`);

/** The stages of a growth: each is larger by the factor, the last one takes what is left. */
function grown({ start_percent, factor, gate }: NonNullable<RolloutSettingsInput['growth']>): RolloutStage[] {
  const stages: RolloutStage[] = [];
  const gated = gate === undefined ? {} : { gate };
  for (let percent = start_percent; percent < 100 && stages.length < stagesLimit; percent *= factor) {
    stages.push({ percent: Math.round(percent * 1000) / 1000, ...gated });
  }
  return [...stages, {}];
}

/** What is wrong with one stage, beside its size. */
function refuseStage(stage: RolloutStage, index: number, isLast: boolean): Refusal | undefined {
  const { percent, count, filter, gate } = stage;
  const shares = [percent, count, filter].filter((share) => share !== undefined).length;
  if (shares > 1) return wrongStage(index, 'has more than one of percent, count and filter');
  if (isLast && (count !== undefined || filter !== undefined || (percent ?? 100) !== 100)) {
    return wrongStage(index, 'is the last one and takes all that is left');
  }
  if (!isLast && shares === 0) {
    return wrongStage(
      index,
      'has neither a percent nor a count nor a filter; only the last one may take all that is left',
    );
  }
  if (isLast && gate) return wrongStage(index, 'is the last one, and a gate would lead nowhere');
  const parsed = filter === undefined ? undefined : parseFilter(filter);
  if (parsed && !parsed.ok) {
    return { ...parsed.error, validation: { source: 'body', keys: [`settings.stages.${index}.filter`] } };
  }
  return undefined;
}

function refuseStages(stages: readonly RolloutStage[]): Refusal | undefined {
  let percent = 0;
  let count = 0;
  for (const [index, stage] of stages.entries()) {
    const refused = refuseStage(stage, index, index === stages.length - 1);
    if (refused) return refused;
    if ((stage.percent ?? percent + 1) <= percent || (stage.count ?? count + 1) <= count) {
      return wrongStage(index, 'is not larger than the one before it');
    }
    percent = stage.percent ?? percent;
    count = stage.count ?? count;
  }
  return undefined;
}

function refuseWindow({ window, deadlines }: RolloutSettings): Refusal | undefined {
  if (!window) return undefined;
  const empty = window.times.findIndex(({ from, to }) => from === to);
  if (empty >= 0) return wrong(`window.times.${empty}`, `Window ${empty + 1} has no time: it ends as it begins`);
  if (window.zone !== undefined && !isZone(window.zone)) {
    return wrong('window.zone', `There is no time zone "${window.zone}"`);
  }
  const closedS = longestClosedMs(window) / 1000;
  if (window.download_outside && deadlines?.installed_s !== undefined && deadlines.installed_s <= closedS) {
    const detail = `A device that has all files may wait ${closedS} s for the window, longer than the deadline allows`;
    return wrong('deadlines.installed_s', detail);
  }
  return undefined;
}

const deadlineOf = {
  timed_out_offered: 'offered_s',
  timed_out_downloading: 'downloading_s',
  timed_out_installed: 'installed_s',
} as const;

/** Kinds of failure that rules name although no deadline leads to them. */
function refuseKinds({ deadlines, abort = [], retry }: RolloutSettings): Refusal | undefined {
  const needless = (kind: FailureKind | 'any'): boolean => {
    const deadline = Object.hasOwn(deadlineOf, kind) ? deadlineOf[kind as keyof typeof deadlineOf] : undefined;
    return deadline !== undefined && deadline !== 'offered_s' && deadlines?.[deadline] === undefined;
  };
  const rule = abort.findIndex(({ kind }) => needless(kind));
  if (rule >= 0) return wrong(`abort.${rule}.kind`, `No deadline leads to "${abort[rule]?.kind}"`);
  const kind = retry?.kinds?.find(needless);
  return kind && wrong('retry.kinds', `No deadline leads to "${kind}"`);
}

/**
 * What is wrong with the addresses that gates are asked for at: none that can be called, or one of our own network.
 * Refusals: INVALID_REQUEST, TARGET_NOT_ALLOWED, with the place.
 */
export function refuseAddresses({ stages }: RolloutSettings, { refusedHost }: Targets): Refusal | undefined {
  for (const [index, { gate }] of stages.entries()) {
    const url = gate?.ask?.url;
    if (url === undefined) continue;
    const key = `stages.${index}.gate.ask.url`;
    if (!URL.canParse(url)) return wrong(key, `Stage ${index + 1} is asked for at "${url}", which is no address`);
    const host = refusedHost(url);
    if (host === undefined) continue;
    return refusal('TARGET_NOT_ALLOWED', { host }, { source: 'body', keys: [`settings.${key}`] });
  }
  return undefined;
}

/** What is wrong with settings that fit the contract. Refusals: INVALID_REQUEST, INVALID_FILTER, with the place. */
export function refuseSettings(settings: RolloutSettings): Refusal | undefined {
  return refuseStages(settings.stages) ?? refuseWindow(settings) ?? refuseKinds(settings);
}

/**
 * The settings that are meant, with a growth spelt out as its stages. Refusals: INVALID_REQUEST, INVALID_FILTER, with
 * the place. Spec: API-RULE-rollout-5.
 */
export function settingsFrom({ stages, growth, ...rest }: RolloutSettingsInput): Result<RolloutSettings, Refusal> {
  if (stages && growth) return failure(wrong('growth', 'Stages and a growth exclude each other'));
  const all = stages ?? (growth && grown(growth));
  if (!all) return failure(wrong('stages', 'Either stages or a growth are needed'));
  if (all.length > stagesLimit) {
    return failure(wrong('growth.factor', `The growth takes more than ${stagesLimit} stages`));
  }
  const settings = { stages: all, ...rest };
  const refused = refuseSettings(settings);
  return refused ? failure(refused) : success(settings);
}

/** What a request says of its settings, and what its product says where it says nothing. */
export interface SettingsChoice {
  readonly settings?: RolloutSettingsInput;
  readonly template?: TemplateName;
}

/** The settings of a new rollout at a time, epoch ms. Refusals: INVALID_REQUEST, INVALID_FILTER, with the place. */
export function chosenSettings(
  asked: SettingsChoice,
  product: SettingsChoice,
  nowMs: number,
): Result<RolloutSettings, Refusal> {
  if (asked.settings && asked.template !== undefined) {
    return failure(wrong('stages', 'Settings and a template exclude each other'));
  }
  const { settings, template } = asked.settings || asked.template !== undefined ? asked : product;
  const meant = settings ?? (template && rolloutTemplates[template].settings);
  if (!meant) {
    const detail = 'Settings or a template are needed: the product has no default';
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['settings'] }));
  }
  if (meant.start_at !== undefined && meant.start_at <= nowMs)
    return failure(wrong('start_at', 'The start is in the past'));
  return settingsFrom(meant);
}

/**
 * The stage of each device, in the order of the devices. A stage with a filter has those that fit it; the others fill
 * up to their percent or count of all with those that no filter has taken.
 *
 * @param fitting for each device the first stage whose filter it fits, if any
 */
export function stagesOf({ stages }: RolloutSettings, fitting: readonly (number | undefined)[]): number[] {
  const total = fitting.length;
  const sizes = stages.map((_, index) => fitting.filter((stage) => stage === index).length);
  const placed = [...fitting];
  let taken = 0;
  let at = 0;
  for (const [index, { percent, count, filter }] of stages.entries()) {
    taken += sizes[index] ?? 0;
    if (filter !== undefined) continue;
    const isLast = index === stages.length - 1;
    const wanted = isLast ? total : Math.min(total, count ?? Math.ceil((total * (percent ?? 100)) / 100));
    for (; at < total && (isLast || taken < wanted); at++) {
      if (placed[at] !== undefined) continue;
      placed[at] = index;
      taken++;
    }
  }
  // Safe: the last stage takes all that is left.
  return placed.map((stage) => stage ?? stages.length - 1);
}

/** What is wrong with what is said of a fleet. Refusals: INVALID_REQUEST, INVALID_FILTER, with the place. */
export function refuseFleetSettings(
  { zone, template, settings }: FleetSettings,
  targets: Targets,
): Refusal | undefined {
  const refuse = (key: string, detail: string) =>
    refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: [key] });
  if (zone !== null && !isZone(zone)) return refuse('zone', `There is no time zone "${zone}"`);
  if (template !== null && settings !== null) return refuse('template', 'Settings and a template exclude each other');
  if (settings?.start_at !== undefined) return refuse('settings.start_at', 'A default cannot start at a time');
  const meant = settings === null ? undefined : settingsFrom(settings);
  if (!meant) return undefined;
  return meant.ok ? refuseAddresses(meant.value, targets) : meant.error;
}
