import { hash, randomBytes } from 'node:crypto';
import { type Clock, dayMs } from '@moorage/base';
import type { Storage } from '../../engine/db/storage.ts';
import { readSetting, replaceSetting } from './queries.ts';

const ticketSetting = 'identity.tickets';
const keyBytes = 48;
/**
 * A key is replaced when it is as old as this, in ms: who steals one can read what TLS 1.2 connections resumed with it
 * have sent. A device whose ticket is older makes a full handshake.
 */
export const ticketRotationMs = dayMs;

interface Kept {
  /** Base64. */
  readonly key: string;
  /** Epoch ms. */
  readonly madeAtMs: number;
}

/** Only this file writes the setting, so its shape is known. */
const parse = (text: string | undefined): Kept | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Kept);

/**
 * The key of TLS session tickets that all nodes of the installation have: a device that comes back to another node, or
 * to one that has started anew, need not show its certificate again. Made on the first run, and replaced with time.
 */
export async function openTicketKey({
  storage,
  clock,
}: {
  readonly storage: Storage;
  readonly clock: Clock;
}): Promise<Buffer> {
  const nowMs = clock.now();
  const isFresh = (kept: Kept | undefined): kept is Kept =>
    kept !== undefined && Math.abs(nowMs - kept.madeAtMs) < ticketRotationMs;
  const found = parse(await readSetting(storage.db, ticketSetting));
  if (isFresh(found)) return Buffer.from(found.key, 'base64');
  const made: Kept = { key: randomBytes(keyBytes).toString('base64'), madeAtMs: nowMs };
  const kept = await storage
    .transaction(async (trx) => {
      const meanwhile = parse(await readSetting(trx, ticketSetting));
      if (isFresh(meanwhile)) return meanwhile;
      await replaceSetting(trx, ticketSetting, JSON.stringify(made));
      return made;
    })
    // Without room on the disk the old key goes on, or this node makes one for itself alone: tickets only save work.
    .catch(() => found ?? made);
  return Buffer.from(kept.key, 'base64');
}

/** The key for tickets of devices that these authorities vouch for: with another trust none of before is good. */
export const ticketKeyFor = (key: Buffer, ca: string): Buffer =>
  hash('sha384', Buffer.concat([key, Buffer.from(ca)]), 'buffer');
