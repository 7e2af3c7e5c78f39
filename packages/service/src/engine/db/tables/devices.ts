import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './columns.ts';

/** How many devices of a product an owner has: the sum of the rows of both. Triggers write them. */
export interface DeviceCountTable {
  product_id: string;
  /** Empty without an owner. */
  user_id: string;
  n: number;
}

/** Spec: API-RULE-model-1. */
export interface DeviceTable {
  id: string;
  /** 40 lower-case hex digits; unique. */
  uuid: string;
  title: string;
  description: string;
  /** `AA:BB:CC:DD:EE:FF`; unique when set. */
  mac: string | null;
  bt_addr: string | null;
  /** The device has reported `mac` itself, which proves nothing. */
  mac_reported: Generated<Flag>;
  platform_id: string;
  product_id: string;
  state: 'enabled' | 'active' | 'disabled';
  /** Who has blocked it, as long as it is disabled: its owner, or an administrator. */
  blocked_by: 'owner' | 'admin' | null;
  tag: 'alpha' | 'beta' | 'release' | null;
  user_id: string | null;
  /** Its owner lets those who own or manage its product at its files. */
  vendor_files: Generated<Flag>;
  /** SHA-256 of the provisioning token while it may still be used, hex. */
  provision_token_hash: string | null;
  provision_status: 'pending' | 'issued' | 'complete';
  /** SHA-256 of the issued certificate, lower-case hex. Another certificate is refused. */
  certificate_fingerprint: string | null;
  /** That of the certificate that will take its place once the device has acknowledged it; both are good until then. */
  next_fingerprint: string | null;
  /**
   * Fingerprint of the authority that has signed the device's certificate and by which the device is known to know the
   * service; none without a certificate.
   */
  authority: string | null;
  /** The authority that has signed the certificate of `next_fingerprint`. */
  next_authority: string | null;
  /** The update whose fields the record shows: the newest one for the product it is activated to. */
  update_id: number | null;
  /** When it was last asked to look for its update at once, and when it first has since. */
  update_asked_at: Generated<TimeMs | null>;
  update_looked_at: Generated<TimeMs | null>;
  /** Version text that the device reported last. */
  bversion: string | null;
  ip: string | null;
  created_at: TimeMs;
  claimed_at: TimeMs | null;
  activated_at: TimeMs | null;
  last_seen_at: TimeMs | null;
  /** Where it is, in millionths of a degree; both are set or neither. */
  lat_e6: number | null;
  lon_e6: number | null;
  city: string | null;
  country: string | null;
}

/** A certificate that a device had before the one it has now. */
export interface RetiredCertificateTable {
  /** SHA-256, lower-case hex. */
  fingerprint: string;
  device_id: string;
  retired_at: TimeMs;
  /** When it was shown last, of which there is a row in the log. */
  seen_at: TimeMs | null;
}

/** One update of one device: who caused it, from what to what, and when it reached each state. */
export interface UpdateTable {
  id: Generated<number>;
  device_id: string;
  product_id: string;
  cause: 'device' | 'bridge';
  /** Both become null when the bundle is trashed; the version texts stay. */
  from_bundle_id: string | null;
  from_bversion: string | null;
  to_bundle_id: string | null;
  to_version: string;
  to_bversion: string;
  state: 'offered' | 'downloading' | 'installed' | 'done' | 'failed' | 'superseded';
  /** Result code of the module (Reference: wire 4.1), when it has sent one. */
  result: number | null;
  /** Why it failed. */
  reason: string | null;
  created_at: TimeMs;
  downloading_at: TimeMs | null;
  installed_at: TimeMs | null;
  finished_at: TimeMs | null;
}
