import type { ServiceAction } from '@moorage/api';
import type { Row } from '../../engine/db/schema.ts';
import type { Db } from '../../engine/db/storage.ts';
import { bundlesOnOffer, controlsDue, messagesDue, recordedChannels } from './queries.ts';

/** What the records say of the devices that they have as connected to one process. */
export interface Records {
  readonly channels: ReadonlyMap<string, RecordedChannel>;
  readonly controls: ReadonlyMap<string, readonly DueControl[]>;
  /** The newest message for a device. */
  readonly messages: ReadonlyMap<string, string>;
}

export interface RecordedChannel {
  readonly session: string;
  readonly product_id: string;
  readonly state: Row<'devices'>['state'];
  readonly certificate_fingerprint: string | null;
  readonly next_fingerprint: string | null;
  /** Changes when there may be another update for the device. */
  readonly offer: string;
}

/** A value that a user has set and the device has not taken. */
export interface DueControl {
  readonly n: string;
  readonly v: unknown;
  /** Epoch seconds. */
  readonly t: number;
}

/** Reads what a process needs for all its devices, with as many queries for thousands as for one. */
export async function readRecords(db: Db, processId: string): Promise<Records> {
  const rows = await recordedChannels(db, processId);
  const offers = new Map<string, string>();
  for (const { product_id, tag, id } of await bundlesOnOffer(db, [...new Set(rows.map((row) => row.product_id))])) {
    offers.set(product_id, `${offers.get(product_id) ?? ''} ${tag}=${id}`);
  }
  const controls = new Map<string, DueControl[]>();
  for (const { device_id, name, value, at } of await controlsDue(db, processId)) {
    const due = controls.get(device_id) ?? [];
    controls.set(device_id, due);
    due.push({ n: name, v: JSON.parse(value), t: Math.floor(at / 1000) });
  }
  return {
    channels: new Map(
      rows.map(({ device_id, tag, ...row }) => [device_id, { ...row, offer: `${tag}${offers.get(row.product_id)}` }]),
    ),
    controls,
    messages: new Map((await messagesDue(db, processId)).map(({ device_id, id }) => [device_id, id])),
  };
}

/** What a device has heard over its channel, or reads itself when that opens. */
export class Heard {
  readonly #controls = new Map<string, string>();
  #message: string | undefined;
  #offer: string | undefined;
  #woken = false;

  /** Notes an action that is sent. */
  note(action: ServiceAction): void {
    if (action.action === 'ota') this.#woken = true;
    if (action.action === 'message' && typeof action.message_id === 'string') this.#message = action.message_id;
    if (action.action !== 'control' || !Array.isArray(action.controls)) return;
    for (const control of action.controls as readonly DueControl[])
      this.#controls.set(control.n, JSON.stringify(control));
  }

  /** What of the records the device has not heard of. */
  missing(deviceId: string, { channels, controls, messages }: Records): ServiceAction[] {
    const missing: ServiceAction[] = [];
    const due = (controls.get(deviceId) ?? []).filter(
      (control) => this.#controls.get(control.n) !== JSON.stringify(control),
    );
    if (due.length > 0) missing.push({ action: 'control', controls: due });
    const message = messages.get(deviceId);
    if (message !== undefined && message !== this.#message) missing.push({ action: 'message', message_id: message });
    const offer = channels.get(deviceId)?.offer;
    if (this.#offer !== undefined && offer !== this.#offer && !this.#woken) missing.push({ action: 'ota' });
    this.#offer = offer;
    this.#woken = false;
    return missing;
  }
}
