import type { Bus } from '../../engine/bus/bus.ts';
import { topics } from '../../engine/bus/topics.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';

/**
 * Rows of devices as they were when each last opened its message channel. When a fleet comes back at once, its channels
 * open by these, before the records have said anything: each is compared with the records when it is noted there, with
 * many others in one transaction, and ends if they disagree. A change that is announced drops the row, and when messages
 * may be missing all go.
 */
export class DeviceSights {
  readonly #limit: number;
  readonly #rows = new Map<string, DeviceRow>();
  readonly #uuids = new Map<string, string>();

  /** @param limit most rows; the oldest goes first */
  constructor(bus: Bus, limit: number) {
    this.#limit = limit;
    const forget = ({ deviceId }: { readonly deviceId: string }) => this.#forget(deviceId);
    for (const topic of [topics.deviceRevoked, topics.deviceRenewed, topics.deviceMoved]) bus.subscribe(topic, forget);
    bus.subscribe(topics.missed, () => {
      this.#rows.clear();
      this.#uuids.clear();
    });
  }

  get(uuid: string): DeviceRow | undefined {
    return this.#rows.get(uuid);
  }

  keep(row: DeviceRow): void {
    this.#forget(row.id);
    if (this.#rows.size >= this.#limit) {
      const oldest = this.#rows.values().next();
      if (!oldest.done) this.#forget(oldest.value.id);
    }
    this.#rows.set(row.uuid, row);
    this.#uuids.set(row.id, row.uuid);
  }

  #forget(deviceId: string): void {
    const uuid = this.#uuids.get(deviceId);
    if (uuid === undefined) return;
    this.#uuids.delete(deviceId);
    this.#rows.delete(uuid);
  }
}
