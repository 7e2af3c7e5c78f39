import type { AlertCondition } from '@moorage/api';
import { minuteMs } from '@moorage/base';

/** Before the first message of an alert, in ms: what goes dark together is told together. */
export const settleMs = 60_000;
/** An alert that has grown so many times over since its last message is told again. */
const growth = 10;

/** `1 minute`, `90 minutes`, `3 hours`, `2 days`. */
function duration(minutes: number): string {
  const units = [
    { size: 1_440, name: 'day' },
    { size: 60, name: 'hour' },
    { size: 1, name: 'minute' },
  ];
  // Safe: every number of minutes is a multiple of the last unit.
  const { size, name } = units.find((unit) => minutes % unit.size === 0) as (typeof units)[number];
  return `${minutes / size} ${name}${minutes === size ? '' : 's'}`;
}

/** What a rule finds wrong, for people; completes "3 devices: …". */
export function conditionText(condition: AlertCondition): string {
  if (condition.kind === 'offline') return `not heard from for longer than ${duration(condition.minutes)}`;
  if (condition.kind === 'silent') return 'silent: three of its queries are missing';
  if (condition.kind === 'update_failed') return 'the last update failed';
  const { stream, side, limit, minutes } = condition;
  return `stream "${stream}" ${side} ${limit} for ${duration(minutes)}`;
}

/** An alert that is open, and what it is about. */
export interface OpenAlert {
  readonly id: string;
  readonly openedMs: number;
  /** Devices that it is about still. */
  readonly deviceIds: ReadonlySet<string>;
}

/** What a look at the devices of a rule leads to. */
export interface Findings {
  /** Devices that are no longer wrong, by alert. */
  readonly over: ReadonlyMap<string, readonly string[]>;
  /** Alert that new devices belong to. */
  readonly joins: { readonly alertId: string; readonly deviceIds: readonly string[] } | undefined;
  /** Devices that a new alert is about. */
  readonly opens: readonly string[];
}

/**
 * Compares the devices that are wrong now with the open alerts of a rule. Devices that follow the first of an alert
 * within the rule's time join it: a site that goes dark is one alert. What goes wrong later is another one, so that an
 * alert that nobody closes hides nothing. Spec: API-RULE-alert-2.
 *
 * @param wrong ids of the devices that the condition holds for
 */
export function compare(
  rule: { readonly at_least: number; readonly gather_minutes: number },
  open: readonly OpenAlert[],
  wrong: ReadonlySet<string>,
  nowMs: number,
): Findings {
  const known = new Set(open.flatMap(({ deviceIds }) => [...deviceIds]));
  const fresh = [...wrong].filter((id) => !known.has(id));
  const over = new Map<string, readonly string[]>();
  for (const { id, deviceIds } of open) {
    const gone = [...deviceIds].filter((deviceId) => !wrong.has(deviceId));
    if (gone.length > 0) over.set(id, gone);
  }
  const gatherMs = rule.gather_minutes * minuteMs;
  const gathering = open
    .filter(({ openedMs }) => nowMs - openedMs < gatherMs)
    .toSorted((one, other) => other.openedMs - one.openedMs)[0];
  if (fresh.length === 0) return { over, joins: undefined, opens: [] };
  if (gathering) return { over, joins: { alertId: gathering.id, deviceIds: fresh }, opens: [] };
  return { over, joins: undefined, opens: fresh.length >= rule.at_least ? fresh : [] };
}

/** What decides whether an alert is told. */
export interface Telling {
  readonly devices_open: number;
  readonly over_at: number | null;
  readonly told: number;
  readonly tell_at: number | null;
  readonly acknowledged_at: number | null;
}

/**
 * The message that an alert needs now, if any. One that was over before it was told is not told at all, and one that
 * is silenced is told when the silence is over and it is still open. Spec: API-RULE-alert-3.
 */
export function messageOf(
  alert: Telling,
  silencedUntilMs: number | null,
  nowMs: number,
): 'raise' | 'grow' | 'clear' | undefined {
  const isSilent = silencedUntilMs !== null && silencedUntilMs > nowMs;
  if (isSilent) return undefined;
  if (alert.over_at !== null) return alert.told > 0 ? 'clear' : undefined;
  if (alert.tell_at !== null) return alert.tell_at <= nowMs ? 'raise' : undefined;
  const hasGrown = alert.devices_open >= alert.told * growth;
  return hasGrown && alert.told > 0 && alert.acknowledged_at === null ? 'grow' : undefined;
}

/** Those of the addresses of a rule that no alerts are mailed to yet. Spec: API-RULE-alert-6. */
export const unconfirmed = (mailTo: readonly string[], confirmed: ReadonlySet<string>): string[] =>
  mailTo.filter((address) => !confirmed.has(address.toLowerCase()));

/** What a mail says of an alert: what is wrong, and with which devices. */
export function mailText(alert: {
  readonly text: string;
  readonly product: string;
  /** Devices that the message is about, of which some are named. */
  readonly count: number;
  readonly titles: readonly string[];
  readonly isOver: boolean;
  /** When that was so: a mail may come much later. */
  readonly atMs: number;
}): string {
  const { text, product, count, titles, isOver, atMs } = alert;
  const more = count - titles.length;
  const lines = [
    `${isOver ? 'No longer' : 'Wrong'}: ${text}`,
    `Product: ${product}`,
    `Devices: ${count}`,
    `At: ${new Date(atMs).toISOString()}`,
    '',
    ...titles.map((title) => `- ${title}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
