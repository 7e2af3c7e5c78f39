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

/** What a client has shown to be let in, by which it gets a ticket. */
export interface Proof {
  /** The token of its product; none for a device that has shown something of its own. */
  readonly tokenId: string | null;
  /** SHA-256 of the device's own token or key, hex; none for a token of its product and for a certificate. */
  readonly ownHash: string | null;
}

/** What a ticket is for: the files of one update of one device. */
interface TicketSubject {
  readonly updateId: number;
  readonly name: string;
}

const signature = (key: Buffer, { updateId, name }: TicketSubject, by: Proof, untilMinute: number): string =>
  createHmac('sha256', key)
    .update([updateId, untilMinute, name, by.tokenId ?? '', by.ownHash ?? ''].join('\n'))
    .digest('base64url');

/**
 * A text that lets its holder fetch the files of an update without anything else, for a day, and no longer than what the
 * client has shown is good. Spec: API-DOOR-ticket.
 */
export function makeTicket(key: Buffer, subject: TicketSubject, by: Proof, nowMs: number): string {
  const until = Math.ceil((nowMs + ticketMs) / minuteMs);
  const parts = [subject.updateId, until, signature(key, subject, by, until)];
  return [...parts, ...(by.tokenId === null ? [] : [by.tokenId])].join('.');
}

/** What a ticket says; nothing for a text that is none. */
export function readTicket(ticket: string): { readonly updateId: number; readonly tokenId: string | null } | undefined {
  const found = /^(\d{1,10})\.\d{1,10}\.[\w-]{43}(?:\.([\da-f-]{36}))?$/.exec(ticket);
  return found ? { updateId: Number(found[1]), tokenId: found[2] ?? null } : undefined;
}

/** Whether a ticket is for this, by what its client has shown; one that is over is not. */
export function isTicketFor(key: Buffer, ticket: string, subject: TicketSubject, by: Proof, nowMs: number): boolean {
  const [, until, shown = ''] = ticket.split('.');
  if (Number(until) * minuteMs < nowMs) return false;
  return isSame(signature(key, subject, by, Number(until)), shown);
}
