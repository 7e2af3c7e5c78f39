import * as t from '../../engine/db/table.ts';

export const connectorTables = {
  connectors: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      title: t.text,
      /** Upper case; unique in its product. */
      code: t.text,
      type: t.word<'webhook' | 'mqtt'>(),
      /** JSON text, secrets included. */
      opts: t.text,
      state: t.word<'ok' | 'failing'>(),
      last_used_at: t.optional(t.time),
      last_error: t.optional(t.text),
      created_at: t.time,
      updated_at: t.time,
    },
    [t.unique('product_id', 'code')],
    { known: ['connector', 'code'] },
  ),
  /** An event that a connector subscribes to: what a log row looks its deliveries up by. */
  connector_events: t.table({ connector_id: t.keyed(t.part('connectors')), product_id: t.text, event: t.key }, [
    t.index('product_id', 'event'),
  ]),
  /** Something sent, or to be sent, through a connector. */
  deliveries: t.table(
    {
      id: t.key,
      connector_id: t.part('connectors'),
      /** Type of the log row; `message` when a device sent it, `test` for a test call. */
      event: t.text,
      log_id: t.optional(t.text),
      device_id: t.optional(t.text),
      state: t.word<'waiting' | 'done' | 'failed'>(),
      /** How many times it was begun. */
      attempts: t.integer,
      /** While it waits: when it is tried next. A process that begins it moves this beyond the end of its try. */
      due_at: t.optional(t.time),
      /** HTTP status of the last answer. */
      status: t.optional(t.integer),
      error: t.optional(t.text),
      created_at: t.time,
      finished_at: t.optional(t.time),
      /** What the device was called then; null of one that was gone. */
      device_uuid: t.since(3, t.optional(t.text)),
      device_title: t.since(3, t.optional(t.text)),
      /** What is sent first: 0 an alert, 1 anything else. */
      rank: t.since(3, t.withDefault(t.integer, 1)),
      /** What is sent in the order in which it happened: the events of a device, of an alert, of a product. */
      line: t.since(3, t.withDefault(t.text, '')),
      /** Grows with each delivery. */
      place: t.since(3, t.withDefault(t.integer, 0)),
    },
    [
      t.index('connector_id', 'created_at'),
      // Only what waits has a time at which it is due.
      { ...t.index('due_at'), until: 3 },
      { ...t.index('connector_id', 'due_at'), where: ['due_at'], since: 3 },
      { ...t.index('connector_id', 'rank', 'place'), where: ['due_at'], since: 3 },
      { ...t.index('connector_id', 'line', 'place'), where: ['due_at'], since: 3 },
      t.index('finished_at'),
    ],
  ),
};
