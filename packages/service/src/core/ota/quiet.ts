import { type Changes, RecordCache } from '../../engine/db/record-cache.ts';
import { isExplicit, type Standing } from './rules.ts';
import type { OtaDeviceRow, UpdateRequest } from './work.ts';

/** Devices whose last query is remembered. */
const rememberedDevices = 10_000;

interface Remembered<C> extends Pick<UpdateRequest, 'bid' | 'bversion' | 'mac' | 'force' | 'once'> {
  readonly device: OtaDeviceRow;
  readonly choice: C;
}

/** Whether an answer to a query may be remembered: those are compared by what most queries consist of. */
const isUsual = (request: UpdateRequest): boolean => !isExplicit(request) && request.location === undefined;

/**
 * What queries that brought nothing new were answered with: the same query of the same row is answered so again, as long
 * as nothing is written and what the answer goes by does not change with time. Most of a fleet asks just that, again and
 * again.
 */
export class QuietChoices<C extends { readonly standing?: Standing }> {
  readonly #known: RecordCache<Remembered<C>>;

  constructor(changes: Changes) {
    this.#known = new RecordCache(changes, rememberedDevices);
  }

  /**
   * @param device the very row that the answer was made from: another one may have been read after a change, or for a person
   * with a bridging host, who is answered by other rules
   */
  find(device: OtaDeviceRow, request: UpdateRequest): C | undefined {
    const known = this.#known.get(device.id);
    const isSame =
      known?.device === device &&
      known.bid === request.bid &&
      known.bversion === request.bversion &&
      known.mac === request.mac &&
      known.force === request.force &&
      known.once === request.once;
    return isSame && isUsual(request) ? known.choice : undefined;
  }

  /** The moment before the records are read for an answer; it is remembered by calling the result. */
  beginRead(): (device: OtaDeviceRow, request: UpdateRequest, choice: C) => void {
    const keep = this.#known.beginRead();
    return (device, request, choice) => {
      if (!isUsual(request) || !choice.standing?.isLasting) return;
      const { bid, bversion, mac, force, once } = request;
      keep(device.id, { device, bid, bversion, mac, force, once, choice });
    };
  }
}
