import type { Migration } from 'kysely';
import {
  type Column,
  flag,
  forgets,
  type Index,
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  mayBePart,
  optionalTime,
  part,
  text,
  time,
} from './columns.ts';
import type { Ddl } from './index.ts';

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  alert_rules: {
    id: key,
    product_id: part('products'),
    segment_id: mayBePart('segments'),
    title: text,
    condition: text,
    at_least: integer,
    gather_minutes: integer,
    connectors: text,
    enabled: flag,
    silenced_until: optionalTime,
    created_at: time,
    updated_at: time,
  },
  alerts: {
    id: key,
    rule_id: part('alert_rules'),
    product_id: part('products'),
    text,
    opened_at: time,
    over_at: optionalTime,
    devices: integer,
    devices_open: integer,
    told: integer,
    tell_at: optionalTime,
    acknowledged_at: optionalTime,
    acknowledged_by: forgets('users'),
  },
  alert_devices: {
    alert_id: { ...part('alerts'), key: true },
    device_id: { ...part('devices'), key: true },
    since: time,
    over_at: optionalTime,
  },
};

const indexes: readonly Index[] = [
  index('alert_rules', 'product_id', 'created_at'),
  index('alert_rules', 'segment_id'),
  index('alerts', 'rule_id', 'opened_at'),
  index('alerts', 'product_id', 'opened_at'),
  index('alerts', 'acknowledged_by'),
  index('alert_devices', 'device_id'),
];

/** Rules over devices, and what they find. */
export const alerts = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const wanted of indexes) await makeIndex(db, wanted);
  },
});
