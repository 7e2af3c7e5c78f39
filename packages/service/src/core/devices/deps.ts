import type { Refusal, UpdateRecord } from '@moorage/api';
import type { Result } from '@moorage/base';
import type { LiveEvent } from '../../engine/bus/topics.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { DeviceHooks } from './hooks.ts';
import type { FindRecorded } from './queries.ts';

/** A certificate and key that a device shall have, PEM texts; the fingerprint is SHA-256 in lower-case hex. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly fingerprint: string;
  /** Certificates of the authorities that the device shall trust. */
  readonly ca: string;
  /** Fingerprint of the authority that has signed it. */
  readonly authority: string;
}

/** What devices need of other slices, handed in by the composition root. */
export interface DeviceDeps extends Deps {
  readonly identity: {
    issueDeviceCertificate(uuid: string): Promise<IssuedCertificate>;
  };
  /** Ends the open update of a device that leaves its product. */
  supersedeUpdate(trx: Db, device: { readonly update_id: number | null }): Promise<void>;
  readonly hooks: DeviceHooks;
  readonly findRecorded: FindRecorded;
  /** Deletes what devices that are taken back have at other slices: files, nodes, all of their data. */
  clearStores(trx: Db, deviceIds: readonly string[]): Promise<void>;
  /** The update that the record of a device shows. */
  updateOf(db: Db, device: { readonly update_id: number | null }): Promise<UpdateRecord | null>;
  /** Notifies those who watch a device. */
  readonly live: { notify(deviceId: string, event: LiveEvent): void };
  /** Counts one use of an activation token; false when none is left. */
  spendActivationToken(trx: Db, tokenId: string): Promise<boolean>;
  /** The account of a user name and password. Refusals: WRONG_LOGIN, TOO_MANY_LOGINS, BUSY. */
  checkLogin(credentials: {
    readonly username: string;
    readonly password: string;
    readonly ip: string;
  }): Promise<Result<{ readonly id: string; readonly username: string }, Refusal>>;
  /** The version that an update would bring a device that follows `tag` on this product. */
  bundleOnOffer(
    db: Db,
    device: { product_id: string; tag: 'alpha' | 'beta' | 'release' | null },
  ): Promise<string | null>;
}
