import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DoorName } from '@moorage/api';
import { dayMs, minuteMs } from '@moorage/base';
import { hashSecret } from '../../engine/secrets.ts';

/** The id of what waits: the same device with the same proof is the same row. */
export function waitingId(productId: string, door: DoorName, name: string, secretHash: string): string {
  const hex = hashSecret([productId, door, name, secretHash].join('\n'));
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Compares two check sums without telling by the time it takes how far they agree. */
export const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** How long a link to a file is good, in ms: a client that takes longer gets a new one with its next request. */
const ticketMs = dayMs;

/** What a ticket is for: the files of one update of one device. */
interface TicketSubject {
  readonly updateId: number;
  readonly name: string;
}

const signature = (key: Buffer, { updateId, name }: TicketSubject, untilMinute: number): string =>
  createHmac('sha256', key).update(`${updateId}\n${untilMinute}\n${name}`).digest('base64url');

/** A text that lets its holder fetch the files of an update without anything else, for a day. Spec: API-DOOR-ticket. */
export function makeTicket(key: Buffer, subject: TicketSubject, nowMs: number): string {
  const until = Math.ceil((nowMs + ticketMs) / minuteMs);
  return `${subject.updateId}.${until}.${signature(key, subject, until)}`;
}

/** The update whose files a ticket is good for; nothing for one that is wrong, over or of another device. */
export function updateOfTicket(key: Buffer, ticket: string, name: string, nowMs: number): number | undefined {
  const found = /^(\d{1,10})\.(\d{1,10})\.([\w-]{43})$/.exec(ticket);
  if (!found) return undefined;
  const [updateId, until] = [Number(found[1]), Number(found[2])];
  if (until * minuteMs < nowMs) return undefined;
  return isSame(signature(key, { updateId, name }, until), found[3] ?? '') ? updateId : undefined;
}
