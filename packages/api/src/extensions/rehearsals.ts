import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Nullable, Timestamp } from '../fields.ts';
import { rolloutStates } from './rollouts.ts';

/** States of a rehearsal. */
export const rehearsalStates = ['running', 'done', 'failed'] as const;
export type RehearsalState = (typeof rehearsalStates)[number];

/** Rehearsals of one rollout that are kept, the newest ones. Spec: API-LIMIT-rehearsals. */
export const rehearsalsKept = 10;

/** What the runs of a rehearsal are judged by; shares are of its devices, in percent, times in hours. */
export const rehearsalMetrics = [
  'reached_before_abort',
  'reached',
  'done',
  'failed',
  'half',
  'most',
  'nearly_all',
  'peak_polls',
  'peak_bytes',
] as const;
export type RehearsalMetric = (typeof rehearsalMetrics)[number];

/** Settings with which a rollout is rehearsed again: half the pace, gates that wait twice as long, all devices in one stage. */
export const rehearsalVariants = ['half_pace', 'slow_gates', 'at_once'] as const;
export type RehearsalVariant = (typeof rehearsalVariants)[number];

const count = Type.Integer({ minimum: 0 });
const seconds = Nullable(
  Type.Number({ description: 'seconds from the start of the rollout; null when it never came' }),
);

const RehearsalSpread = Type.Object(
  { least: Nullable(Type.Number()), mean: Nullable(Type.Number()), most: Nullable(Type.Number()) },
  { description: 'over all runs; null for what did not come' },
);
export type RehearsalSpread = Static<typeof RehearsalSpread>;

const Spreads = Type.Object(
  // Safe: every metric gets its spread.
  Object.fromEntries(rehearsalMetrics.map((name) => [name, RehearsalSpread])) as Record<
    RehearsalMetric,
    typeof RehearsalSpread
  >,
);

const RehearsalRun = Type.Object({
  seed: Type.String(),
  state: Type.Enum([...rolloutStates]),
  ended_s: Type.Number({ description: 'seconds from the start of the rollout' }),
  stages: Type.Array(
    Type.Object({ devices: count, opened_s: seconds, ready_s: seconds, passed_s: seconds, done: count, failed: count }),
  ),
  stop: Nullable(
    Type.Object(
      {
        state: Type.Enum([...rolloutStates]),
        reason: Type.String(),
        at_s: Type.Number(),
        stage: count,
        reached: Type.Integer({ description: 'devices that had been offered the bundle by then' }),
      },
      { description: 'how it stopped by itself' },
    ),
  ),
  devices: count,
  done: count,
  failed: count,
  reached: count,
  half_s: seconds,
  most_s: seconds,
  nearly_all_s: seconds,
  failures: Type.Array(Type.Object({ kind: Type.String(), group: Type.String(), stage: count, devices: count })),
  load: Type.Object({ requests: count, polls: count, bytes: count, peakPolls: count, peakBytes: count }),
});

/** What a rehearsal has shown. */
export const RehearsalReport = Type.Object({
  title: Type.String(),
  bundle: Type.String({ description: 'version of the bundle' }),
  devices: Type.Integer({ description: 'twins' }),
  assumed: Type.Array(Type.String(), { description: 'what it takes for granted' }),
  spread: Spreads,
  compared: Type.Array(Type.Object({ settings: Type.Enum([...rehearsalVariants]), spread: Spreads }), {
    description: 'the same with other settings',
  }),
  runs: Type.Array(RehearsalRun),
});
export type RehearsalReport = Static<typeof RehearsalReport>;

export const RehearsalRecord = Type.Object({
  number: Type.Integer({ minimum: 1, description: 'among those of its rollout' }),
  state: Type.Enum([...rehearsalStates]),
  reason: Nullable(Type.String({ description: 'why it has failed' })),
  percent: Type.Integer({ minimum: 0, maximum: 100, description: 'how far it is' }),
  devices: Type.Integer({ description: 'twins' }),
  seeds: Type.Integer({ description: 'runs' }),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
});
export type RehearsalRecord = Static<typeof RehearsalRecord>;

const RehearsalDetail = Type.Object({ ...RehearsalRecord.properties, report: Nullable(RehearsalReport) });

const byNumber = { number: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) };
const path = '/api/rollouts/{rollout_id}/rehearsals';
const shared = {
  tag: 'Fleet',
  scope: 'operate',
  limited: ['rollout_id'],
  access: 'product.fleet',
} as const;

/** A rollout run on twins of its fleet before it is run on devices. */
export const rehearsalsContract = endpoints(shared, {
  start: {
    route: `POST ${path}`,
    audit: { what: 'rollout', id: 'params.rollout_id' },
    spec: ['API-LIMIT-rehearsals'],
    summary: 'Rehearse a rollout on twins of its fleet, in virtual time; one rehearsal runs at a time',
    body: Type.Object({
      devices: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, default: 200, description: 'twins' })),
      seeds: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10, default: 3, description: 'runs, each with other chances' }),
      ),
      compare: Type.Optional(
        Type.Boolean({ default: false, description: 'the same with other settings, too: takes several times as long' }),
      ),
      scenario: Type.Optional(
        Type.Object(
          {},
          {
            additionalProperties: true,
            description: 'what the twins are and have to bear, instead of what the fleet is like',
          },
        ),
      ),
    }),
    bodyLimitBytes: 256 * 1024,
    reply: RehearsalRecord,
    errors: [400, 401, 403, 404, 409, 503],
  },
  list: {
    route: `GET ${path}`,
    summary: 'List the rehearsals of a rollout, the newest first',
    reply: Type.Array(RehearsalRecord),
  },
  get: {
    route: `GET ${path}/{number}`,
    summary: 'One rehearsal, with its report',
    params: byNumber,
    reply: RehearsalDetail,
  },
  page: {
    route: `GET ${path}/{number}/page`,
    summary: 'The report of a rehearsal as one page',
    params: byNumber,
    reply: binary('text/html'),
  },
  remove: {
    route: `DELETE ${path}/{number}`,
    audit: { what: 'rollout', id: 'params.rollout_id', read: 'get' },
    summary: 'Remove a rehearsal; one that runs ends',
    params: byNumber,
  },
});
