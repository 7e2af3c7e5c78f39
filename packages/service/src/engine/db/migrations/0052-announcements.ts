import type { Migration } from 'kysely';
import { makeTable, part, text } from './columns.ts';
import type { Ddl } from './index.ts';

/** Devices that connectors have announced to home automation, so that each is taken back when it goes. */
export const announcements = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'announcements', {
      connector_id: { ...part('connectors'), key: true },
      // A device that is gone is still to be taken back: nothing ties the row to it.
      device_id: { ...text, key: true },
      uuid: text,
    });
  },
});
