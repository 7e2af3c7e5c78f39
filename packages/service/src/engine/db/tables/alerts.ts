import type { Flag, TimeMs } from './columns.ts';

/** What shall be watched on the devices of a product. */
export interface AlertRuleTable {
  id: string;
  product_id: string;
  /** Only its devices, where it names one. */
  segment_id: string | null;
  title: string;
  /** JSON, as the contract has it. */
  condition: string;
  /** Devices at once before there is an alert. */
  at_least: number;
  gather_minutes: number;
  /** JSON list of the connectors that send its messages. */
  connectors: string;
  /** JSON list of the addresses that its messages go to by mail. */
  mail_to: string | null;
  enabled: Flag;
  silenced_until: TimeMs | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

/** What has gone wrong on devices at about the same time. */
export interface AlertTable {
  id: string;
  rule_id: string;
  product_id: string;
  /** What is wrong, for people. */
  text: string;
  opened_at: TimeMs;
  over_at: TimeMs | null;
  /** Devices that it has been about, and that it is about still. */
  devices: number;
  devices_open: number;
  /** Devices that the last message spoke of; 0 before the first. */
  told: number;
  /** When the first message is due, until it has been sent. */
  tell_at: TimeMs | null;
  acknowledged_at: TimeMs | null;
  acknowledged_by: string | null;
}

/** A device of an alert. */
export interface AlertDeviceTable {
  alert_id: string;
  device_id: string;
  since: TimeMs;
  over_at: TimeMs | null;
}

/** A mail that tells of an alert. */
export interface AlertMailTable {
  id: string;
  product_id: string;
  /** JSON list of addresses. */
  mail_to: string;
  subject: string;
  body: string;
  attempts: number;
  /** When it is sent, or sent again; null when it has gone or was given up. */
  due_at: TimeMs | null;
  /** Why the last try failed. */
  error: string | null;
  created_at: TimeMs;
}

/** An address that alerts of a product may be mailed to: whoever reads its mail wants them. */
export interface AlertAddressTable {
  product_id: string;
  /** Lower case. */
  email: string;
  confirmed_at: TimeMs;
}
