import * as t from '../../engine/db/table.ts';

export const homeAssistantTables = {
  /** A device that a connector has announced, under the uuid that its topics have. */
  announcements: t.table({
    connector_id: t.keyed(t.part('connectors')),
    /** A device that is gone is still to be taken back: nothing ties the row to it. */
    device_id: t.key,
    uuid: t.text,
  }),
};
