import { readFile } from 'node:fs/promises';
import { type RolloutSettings, type TemplateName, tags, templateNames } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { FieldSources } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';
import type { Resolved } from '../command-line/options.ts';
import { wordOf } from '../command-line/words.ts';

/** What can be said of a rollout in flags; `--settings` has all that the API knows. */
export const settingsOptions = {
  template: {
    kind: 'text',
    placeholder: 'NAME',
    help: `ready settings instead of the flags below: ${templateNames.join(', ')}; "default" for those of the product`,
  },
  stages: {
    kind: 'text',
    placeholder: 'SHARES',
    help: 'devices that have been reached after each stage: 1%,10%,all or 5,50,all',
  },
  'gate-done': { kind: 'text', placeholder: 'PERCENT', help: 'of a stage that run the bundle before the next begins' },
  'gate-failed': {
    kind: 'text',
    placeholder: 'PERCENT',
    help: 'of a stage that may have failed for the next to begin',
  },
  soak: { kind: 'text', placeholder: 'TIME', help: 'how long a gate has to hold: 90s, 10m, 2h, 1d' },
  'by-hand': { kind: 'switch', help: 'a person begins each next stage' },
  open: { kind: 'count', placeholder: 'DEVICES', help: 'updates that may be under way at a time' },
  'per-minute': { kind: 'count', placeholder: 'DEVICES', help: 'updates that may begin in a minute' },
  'stop-at': {
    kind: 'text',
    placeholder: 'PERCENT',
    help: 'of the devices that have ended: if they failed, the rollout stops',
  },
  'stop-min': {
    kind: 'count',
    placeholder: 'DEVICES',
    default: 10,
    help: 'that have to have ended for --stop-at to count',
  },
  'stop-action': {
    kind: 'text',
    placeholder: 'ACTION',
    default: 'pause',
    help: 'what --stop-at does: pause, abort or roll_back',
  },
  retries: { kind: 'count', placeholder: 'NUMBER', help: 'further attempts of a device that failed' },
  'retry-after': {
    kind: 'text',
    placeholder: 'TIME',
    default: '10m',
    help: 'before the first of --retries; then twice as long each time',
  },
  'then-tag': { kind: 'text', placeholder: 'TAG', help: `that the bundle gets when all is done: ${tags.join(', ')}` },
  settings: {
    kind: 'text',
    placeholder: 'FILE',
    help: 'JSON file with the settings as the API has them, instead of the flags above',
  },
} as const;

type SettingsFlags = Resolved<typeof settingsOptions>;

/** Which flags fields of a request come from. */
export const settingsSources = ({ settings, template }: Pick<SettingsFlags, 'settings' | 'template'>): FieldSources =>
  settings !== undefined || template !== undefined
    ? [['settings', settings === undefined ? 'Option --template' : 'Option --settings']]
    : [
        ['settings.pace.open', 'Option --open'],
        ['settings.pace.per_minute', 'Option --per-minute'],
        ['settings.abort', 'Option --stop-at'],
        ['settings.retry', 'Option --retries'],
        ['settings.then_tag', 'Option --then-tag'],
        ['settings', 'Option --stages'],
      ];

const secondsOf: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** A time in seconds. The error names the option. */
export function readSeconds(option: string, text: string): Result<number, string> {
  const [, digits, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitS = secondsOf[unit];
  if (digits === undefined || unitS === undefined)
    return failure(`Option --${option} is "${text}", not a time such as 90s, 10m, 2h or 1d`);
  return success(Number(digits) * unitS);
}

function readPercent(option: string, text: string): Result<number, string> {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,3})?)%?$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) > 100)
    return failure(`Option --${option} is "${text}", not a percentage of 0 to 100`);
  return success(Number(digits));
}

type Stage = RolloutSettings['stages'][number];

function readStage(share: string): Stage | undefined {
  if (share === 'all') return {};
  if (/^\d{1,8}$/.test(share)) return { count: Number(share) };
  const percent = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(share)?.[1];
  return percent === undefined ? undefined : { percent: Number(percent) };
}

/** Stages with the same gate between all of them. */
function readStages(text: string, gate: Stage['gate']): Result<Stage[], string> {
  const shares = text.split(',').map((share) => share.trim());
  const stages: Stage[] = [];
  for (const [index, share] of shares.entries()) {
    const stage = readStage(share);
    if (!stage) return failure(`Option --stages is "${text}": "${share}" is no share such as 10%, 50 or all`);
    const isLast = index === shares.length - 1;
    stages.push({ ...stage, ...(gate && !isLast && { gate }) });
  }
  return success(stages);
}

const actions = ['pause', 'abort', 'roll_back'] as const;

/** The value of a flag that was given; what was not given stays undefined. */
const given = <T>(
  text: string | undefined,
  option: string,
  read: (option: string, text: string) => Result<T, string>,
): Result<T | undefined, string> => (text === undefined ? success(undefined) : read(option, text));

function readGate(flags: SettingsFlags): Result<Stage['gate'], string> {
  const done = given(flags['gate-done'], 'gate-done', readPercent);
  if (!done.ok) return done;
  const failed = given(flags['gate-failed'], 'gate-failed', readPercent);
  if (!failed.ok) return failed;
  const soak = given(flags.soak, 'soak', readSeconds);
  if (!soak.ok) return soak;
  const gate = {
    ...(done.value !== undefined && { done_percent: done.value }),
    ...(failed.value !== undefined && { failed_percent: failed.value }),
    ...(soak.value !== undefined && { soak_s: soak.value }),
    ...(flags['by-hand'] && { person: true }),
  };
  return success(Object.keys(gate).length > 0 ? gate : undefined);
}

function readAbort(flags: SettingsFlags): Result<RolloutSettings['abort'], string> {
  const at = given(flags['stop-at'], 'stop-at', readPercent);
  if (!at.ok) return at;
  if (at.value === undefined) return success(undefined);
  const action = actions.find((one) => one === flags['stop-action']);
  if (!action) return failure(`Option --stop-action is "${flags['stop-action']}", not one of ${actions.join(', ')}`);
  if (flags['stop-min'] < 1) return failure('Option --stop-min is 0, not a number of devices');
  return success([{ kind: 'any', percent: at.value, min: flags['stop-min'], action }]);
}

/** The settings that flags describe. The error names the flag that is wrong or missing. */
export function settingsOf(flags: SettingsFlags): Result<RolloutSettings, string> {
  if (flags.stages === undefined) {
    return failure('Option --stages is missing: 1%,10%,all for example; or --template careful');
  }
  const gate = readGate(flags);
  if (!gate.ok) return gate;
  const stages = readStages(flags.stages, gate.value);
  if (!stages.ok) return stages;
  const abort = readAbort(flags);
  if (!abort.ok) return abort;
  const after = readSeconds('retry-after', flags['retry-after']);
  if (!after.ok) return after;
  const tag = flags['then-tag'];
  const then_tag = tags.find((one) => one === tag);
  if (tag !== undefined && !then_tag) return failure(`Option --then-tag is "${tag}", not one of ${tags.join(', ')}`);
  const { open, retries } = flags;
  const perMinute = flags['per-minute'];
  const pace = { ...(open !== undefined && { open }), ...(perMinute !== undefined && { per_minute: perMinute }) };
  return success({
    stages: stages.value,
    ...(Object.keys(pace).length > 0 && { pace }),
    ...(abort.value && { abort: abort.value }),
    ...(retries !== undefined && { retry: { count: retries, back_off_s: after.value } }),
    ...(then_tag && { then_tag }),
  });
}

/** What a new rollout is asked for with: settings, a template, or neither for those of its product. */
export type SettingsChoice = { readonly settings: RolloutSettings } | { readonly template?: TemplateName };

/** The settings that a command was given. @throws {UserError} naming what is wrong */
export async function readSettings(flags: SettingsFlags): Promise<SettingsChoice> {
  const { settings: path, template } = flags;
  const ways = { stages: flags.stages, settings: path, template };
  const [one, other] = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : name));
  if (one !== undefined && other !== undefined) {
    throw new UserError(`Option --${other} has the stages, too: leave --${one} out`, 2);
  }
  if (template !== undefined) {
    const name = wordOf([...templateNames, 'default'], template, 'Option --template');
    return name === 'default' ? {} : { template: name };
  }
  if (path === undefined) {
    const settings = settingsOf(flags);
    if (!settings.ok) throw new UserError(settings.error, 2);
    return { settings: settings.value };
  }
  try {
    // The service checks what it holds, and says what is wrong with which field.
    return { settings: JSON.parse(await readFile(path, 'utf8')) as RolloutSettings };
  } catch (error) {
    throw new UserError(`Option --settings is "${path}": ${(error as Error).message}`, 2, { cause: error });
  }
}
