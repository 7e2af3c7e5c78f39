import type { ExecutionState, RolloutState, TemplateName } from '@moorage/api';
import * as t from '../../engine/db/table.ts';

export const fleetTables = {
  /** What a device reports of itself: the last value of each name. */
  attributes: t.table(
    {
      device_id: t.keyed(t.part('devices')),
      name: t.keyed(t.name),
      value: t.name,
      /** The value, where it is a number. */
      number: t.optional(t.real),
      /** The sort key of the value, where it is a version. */
      version_key: t.optional(t.name),
      /** Since when it has this value. */
      since: t.time,
    },
    [
      t.index('name', 'number', 'device_id'),
      t.index('name', 'value', 'device_id'),
      t.index('name', 'version_key', 'device_id'),
    ],
    { ordered: true },
  ),
  /** What people and programs say of a device. */
  labels: t.table(
    { device_id: t.keyed(t.part('devices')), name: t.keyed(t.name), value: t.name },
    [t.index('name', 'value', 'device_id')],
    { ordered: true },
  ),
  /** A filter with a name. */
  segments: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      title: t.text,
      /** RSQL. */
      filter: t.text,
      created_at: t.time,
      updated_at: t.time,
    },
    [t.index('product_id', 'created_at')],
    { known: ['segment', 'title'] },
  ),
  /** A device that no rollout and no tag moves. */
  pins: t.table(
    {
      device_id: t.keyed(t.part('devices')),
      bundle_id: t.part('bundles'),
      reason: t.text,
      until: t.optional(t.time),
      created_at: t.time,
    },
    [],
    { known: ['pin'] },
  ),
  /** A product to whose devices nothing new is offered. */
  freezes: t.table({
    product_id: t.keyed(t.part('products')),
    reason: t.text,
    until: t.optional(t.time),
    /** It comes from the emergency stop of everything. */
    everywhere: t.withDefault(t.flag, 0),
    created_at: t.time,
  }),
  /** What holds for the fleet of a product; what it does not say is as everywhere. */
  fleet_settings: t.table({
    product_id: t.keyed(t.part('products')),
    /** Of the IANA list. */
    zone: t.optional(t.text),
    wake_per_minute: t.optional(t.integer),
    poll_interval_s: t.optional(t.integer),
    /** Of rollouts that name no settings; one of the two at most. */
    template: t.optional(t.word<TemplateName>()),
    /** JSON, as the contract has it. */
    settings: t.optional(t.text),
    updated_at: t.time,
  }),
  /** One bundle on its way to devices, in stages. */
  rollouts: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      /** It outlives its bundle, of which it keeps the version. */
      bundle_id: t.became(4, t.part('bundles'), t.text),
      bundle_version: t.since(4, t.optional(t.text)),
      title: t.text,
      /** RSQL; all devices of the product without it. */
      filter: t.optional(t.text),
      priority: t.integer,
      /** JSON, as the contract has it. */
      settings: t.text,
      state: t.word<RolloutState>(),
      /** Whether it has a say in what its devices get. */
      holds: t.flag,
      /** Why it is paused or has ended, or what it waits for. */
      reason: t.optional(t.text),
      /** Number of the open stage. */
      stage: t.integer,
      /** When the soak time of the open stage is over. */
      gate_at: t.optional(t.time),
      /** Whether the open stage has its signal from outside, and until when that is waited for. */
      signalled: t.withDefault(t.flag, 0),
      signal_until: t.optional(t.time),
      /** When it is looked at by itself next: a start, a soak time, a question, a signal that has not come. */
      due_at: t.optional(t.time),
      /** When more of its devices are woken, and the last one that was. */
      wake_at: t.optional(t.time),
      wake_after: t.optional(t.text),
      /** The minute that is counted, and the devices offered in it. */
      pace_from: t.time,
      pace_count: t.integer,
      author_id: t.forgets('users'),
      approver_id: t.forgets('users'),
      created_at: t.time,
      started_at: t.optional(t.time),
      finished_at: t.optional(t.time),
    },
    [
      { ...t.index('due_at'), where: ['due_at'] },
      { ...t.index('gate_at'), where: ['gate_at'] },
      t.index('product_id', 'created_at'),
      { ...t.index('wake_at'), where: ['wake_at'] },
    ],
    { known: ['rollout', 'title'] },
  ),
  /** One device in one rollout. */
  executions: t.table(
    {
      rollout_id: t.keyed(t.part('rollouts')),
      device_id: t.keyed(t.part('devices')),
      /** What it is brought to; the update keeps the version. */
      bundle_id: t.became(4, t.part('bundles'), t.text),
      stage: t.integer,
      state: t.word<ExecutionState>(),
      /** Kind of the failure, or why it was skipped. */
      kind: t.optional(t.text),
      attempt: t.integer,
      update_id: t.optional(t.integer),
      /** Before it may be offered again. */
      due_at: t.optional(t.time),
      /** When its state has lasted too long, or its probation long enough. */
      expires_at: t.optional(t.time),
      changed_at: t.time,
      /** Whether it may decide what the device gets: it waits, or it is the one that the device has taken last. */
      in_force: t.since(2, t.withDefault(t.flag, 1)),
    },
    [
      t.index('device_id'),
      { ...t.index('expires_at'), where: ['expires_at'] },
      // Pages of the devices of a rollout, all or of one state: those of one stage were written at the same time.
      t.index('rollout_id', 'changed_at', 'device_id'),
      t.index('rollout_id', 'state', 'changed_at', 'device_id'),
      { ...t.index('update_id'), where: ['update_id'] },
    ],
    { loose: true },
  ),
  /** How many executions of a stage are in a state, failed ones by kind; `kind` is empty otherwise. */
  rollout_counts: t.table({
    rollout_id: t.keyed(t.part('rollouts')),
    stage: t.keyed(t.integer),
    state: t.keyed(t.word<ExecutionState>()),
    kind: t.key,
    n: t.integer,
  }),
};
