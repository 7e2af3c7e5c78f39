import * as t from '../../engine/db/table.ts';

export const channelTables = {
  /** A process of the service, and when it last said that it is alive. */
  processes: t.table({
    id: t.key,
    /** By its own clock. */
    seen_at: t.time,
    /** Counts its signs of life: others compare two looks, and no clocks. */
    beats: t.withDefault(t.integer, 0),
  }),
  /** A device that is on the message channel. */
  channels: t.table(
    {
      device_id: t.keyed(t.part('devices')),
      process_id: t.text,
      /** Tells this connection from others of the same device. */
      session: t.text,
      address: t.text,
      connected_at: t.time,
    },
    [t.index('process_id')],
  ),
  /** What a device last reported. */
  telemetry: t.table({
    device_id: t.keyed(t.part('devices')),
    at: t.time,
    /** JSON object. */
    data: t.text,
  }),
  /** A child of a gateway. */
  device_nodes: t.table({
    device_id: t.keyed(t.part('devices')),
    id: t.key,
    title: t.optional(t.text),
    /** When the gateway last reported it. */
    seen_at: t.withDefault(t.time, 0),
  }),
};
