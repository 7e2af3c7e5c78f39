import Type, { type Static } from 'typebox';
import { forces, reportedFailures } from '../core/device-updates.ts';
import { tags } from '../core/products.ts';
import { FilterText } from '../fields.ts';
import { ruled } from '../patterns.ts';

/** Why an execution failed. `timed_out` is of the update itself, the others that begin so are of a deadline. */
export const failureKinds = [
  ...reportedFailures,
  'boot',
  'timed_out',
  'timed_out_offered',
  'timed_out_downloading',
  'timed_out_installed',
  'contradicted',
] as const;
export type FailureKind = (typeof failureKinds)[number];

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const Percent = Type.Number({ minimum: 0, maximum: 100 });
/** A time span in seconds, up to 90 days. */
const seconds = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: 7_776_000, description: `seconds ${description}` });
const closed = { additionalProperties: false } as const;

/** A time zone, `Europe/Berlin`. Whether there is such a zone is asked when it is set. */
export const Zone = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  description: 'time zone of the IANA list',
  examples: ['Europe/Berlin'],
});

/** A time of day. */
const TimeOfDay = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', maxLength: 5, description, examples: ['22:00'] });

/** What has to hold after a stage, all of it, before the next one opens. */
const Gate = Type.Object(
  {
    done_percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'of the stage run the bundle; 100 without it' }),
    ),
    failed_percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'of those that ended, at most, have failed' }),
    ),
    soak_s: Type.Optional(seconds(0, 'that this has to hold for')),
    person: Type.Optional(Type.Boolean({ description: 'a person has to open the next stage' })),
    signal: Type.Optional(
      Type.Object({ within_s: seconds(1, 'in which POST …/signal has to say yes; then it pauses') }, closed),
    ),
    ask: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            maxLength: 2048,
            pattern: '^https?://[^\\s@\\u0000]+$',
            ...ruled({ format: 'uri' }),
            description: 'is sent the stage and its counts each minute, and answers {"pass": true} or {"pass": false}',
            examples: ['https://example.com/may-go-on'],
          }),
          within_s: seconds(1, 'in which it has to say yes; then the rollout pauses'),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type Gate = Static<typeof Gate>;

/** A share of the rollout. The last stage takes all that is left. */
const Stage = Type.Object(
  {
    percent: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'of all devices, in total' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'devices, in total' })),
    filter: Type.Optional(FilterText),
    gate: Type.Optional(Gate),
  },
  closed,
);
export type RolloutStage = Static<typeof Stage>;

const stages = Type.Array(Stage, { minItems: 1, maxItems: 20 });

/** Stages that grow by a factor, each with the same gate, until they have all devices. */
const Growth = Type.Object(
  {
    start_percent: Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'of all devices in the first stage' }),
    factor: Type.Number({ minimum: 1.1, maximum: 100, description: 'of each stage to the one before it' }),
    gate: Type.Optional(Gate),
  },
  closed,
);

const Abort = Type.Object(
  {
    kind: Type.Enum([...failureKinds, 'any'], { description: 'timed_out has all that begin so' }),
    percent: Percent,
    min: Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'devices that have to have ended before' }),
    action: Type.Enum(['pause', 'abort', 'roll_back']),
  },
  closed,
);

const common = {
  pace: Type.Optional(
    Type.Object(
      {
        open: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'open updates at a time' })),
        per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'devices per minute' })),
      },
      closed,
    ),
  ),
  abort: Type.Optional(Type.Array(Abort, { maxItems: 10 })),
  deadlines: Type.Optional(
    Type.Object(
      {
        offered_s: Type.Optional(seconds(60, 'from the offer to the first file')),
        downloading_s: Type.Optional(seconds(60, 'from the first file to all files')),
        installed_s: Type.Optional(seconds(60, 'from all files to the report of the new version')),
      },
      closed,
    ),
  ),
  retry: Type.Optional(
    Type.Object(
      {
        count: Type.Integer({ minimum: 0, maximum: 10 }),
        back_off_s: Type.Integer({ minimum: 0, maximum: 2_592_000, description: 'seconds before the next attempt' }),
        kinds: Type.Optional(Type.Array(Type.Enum([...failureKinds]), { minItems: 1, maxItems: failureKinds.length })),
      },
      closed,
    ),
  ),
  penalty: Type.Optional(
    Type.Object(
      {
        failures: Type.Integer({ minimum: 1, maximum: 100, description: 'rollouts in which a device has failed' }),
        rest_s: seconds(1, 'from its last failure that it rests for'),
      },
      closed,
    ),
  ),
  window: Type.Optional(
    Type.Object(
      {
        times: Type.Array(
          Type.Object(
            {
              days: Type.Array(Type.Enum([...weekdays]), { minItems: 1, maxItems: 7 }),
              from: TimeOfDay('local time at which it begins on these days'),
              to: TimeOfDay('local time at which it ends; on the next day when that is not after its begin'),
            },
            closed,
          ),
          { minItems: 1, maxItems: 14 },
        ),
        zone: Type.Optional(Zone),
        download_outside: Type.Optional(
          Type.Boolean({ description: 'devices are offered the bundle at any time, and install it in the window' }),
        ),
      },
      {
        ...closed,
        description: 'in the zone of the device (label "tz"), else this one, else that of the product, else UTC',
      },
    ),
  ),
  probation_s: Type.Optional(seconds(1, 'that a device has to stay with the bundle before it counts as done')),
  approval: Type.Optional(
    Type.Boolean({ description: 'another manager has to approve the start, no service account' }),
  ),
  start_at: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991, description: 'epoch ms; at once without it' }),
  ),
  force: Type.Optional(
    Type.Enum([...forces], { description: 'soft waits for the consent of the device where it can give one' }),
  ),
  force_at: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9_007_199_254_740_991,
      description: 'epoch ms from which a soft update is forced',
    }),
  ),
  download_only: Type.Optional(
    Type.Boolean({ description: 'devices fetch the bundle and wait with it, for as long as the rollout says so' }),
  ),
  then_tag: Type.Optional(Type.Enum([...tags], { description: 'tag that the bundle gets when all is done' })),
};

/** What is said of a rollout. Whatever else is sent is refused: it would look as if it had an effect. */
export const RolloutSettings = Type.Object({ stages, ...common }, closed);
export type RolloutSettings = Static<typeof RolloutSettings>;

/** What can be asked of a rollout: its stages, or how they grow. */
export const RolloutSettingsInput = Type.Object(
  { stages: Type.Optional(stages), growth: Type.Optional(Growth), ...common },
  closed,
);
export type RolloutSettingsInput = Static<typeof RolloutSettingsInput>;

export const templateNames = ['careful', 'office_hours', 'at_once'] as const;
export type TemplateName = (typeof templateNames)[number];

interface Template {
  readonly title: string;
  readonly summary: string;
  readonly settings: RolloutSettingsInput;
}

const stopAt = (percent: number, min: number) => [{ kind: 'any' as const, percent, min, action: 'pause' as const }];
const afterADay = { done_percent: 90, failed_percent: 5, soak_s: 86_400 };

/** Ready settings for those who do not want to choose each. Reference: rules 6.7. */
export const rolloutTemplates: Readonly<Record<TemplateName, Template>> = {
  careful: {
    title: 'Careful',
    summary: '1 %, 10 %, 50 %, then all, a day between; pauses when 5 % fail',
    settings: {
      stages: [{ percent: 1, gate: afterADay }, { percent: 10, gate: afterADay }, { percent: 50, gate: afterADay }, {}],
      abort: stopAt(5, 10),
      retry: { count: 2, back_off_s: 3_600 },
      deadlines: { downloading_s: 86_400, installed_s: 86_400 },
      probation_s: 3_600,
    },
  },
  office_hours: {
    title: 'Office hours',
    summary: '10 %, then all, Monday to Friday from 9 to 17 where the device is; pauses when 5 % fail',
    settings: {
      stages: [{ percent: 10, gate: { done_percent: 90, failed_percent: 5, soak_s: 3_600 } }, {}],
      window: { times: [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }] },
      abort: stopAt(5, 10),
      retry: { count: 1, back_off_s: 3_600 },
    },
  },
  at_once: {
    title: 'At once',
    summary: 'All devices; pauses when 2 % of 50 or more fail',
    settings: { stages: [{}], abort: stopAt(2, 50) },
  },
};
