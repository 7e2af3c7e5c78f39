import * as t from '../../engine/db/table.ts';

export const deviceTables = {
  /** Spec: API-RULE-model-1. */
  devices: t.table(
    {
      id: t.key,
      /** 40 lower-case hex digits; unique. */
      uuid: t.text,
      title: t.text,
      description: t.text,
      /** `AA:BB:CC:DD:EE:FF`; unique when set. */
      mac: t.optional(t.text),
      bt_addr: t.optional(t.text),
      /** The device has reported `mac` itself, which proves nothing. */
      mac_reported: t.withDefault(t.flag, 0),
      platform_id: t.needs('platforms'),
      product_id: t.needs('products'),
      state: t.word<'enabled' | 'active' | 'disabled'>(),
      /** Who has blocked it, as long as it is disabled: its owner, or an administrator. */
      blocked_by: t.optional(t.word<'owner' | 'admin'>()),
      tag: t.optional(t.word<'alpha' | 'beta' | 'release'>()),
      user_id: t.forgets('users'),
      /** Its owner lets those who own or manage its product at its files. */
      vendor_files: t.withDefault(t.flag, 0),
      /** SHA-256 of the provisioning token while it may still be used, hex. */
      provision_token_hash: t.optional(t.text),
      provision_status: t.word<'pending' | 'issued' | 'complete'>(),
      /** SHA-256 of the issued certificate, lower-case hex. Another certificate is refused. */
      certificate_fingerprint: t.optional(t.text),
      /** That of the certificate that will take its place once the device has acknowledged it; both are good until then. */
      next_fingerprint: t.optional(t.text),
      /**
       * Fingerprint of the authority that has signed the device's certificate and by which the device is known to know the
       * service; none without a certificate.
       */
      authority: t.optional(t.text),
      /** The authority that has signed the certificate of `next_fingerprint`. */
      next_authority: t.optional(t.text),
      /** The update whose fields the record shows: the newest one for the product it is activated to. A reference would close a circle. */
      update_id: t.optional(t.integer),
      /** When it was last asked to look for its update at once, and when it first has since. */
      update_asked_at: t.optional(t.time),
      update_looked_at: t.optional(t.time),
      /** Version text that the device reported last. */
      bversion: t.optional(t.text),
      ip: t.optional(t.text),
      created_at: t.time,
      claimed_at: t.optional(t.time),
      activated_at: t.optional(t.time),
      last_seen_at: t.optional(t.time),
      /** How long it was silent before it was last heard of, in ms; contacts that follow each other at once are one. */
      contact_ms: t.since(4, t.optional(t.integer)),
      /** Where it is, in millionths of a degree; both are set or neither. */
      lat_e6: t.optional(t.integer),
      lon_e6: t.optional(t.integer),
      city: t.optional(t.text),
      country: t.optional(t.text),
    },
    [
      t.unique('mac'),
      t.unique('uuid'),
      t.index('bt_addr'),
      t.index('created_at', 'id'),
      // Blocked devices are few. Of all states an index would look narrow to a planner without statistics, and is not.
      { ...t.index('created_at', 'id'), where: ['state', 'disabled'], name: 'devices_disabled' },
      { ...t.index('created_at', 'id'), where: ['lat_e6'], name: 'devices_located' },
      t.index('platform_id'),
      t.index('product_id', 'created_at'),
      t.index('product_id', 'user_id'),
      t.index('provision_token_hash'),
      t.index('update_id'),
      t.index('user_id', 'created_at'),
    ],
  ),
  /** How many devices of a product an owner has: the sum of the rows of both. Triggers write them. */
  count_devices: t.table(
    {
      product_id: t.text,
      /** Empty without an owner. */
      user_id: t.text,
      n: t.integer,
    },
    [],
    { byDialect: true },
  ),
  /** A certificate that a device had before the one it has now. */
  retired_certificates: t.table(
    {
      /** SHA-256, lower-case hex. */
      fingerprint: t.key,
      device_id: t.part('devices'),
      retired_at: t.time,
      /** When it was shown last, of which there is a row in the log. */
      seen_at: t.optional(t.time),
    },
    [t.index('device_id')],
  ),
};
