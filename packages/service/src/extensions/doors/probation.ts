import type { ReportedAttributes } from '@moorage/api';
import { ignoreFailure } from '@moorage/base';
import type { Deps, DoorCaller } from '../../engine/http/types.ts';
import { bySelf, type DoorUpdate, type DoorUpdates } from './door-updates.ts';
import { doorUpdate, probationOf, versionsOf } from './queries.ts';

type Row = DoorCaller['row'];

/**
 * Clients that report success before their restart are not believed at once where their product says so: until the
 * attribute that it names shows the version, or for a time. Spec: API-DOOR-probation.
 */
export interface Probation {
  /** Whether what such a client reports has still to be proved. */
  applies(deviceId: string): Promise<boolean>;
  /** Whether an update that is installed has been on probation for long enough. */
  isOver(deviceId: string, update: DoorUpdate): Promise<boolean>;
  /** The same as `runs`, where the product names an attribute that shows the version. */
  show(row: Row, reported: ReportedAttributes, ip: string): Promise<void>;
  /**
   * The device says that it runs this version. Where its newest update leads there, that is done, also when it had failed
   * and the device was mended by hand. Spec: API-RULE-ota-9.
   */
  runs(row: Row, version: string, ip: string): Promise<void>;
}

interface ProbationDeps extends Pick<Deps, 'storage' | 'clock'> {
  readonly updates: DoorUpdates;
}

export const probation = ({ storage: { db }, clock, updates }: ProbationDeps): Probation => ({
  async applies(deviceId) {
    const asked = await probationOf(db, deviceId);
    return asked !== undefined && (asked.version_attribute !== null || asked.probation_s !== null);
  },
  async isOver(deviceId, update) {
    if (update.state !== 'installed') return false;
    const closedAt = (await doorUpdate(db, update.id))?.closed_at ?? null;
    if (closedAt === null) return false;
    const asked = await probationOf(db, deviceId);
    if (asked && asked.version_attribute !== null) return false;
    return clock.now() >= closedAt + (asked?.probation_s ?? 0) * 1_000;
  },
  async show(row, reported, ip) {
    const name = (await probationOf(db, row.id))?.version_attribute;
    const shown = name ? reported[name] : undefined;
    if (shown === undefined || shown === null) return;
    await this.runs(row, String(shown), ip);
  },
  async runs(row, version, ip) {
    const update = await updates.current(db, row);
    if (!update?.to_bundle_id || update.state === 'done') return;
    if (update.state === 'superseded' && row.bversion === update.to_bversion) return;
    const versions = [update.to_version, ...(await versionsOf(db, update.to_bundle_id))];
    if (!versions.includes(version)) return;
    // An update that has ended meanwhile needs no confirmation.
    ignoreFailure(await updates.reportAction(row, { updateId: update.id, trigger: 'confirm' }, bySelf(ip)));
  },
});
