import * as t from '../../engine/db/table.ts';

export const alertTables = {
  /** What shall be watched on the devices of a product. */
  alert_rules: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      /** Only its devices, where it names one. */
      segment_id: t.optional(t.holds('segments')),
      title: t.text,
      /** JSON, as the contract has it. */
      condition: t.text,
      /** Devices at once before there is an alert. */
      at_least: t.integer,
      gather_minutes: t.integer,
      /** JSON list of the connectors that send its messages. */
      connectors: t.listOf('connectors'),
      /** JSON list of the addresses that its messages go to by mail. */
      mail_to: t.optional(t.text),
      enabled: t.flag,
      silenced_until: t.optional(t.time),
      created_at: t.time,
      updated_at: t.time,
    },
    [t.index('product_id', 'created_at'), t.index('segment_id')],
    { known: ['alert rule', 'title'] },
  ),
  /** What has gone wrong on devices at about the same time. */
  alerts: t.table(
    {
      id: t.key,
      rule_id: t.part('alert_rules'),
      product_id: t.part('products'),
      /** What is wrong, for people. */
      text: t.text,
      opened_at: t.time,
      over_at: t.optional(t.time),
      /** Devices that it has been about, and that it is about still. */
      devices: t.integer,
      devices_open: t.integer,
      /** Devices that the last message spoke of; 0 before the first. */
      told: t.integer,
      /** When the first message is due, until it has been sent. */
      tell_at: t.optional(t.time),
      acknowledged_at: t.optional(t.time),
      acknowledged_by: t.forgets('users'),
    },
    [t.index('acknowledged_by'), t.index('product_id', 'opened_at'), t.index('rule_id', 'opened_at')],
  ),
  /** A device of an alert. */
  alert_devices: t.table(
    {
      alert_id: t.keyed(t.part('alerts')),
      device_id: t.keyed(t.part('devices')),
      since: t.time,
      over_at: t.optional(t.time),
    },
    [t.index('device_id')],
  ),
  /** An address that alerts of a product may be mailed to: whoever reads its mail wants them. */
  alert_addresses: t.table({
    product_id: t.keyed(t.part('products')),
    /** Lower case. */
    email: t.key,
    confirmed_at: t.time,
  }),
  /** A mail that tells of an alert. */
  alert_mails: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      /** JSON list of addresses. */
      mail_to: t.text,
      subject: t.text,
      body: t.text,
      attempts: t.integer,
      /** When it is sent, or sent again; null when it has gone or was given up. */
      due_at: t.optional(t.time),
      /** Why the last try failed. */
      error: t.optional(t.text),
      created_at: t.time,
    },
    [t.index('created_at'), { ...t.index('due_at'), where: ['due_at'] }, t.index('product_id', 'created_at')],
  ),
};
