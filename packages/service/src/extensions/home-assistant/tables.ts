import * as t from '../../engine/db/table.ts';

export const homeAssistantTables = {
  announcements: t.table({ connector_id: t.keyed(t.part('connectors')), device_id: t.key, uuid: t.text }, [], {
    until: 3,
  }),
  /** Where a connector has announced devices. It stays until all of them are taken back, whatever becomes of the connector. */
  announced_places: t.table(
    {
      id: t.key,
      connector_id: t.text,
      /** JSON: the address of the broker, and what the topics are made of. */
      place: t.text,
      /** JSON: how the broker lets the connector in. */
      login: t.text,
      /** Since when no connector announces there. */
      left_at: t.optional(t.time),
    },
    [t.index('connector_id')],
    { since: 3 },
  ),
  /** A device that has been announced there, under the uuid that its topics have. */
  announced: t.table(
    {
      place_id: t.keyed(t.part('announced_places')),
      /** A device that is gone is still to be taken back: nothing ties the row to it. */
      device_id: t.key,
      uuid: t.text,
    },
    [],
    { since: 3 },
  ),
};
