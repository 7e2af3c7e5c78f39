import Type, { type Static } from 'typebox';
import { endpoint } from './endpoint.ts';
import { Id, Identifier, Nullable, pageQuery, ResultOk, sortBy, Text, Timestamp } from './fields.ts';
import { productParams, tags } from './products.ts';
import { FilterText } from './segments.ts';

/** States of a rollout. Reference: rules 6.5. */
export const rolloutStates = ['draft', 'running', 'paused', 'finished', 'aborted', 'rolled_back'] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** States of one device in one rollout. */
export const executionStates = [
  'waiting',
  'offered',
  'downloading',
  'installed',
  'done',
  'failed',
  'skipped',
  'left',
] as const;
export type ExecutionState = (typeof executionStates)[number];

/** Why an execution failed. */
export const failureKinds = ['download', 'install', 'boot', 'timed_out'] as const;
export type FailureKind = (typeof failureKinds)[number];

const Percent = Type.Number({ minimum: 0, maximum: 100 });

/** What has to hold after a stage, all of it, before the next one opens. */
const Gate = Type.Object(
  {
    done_percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'of the stage run the bundle; 100 without it' }),
    ),
    failed_percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'of those that ended, at most, have failed' }),
    ),
    soak_s: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 7_776_000, description: 'seconds that this has to hold for' }),
    ),
    person: Type.Optional(Type.Boolean({ description: 'a person has to open the next stage' })),
  },
  { additionalProperties: false },
);

/** A share of the rollout. The last stage takes all that is left. */
const Stage = Type.Object(
  {
    percent: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'of all devices, in total' })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'devices, in total' })),
    gate: Type.Optional(Gate),
  },
  { additionalProperties: false },
);

const Abort = Type.Object(
  {
    kind: Type.Enum([...failureKinds, 'any']),
    percent: Percent,
    min: Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'devices that have to have ended before' }),
    action: Type.Enum(['pause', 'abort', 'roll_back']),
  },
  { additionalProperties: false },
);

/** What can be said of a rollout. Whatever else is sent is refused: it would look as if it had an effect. */
export const RolloutSettings = Type.Object(
  {
    stages: Type.Array(Stage, { minItems: 1, maxItems: 20 }),
    pace: Type.Optional(
      Type.Object(
        {
          open: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'open updates at a time' })),
          per_minute: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'devices per minute' }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    abort: Type.Optional(Type.Array(Abort, { maxItems: 10 })),
    retry: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({ minimum: 0, maximum: 10 }),
          back_off_s: Type.Integer({ minimum: 0, maximum: 2_592_000, description: 'seconds before the next attempt' }),
          kinds: Type.Optional(
            Type.Array(Type.Enum([...failureKinds]), { minItems: 1, maxItems: failureKinds.length }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
    then_tag: Type.Optional(Type.Enum([...tags], { description: 'tag that the bundle gets when all is done' })),
  },
  { additionalProperties: false },
);
export type RolloutSettings = Static<typeof RolloutSettings>;

const ask = {
  title: Text(128, { minLength: 1 }),
  bundle_id: Id,
  filter: Type.Optional(FilterText),
  priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000, default: 0 })),
  settings: RolloutSettings,
};

const Counts = Type.Object(
  Object.fromEntries(executionStates.map((state) => [state, Type.Integer({ minimum: 0 })])) as Record<
    ExecutionState,
    Type.TInteger
  >,
);

const StageRecord = Type.Object({
  total: Type.Integer({ description: 'devices of the stage' }),
  state: Type.Enum(['waiting', 'open', 'passed']),
  counts: Counts,
  failures: Type.Record(Type.String(), Type.Integer(), { description: 'failed devices by kind' }),
});

/** Record of a rollout. */
export const RolloutRecord = Type.Object({
  id: Id,
  product_id: Id,
  bundle_id: Id,
  bundle: Type.String({ description: 'version of the bundle' }),
  title: Type.String(),
  filter: Nullable(Type.String()),
  priority: Type.Integer(),
  settings: RolloutSettings,
  state: Type.Enum([...rolloutStates]),
  reason: Nullable(Type.String({ description: 'why it is paused or has ended' })),
  stage: Type.Integer({ description: 'number of the open stage; the first is 0' }),
  stages: Type.Array(StageRecord),
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
  kind: Nullable(Type.String({ description: 'kind of the failure, or why it was skipped' })),
  attempt: Type.Integer(),
  update_id: Nullable(Type.Integer()),
  changed_at: Timestamp,
});
export type ExecutionRecord = Static<typeof ExecutionRecord>;

export const RolloutPreview = Type.Object({
  devices: Type.Integer({ description: 'devices of the rollout' }),
  stages: Type.Array(Type.Integer(), { description: 'devices of each stage' }),
  out: Type.Record(Type.String(), Type.Integer(), { description: 'devices that fit but get nothing, by reason' }),
  bytes: Type.Integer({ description: 'to be sent at most' }),
});

export type RolloutPreview = Static<typeof RolloutPreview>;

/** What a person may do with a rollout. */
export const rolloutActions = ['start', 'pause', 'resume', 'pass', 'abort', 'roll_back'] as const;
export type RolloutAction = (typeof rolloutActions)[number];

/** A device held at a bundle. */
export const PinRecord = Type.Object({
  bundle_id: Id,
  bundle: Type.String({ description: 'version of the bundle' }),
  reason: Type.String(),
  until: Nullable(Timestamp),
});

export const FreezeRecord = Type.Object({
  reason: Type.String(),
  until: Nullable(Timestamp),
  created_at: Timestamp,
});

/** Which bundle a device gets, and why. */
export const SelectionRecord = Type.Object({
  by: Type.Enum(['blocked', 'pin', 'freeze', 'rollout', 'tag', 'release', 'none']),
  reason: Type.String({ description: 'in a sentence' }),
  bundle_id: Nullable(Id),
  bundle: Nullable(Type.String({ description: 'version of the bundle' })),
  rollout_id: Nullable(Id),
});
export type SelectionRecord = Static<typeof SelectionRecord>;

const byRolloutId = Type.Object({ rollout_id: Id });
const byDeviceId = Type.Object({ device_id: Identifier });
const until = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: 9_007_199_254_740_991, description: 'epoch ms' })),
);
const reason = Text(500, { minLength: 1 });
const tag = 'Fleet';
const errors = [400, 401, 403, 404] as const;

/** One bundle brought to the devices of a filter, in stages; pins and freezes. */
export const rolloutsContract = {
  list: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/rollouts',
    spec: ['API-EP-GET-products-product_id-rollouts'],
    tag,
    summary: 'List the rollouts of a product',
    auth: 'bearer',
    params: productParams,
    query: Type.Object({ ...pageQuery, sort: sortBy(['created_at'], '-created_at') }),
    reply: Type.Array(RolloutRecord),
    paged: true,
    errors,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/rollouts',
    spec: ['API-EP-POST-products-product_id-rollouts', 'API-RULE-rollout-1'],
    tag,
    summary: 'Draft a rollout; nothing is offered before it is started',
    auth: 'bearer',
    params: productParams,
    body: Type.Object(ask),
    reply: RolloutRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  preview: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/rollouts/preview',
    spec: ['API-EP-POST-products-product_id-rollouts-preview'],
    tag,
    summary: 'Count what a rollout would reach; nothing is kept',
    auth: 'bearer',
    params: productParams,
    body: Type.Object(ask),
    reply: RolloutPreview,
    errors,
  }),
  stop: endpoint({
    method: 'POST',
    path: '/api/products/{product_id}/stop',
    spec: ['API-EP-POST-products-product_id-stop'],
    tag,
    summary: 'Emergency stop: pause every rollout of a product, and freeze it without an end',
    auth: 'bearer',
    params: productParams,
    body: Type.Object({ reason }),
    reply: Type.Object({ paused: Type.Integer({ description: 'rollouts that ran' }) }),
    errors,
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/rollouts/{rollout_id}',
    spec: ['API-EP-GET-rollouts-rollout_id'],
    tag,
    summary: 'One rollout, with the counts of its stages',
    auth: 'bearer',
    params: byRolloutId,
    reply: RolloutRecord,
    errors,
  }),
  act: endpoint({
    method: 'POST',
    path: '/api/rollouts/{rollout_id}/state',
    spec: ['API-EP-POST-rollouts-rollout_id-state', 'API-RULE-rollout-2'],
    tag,
    summary: 'Start, pause, resume, abort or roll back a rollout, or open its next stage',
    auth: 'bearer',
    params: byRolloutId,
    body: Type.Object({ action: Type.Enum([...rolloutActions]) }),
    reply: RolloutRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  retry: endpoint({
    method: 'POST',
    path: '/api/rollouts/{rollout_id}/retry',
    spec: ['API-EP-POST-rollouts-rollout_id-retry'],
    tag,
    summary: 'Let the failed devices of a rollout wait again, for another bundle if one is named, and go on',
    auth: 'bearer',
    params: byRolloutId,
    body: Type.Object({ bundle_id: Type.Optional(Id) }),
    reply: RolloutRecord,
    errors: [400, 401, 403, 404, 409],
  }),
  executions: endpoint({
    method: 'GET',
    path: '/api/rollouts/{rollout_id}/executions',
    spec: ['API-EP-GET-rollouts-rollout_id-executions'],
    tag,
    summary: 'List the devices of a rollout',
    auth: 'bearer',
    params: byRolloutId,
    query: Type.Object({
      ...pageQuery,
      sort: sortBy(['changed_at'], '-changed_at'),
      state: Type.Optional(Type.Enum([...executionStates])),
      kind: Type.Optional(Text(32)),
    }),
    reply: Type.Array(ExecutionRecord),
    paged: true,
    errors,
  }),
  freeze: endpoint({
    method: 'PUT',
    path: '/api/products/{product_id}/freeze',
    spec: ['API-EP-PUT-products-product_id-freeze'],
    tag,
    summary: 'Offer nothing new to the devices of a product, until a time or until it is thawed',
    auth: 'bearer',
    params: productParams,
    body: Type.Object({ reason, until }),
    reply: FreezeRecord,
    errors,
  }),
  frozen: endpoint({
    method: 'GET',
    path: '/api/products/{product_id}/freeze',
    spec: ['API-EP-GET-products-product_id-freeze'],
    tag,
    summary: 'The freeze of a product; 404 without one',
    auth: 'bearer',
    params: productParams,
    reply: FreezeRecord,
    errors,
  }),
  thaw: endpoint({
    method: 'DELETE',
    path: '/api/products/{product_id}/freeze',
    spec: ['API-EP-DELETE-products-product_id-freeze'],
    tag,
    summary: 'End the freeze of a product',
    auth: 'bearer',
    params: productParams,
    reply: ResultOk,
    errors,
  }),
  pin: endpoint({
    method: 'PUT',
    path: '/api/devices/{device_id}/pin',
    spec: ['API-EP-PUT-devices-device_id-pin'],
    tag,
    summary: 'Hold a device at a published bundle of its product: no rollout or tag moves it',
    auth: 'bearer',
    params: byDeviceId,
    body: Type.Object({ bundle_id: Id, reason, until }),
    reply: PinRecord,
    errors,
  }),
  pinned: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/pin',
    spec: ['API-EP-GET-devices-device_id-pin'],
    tag,
    summary: 'The pin of a device; 404 without one',
    auth: 'bearer',
    params: byDeviceId,
    reply: PinRecord,
    errors,
  }),
  unpin: endpoint({
    method: 'DELETE',
    path: '/api/devices/{device_id}/pin',
    spec: ['API-EP-DELETE-devices-device_id-pin'],
    tag,
    summary: 'Let a pinned device go',
    auth: 'bearer',
    params: byDeviceId,
    reply: ResultOk,
    errors,
  }),
  selection: endpoint({
    method: 'GET',
    path: '/api/devices/{device_id}/selection',
    spec: ['API-EP-GET-devices-device_id-selection', 'API-RULE-selection-1'],
    tag,
    summary: 'Which bundle a device gets that asks for none, and why',
    auth: 'bearer',
    params: byDeviceId,
    reply: SelectionRecord,
    errors,
  }),
};
