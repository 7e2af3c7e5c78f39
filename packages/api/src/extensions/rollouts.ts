import Type, { type Static } from 'typebox';
import { tags } from '../core/products.ts';
import { endpoints } from '../endpoint.ts';
import { FilterText, Id, Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';
import { holdsContract } from './holds.ts';
import { RolloutSettings, RolloutSettingsInput, templateNames } from './rollout-settings.ts';

/** States of a rollout. Reference: rules 6.5. */
export const rolloutStates = [
  'draft',
  'awaiting_approval',
  'scheduled',
  'running',
  'paused',
  'finished',
  'aborted',
  'cancelled',
  'rolled_back',
] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** States of one device in one rollout. */
export const executionStates = [
  'waiting',
  'offered',
  'downloading',
  'installed',
  'probation',
  'done',
  'failed',
  'skipped',
  'left',
  'overtaken',
] as const;
export type ExecutionState = (typeof executionStates)[number];

/** Why a device is skipped. */
export const skipReasons = ['blocked', 'pinned'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a device has left: it is on another product, was reset, does not fit the filter, or a person has left it out. */
export const leaveReasons = ['elsewhere', 'reset', 'unmatched', 'left_out'] as const;
export type LeaveReason = (typeof leaveReasons)[number];

const ask = {
  title: Text(128, { minLength: 1 }),
  bundle_id: Id,
  filter: Type.Optional(FilterText),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, default: 0 })),
  settings: Type.Optional(RolloutSettingsInput),
  template: Type.Optional(
    Type.Enum([...templateNames], {
      description: 'ready settings instead of own ones; those of the product without either',
    }),
  ),
};

const Counts = Type.Object(
  Object.fromEntries(executionStates.map((state) => [state, Type.Integer({ minimum: 0 })])) as Record<
    ExecutionState,
    Type.TInteger
  >,
);

const StageRecord = Type.Object({
  total: Type.Integer({ description: 'devices of the stage' }),
  state: Type.Enum(['waiting', 'open', 'passed', 'stopped'], {
    description: 'stopped: its rollout ended before it was passed',
  }),
  counts: Counts,
  failures: Type.Record(Type.String(), Type.Integer(), { description: 'failed devices by kind' }),
});

/** How far an abort rule is from being met. */
const AbortMeter = Type.Object({
  failed: Type.Integer({ minimum: 0, description: 'devices that failed in the way of the rule' }),
  ended: Type.Integer({ minimum: 0, description: 'devices that have ended, in whatever way' }),
  floor: Type.Number({ description: 'lower bound of the share of failures, percent, 95 % sure' }),
});
export type AbortMeter = Static<typeof AbortMeter>;

/** What a person may do with a rollout. */
export const rolloutActions = [
  'start',
  'approve',
  'reject',
  'pause',
  'resume',
  'pass',
  'abort',
  'cancel',
  'roll_back',
] as const;
export type RolloutAction = (typeof rolloutActions)[number];

/** Record of a rollout. */
export const RolloutRecord = Type.Object({
  id: Id,
  product_id: Id,
  product: Type.String({ description: 'full code' }),
  bundle_id: Id,
  bundle: Type.String({ description: 'version of the bundle, also of one that has been trashed' }),
  title: Type.String(),
  filter: Nullable(Type.String()),
  priority: Type.Integer(),
  settings: RolloutSettings,
  state: Type.Enum([...rolloutStates]),
  reason: Nullable(Type.String({ description: 'why it is paused or has ended' })),
  stage: Type.Integer({ description: 'number of the open stage; the first is 0' }),
  stages: Type.Array(StageRecord),
  abort: Type.Array(AbortMeter, { description: 'one for each abort rule of the settings, in their order' }),
  can_still: Type.Object(
    {
      ends: Type.Array(Type.Enum([...rolloutStates]), { description: 'ends that it can still come to' }),
      devices: Type.Integer({ description: 'devices of its open stages that have not ended: they may ask or report' }),
      actions: Type.Array(Type.Enum([...rolloutActions]), { description: 'what a person may do with it now' }),
    },
    { description: 'what can still happen, beside what is due at `due_at`' },
  ),
  created_by: Nullable(Id),
  approved_by: Nullable(Id),
  due_at: Nullable(Type.String({ description: 'epoch milliseconds; when it is looked at by itself next' })),
  created_at: Timestamp,
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
});
export type RolloutRecord = Static<typeof RolloutRecord>;

export const ExecutionRecord = Type.Object({
  device_id: Id,
  device: Type.String({ description: 'title of the device' }),
  stage: Type.Integer(),
  state: Type.Enum([...executionStates]),
  kind: Nullable(Type.String({ description: 'kind of the failure, or why it was skipped, has left or stays' })),
  attempt: Type.Integer(),
  update_id: Nullable(Type.Integer()),
  bundle: Nullable(Type.String({ description: 'version that the rollout has brought it; null for none' })),
  can_still: Type.Array(Type.Enum([...executionStates]), {
    description: 'ends that it can still come to without a retry; none for one that stays as it is',
  }),
  changed_at: Timestamp,
});
export type ExecutionRecord = Static<typeof ExecutionRecord>;

/** What can be asked of a product before it is done. */
export const reachChanges = ['tag', 'untag', 'rollout', 'pin', 'unpin', 'freeze', 'thaw'] as const;
export type ReachChange = (typeof reachChanges)[number];

/** Why a device that a change is about does not move. */
export const reachOuts = ['blocked', 'frozen', 'pinned', 'rollout', 'overtaken', 'nothing'] as const;
export type ReachOut = (typeof reachOuts)[number];

const warnings = {
  platform: Type.Integer({ description: 'of those that move, devices of another platform than the product' }),
  flash: Type.Integer({ description: 'of those that move, devices with less free flash than the bundle has bytes' }),
  unseen: Type.Integer({ description: 'of those that move, devices not seen for 7 days' }),
};
const ReachWarnings = Type.Object(warnings);
export type ReachWarnings = Static<typeof ReachWarnings>;

const ReachedRollout = Type.Object({
  stages: Type.Array(Type.Object({ devices: Type.Integer({ description: 'devices of the stage' }), ...warnings })),
  at_worst: Type.Object(
    {
      devices: Type.Integer({ description: 'offered it at most until the rollout stops by itself' }),
      stops: Type.Boolean({ description: 'a gate or an abort rule stops it before it has all' }),
    },
    { description: 'what a bundle could reach that breaks every device' },
  ),
  back: Type.Array(Type.Object({ version: Nullable(Type.String()), devices: Type.Integer() }), {
    description:
      'the versions that its devices get when it is rolled back without naming one; null for what they have then',
  }),
});

/** What a change would do to the devices of a product. */
export const Reach = Type.Object({
  moves: Type.Array(
    Type.Object({
      from: Nullable(Type.String({ description: 'version that they run; null where they have reported none' })),
      to: Type.String({ description: 'version that they are offered' }),
      devices: Type.Integer(),
    }),
  ),
  there: Type.Integer({ description: 'devices that run already what they would get' }),
  out: Type.Record(Type.String(), Type.Integer(), {
    description: `devices that it is about and that do not move, by reason: ${reachOuts.join(', ')}`,
  }),
  bytes: Type.Integer({ description: 'to be sent at most' }),
  ...warnings,
  ends_at: Nullable(
    Type.String({
      description:
        'epoch milliseconds; when each that moves has been offered it: at once on the message channel, else when it asks by the interval that it has kept last. Of a rollout its earliest end, when all goes well',
    }),
  ),
  rollout: Nullable(ReachedRollout),
});
export type Reach = Static<typeof Reach>;

const reason = Text(500, { minLength: 1 });
const shared = {
  tag: 'Fleet',
  scope: 'operate',
  limited: ['rollout_id'],
  access: 'product.fleet',
  audit: { what: 'rollout', id: 'params.rollout_id', read: 'get' },
} as const;
/** One bundle brought to the devices of a filter, in stages; pins and freezes. */
export const rolloutsContract = {
  ...endpoints(shared, {
    listAll: {
      route: 'GET /api/rollouts',
      limited: 'closed',
      access: 'filtered',
      summary: 'List the rollouts of every product whose fleet you manage',
      ...pageOf(RolloutRecord, sortBy(['created_at'], '-created_at'), {
        state: Type.Optional(Type.Enum([...rolloutStates])),
      }),
    },
    list: {
      route: 'GET /api/products/{product_id}/rollouts',
      limited: ['product_id'],
      summary: 'List the rollouts of a product',
      ...pageOf(RolloutRecord, sortBy(['created_at'], '-created_at')),
    },
    create: {
      route: 'POST /api/products/{product_id}/rollouts',
      limited: ['product_id', 'bundle_id'],
      audit: { what: 'rollout', id: 'made' },
      spec: ['API-RULE-rollout-1'],
      summary: 'Draft a rollout; nothing is offered before it is started',
      body: Type.Object(ask),
      reply: RolloutRecord,
      errors: [400, 401, 403, 404, 409],
    },
    reach: {
      route: 'POST /api/products/{product_id}/reach',
      scope: 'read',
      limited: ['product_id', 'bundle_id', 'device_id'],
      audit: { none: 'changes nothing' },
      spec: ['API-RULE-reach-1'],
      summary:
        'What a tag, a rollout, a pin, a freeze or the end of one would do to the devices of a product; nothing is done',
      body: Type.Object({
        change: Type.Enum([...reachChanges]),
        tag: Type.Optional(Type.Enum([...tags], { description: 'for tag' })),
        bundle_id: Type.Optional(Id),
        device_id: Type.Optional(Id),
        rollout: Type.Optional(Type.Object(ask, { description: 'for rollout: the draft' })),
      }),
      reply: Reach,
    },
    get: {
      route: 'GET /api/rollouts/{rollout_id}',
      summary: 'One rollout, with the counts of its stages',
      reply: RolloutRecord,
    },
    act: {
      route: 'POST /api/rollouts/{rollout_id}/state',
      limited: ['rollout_id', 'bundle_id'],
      spec: ['API-RULE-rollout-2'],
      summary:
        'Start, approve, pause, resume, abort, cancel or roll back a rollout, if named to a bundle, or open its next stage',
      body: Type.Object({
        action: Type.Enum([...rolloutActions]),
        bundle_id: Type.Optional(Id),
      }),
      reply: RolloutRecord,
      errors: [400, 401, 403, 404, 409],
    },
    retry: {
      route: 'POST /api/rollouts/{rollout_id}/retry',
      limited: ['rollout_id', 'bundle_id'],
      summary: 'Let the failed devices of a rollout wait again, for another bundle if one is named, and go on',
      body: Type.Object({ bundle_id: Type.Optional(Id) }),
      reply: RolloutRecord,
      errors: [400, 401, 403, 404, 409],
    },
    leaveOut: {
      route: 'POST /api/rollouts/{rollout_id}/leave-out',
      spec: ['API-RULE-rollout-7'],
      summary:
        'Leave the devices of a rollout that still wait out of it: all, or those that were not seen for some days',
      body: Type.Object({
        unseen_days: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 3650, description: 'all that wait without it' }),
        ),
      }),
      reply: Type.Object({ left_out: Type.Integer({ description: 'devices' }), rollout: RolloutRecord }),
      errors: [400, 401, 403, 404, 409],
    },
    signal: {
      route: 'POST /api/rollouts/{rollout_id}/signal',
      summary: 'Say from outside whether the open stage may be followed by the next; no pauses the rollout',
      body: Type.Object({ pass: Type.Boolean(), reason: Type.Optional(reason) }),
      reply: RolloutRecord,
      errors: [400, 401, 403, 404, 409],
    },
    executions: {
      route: 'GET /api/rollouts/{rollout_id}/executions',
      summary: 'List the devices of a rollout',
      ...pageOf(ExecutionRecord, sortBy(['changed_at'], '-changed_at'), {
        state: Type.Optional(Type.Enum([...executionStates])),
        kind: Type.Optional(Text(32)),
        stage: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 100, description: 'number of the stage; the first is 0' }),
        ),
      }),
    },
  }),
  ...holdsContract,
};
