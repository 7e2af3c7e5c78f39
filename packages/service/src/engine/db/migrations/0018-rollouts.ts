import type { Migration } from 'kysely';
import {
  type Column,
  flag,
  type Index,
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  optionalInteger,
  optionalText,
  optionalTime,
  part,
  text,
  time,
} from './columns.ts';
import type { Ddl } from './index.ts';

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  pins: {
    device_id: { ...part('devices'), key: true },
    bundle_id: part('bundles'),
    reason: text,
    until: optionalTime,
    created_at: time,
  },
  freezes: { product_id: { ...part('products'), key: true }, reason: text, until: optionalTime, created_at: time },
  rollouts: {
    id: key,
    product_id: part('products'),
    bundle_id: part('bundles'),
    title: text,
    filter: optionalText,
    priority: integer,
    settings: text,
    state: text,
    holds: flag,
    reason: optionalText,
    stage: integer,
    gate_at: optionalTime,
    pace_from: time,
    pace_count: integer,
    created_at: time,
    started_at: optionalTime,
    finished_at: optionalTime,
  },
  executions: {
    rollout_id: { ...part('rollouts'), key: true },
    device_id: { ...part('devices'), key: true },
    bundle_id: part('bundles'),
    stage: integer,
    state: text,
    kind: optionalText,
    attempt: integer,
    update_id: optionalInteger,
    due_at: optionalTime,
    changed_at: time,
  },
  rollout_counts: {
    rollout_id: { ...part('rollouts'), key: true },
    stage: { ...integer, key: true },
    state: key,
    kind: key,
    n: integer,
  },
};

const indexes: readonly Index[] = [
  index('rollouts', 'product_id', 'created_at'),
  { ...index('rollouts', 'gate_at'), whereSet: 'gate_at' },
  index('executions', 'device_id'),
  index('executions', 'rollout_id', 'state', 'changed_at'),
  { ...index('executions', 'update_id'), whereSet: 'update_id' },
];

/** Pins, freezes, and rollouts with their devices. */
export const rollouts = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
