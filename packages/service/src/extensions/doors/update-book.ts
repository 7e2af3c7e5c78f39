import type { ReportedFailure, UpdateState } from '@moorage/api';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import {
  changeDoorUpdate,
  countMessages,
  type DoorUpdateRow,
  doorUpdate,
  insertDoorUpdate,
  insertMessages,
  lastMessages,
  messagesOf,
  openDoorUpdates,
} from './queries.ts';
import { linesToKeep, messageLimits } from './rules.ts';
import { failureOf } from './words.ts';

/** What clients behind doors know and say of updates. */
export interface UpdateBook {
  /** The client has been shown an update, to install it or to have it confirmed first. */
  shown(updateId: number, deviceId: string, consent: 'confirmed' | null): Promise<void>;
  /** The update of which the client has to hear that it is over; nothing when there is none. */
  toCancel(deviceId: string, currentId: number | null): Promise<number | undefined>;
  /** What the client knows of an update. */
  of(updateId: number): Promise<DoorUpdateRow | undefined>;
  /** The user of the device consents to an update, or does not. */
  decide(updateId: number, consent: 'confirmed' | 'denied'): Promise<void>;
  /** The client has closed an update, or knows that it is over. */
  close(updateId: number): Promise<void>;
  /** Keeps what the client says of an update. */
  say(updateId: number, step: string, lines: readonly string[]): Promise<void>;
  /** Why an update has failed and in which way, by all that its client has said and by what it says as it fails. */
  failureOf(
    update: { readonly id: number; readonly state: UpdateState },
    last: readonly string[],
  ): Promise<{ readonly reason: string; readonly kind: ReportedFailure }>;
  /** The newest lines of an update. */
  history(updateId: number, limit: number): Promise<readonly string[]>;
}

/** How long a client may take to say that it knows that an update is over, in ms: some never say it. */
const cancelMs = 15 * 60_000;

const openStates: readonly string[] = ['offered', 'downloading', 'installed'];

export const updateBook = ({ storage, clock }: Pick<Deps, 'storage' | 'clock'>): UpdateBook => ({
  async shown(updateId, deviceId, consent) {
    if (await doorUpdate(storage.db, updateId)) return;
    const row = { update_id: updateId, device_id: deviceId, shown_at: clock.now(), cancel_at: null, closed_at: null };
    await storage.transaction((trx) => insertDoorUpdate(trx, { ...row, consent }));
  },
  async toCancel(deviceId, currentId) {
    const nowMs = clock.now();
    for (const { update_id: id, state, cancel_at: since } of await openDoorUpdates(storage.db, deviceId)) {
      if (id === currentId && openStates.includes(state)) continue;
      if (since === null) await changeDoorUpdate(storage.db, id, { cancel_at: nowMs });
      if (since === null || nowMs - since < cancelMs) return id;
      await changeDoorUpdate(storage.db, id, { closed_at: nowMs });
    }
    return undefined;
  },
  of: (updateId) => doorUpdate(storage.db, updateId),
  async decide(updateId, consent) {
    await changeDoorUpdate(storage.db, updateId, { consent });
  },
  async close(updateId) {
    await changeDoorUpdate(storage.db, updateId, { closed_at: clock.now() });
  },
  async say(updateId, step, lines) {
    const atMs = clock.now();
    await transactionOverConflicts(storage, (trx) => keepLines(trx, { updateId, step, lines, atMs }));
  },
  failureOf: async ({ id, state }, last) => failureOf(await messagesOf(storage.db, id), last, state),
  history: (updateId, limit) => lastMessages(storage.db, updateId, Math.min(limit, messageLimits.lines)),
});

interface ReportedLines {
  readonly updateId: number;
  readonly step: string;
  readonly lines: readonly string[];
  readonly atMs: number;
}

async function keepLines(trx: Db, { updateId, step, lines, atMs }: ReportedLines): Promise<void> {
  const before = await countMessages(trx, updateId);
  const kept = linesToKeep(lines, before);
  const rows = kept.map((text, at) => ({ update_id: updateId, seq: before + at, at: atMs, step, text }));
  await insertMessages(trx, rows);
}
