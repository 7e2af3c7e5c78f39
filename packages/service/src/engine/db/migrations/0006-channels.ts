import type { Migration } from 'kysely';
import { type Column, index, key, makeIndex, makeTable, optionalText, part, text, time } from './columns.ts';
import type { Ddl } from './index.ts';

const keyDevice: Column = { ...part('devices'), key: true };

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  processes: { id: key, seen_at: time },
  channels: { device_id: keyDevice, process_id: text, session: text, address: text, connected_at: time },
  telemetry: { device_id: keyDevice, at: time, data: text },
  device_nodes: { device_id: keyDevice, id: key, title: optionalText },
};

/** Processes of the service, the devices connected to them, and what those reported. */
export const channels = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    await makeIndex(db, index('channels', 'process_id'));
  },
});
