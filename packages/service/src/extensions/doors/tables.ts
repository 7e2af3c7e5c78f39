import * as t from '../../engine/db/table.ts';

export const doorTables = {
  /** The protocols by which update clients of other makers reach a product. */
  product_doors: t.table({
    product_id: t.keyed(t.part('products')),
    ddi: t.flag,
    mender: t.flag,
    /** Devices that nothing speaks for are noted, for people to let in. */
    waiting: t.flag,
    /** Updates wait until the client says that its user consents. */
    consent: t.withDefault(t.flag, 0),
    /** The attribute that shows which version a device runs. */
    version_attribute: t.optional(t.text),
    /** How long a client that reports success before its restart is on probation, in seconds. */
    probation_s: t.optional(t.integer),
    updated_at: t.time,
  }),
  /** A token by which any device of a product registers itself and comes in. */
  door_tokens: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      door: t.word<'ddi' | 'mender'>(),
      title: t.text,
      /** SHA-256 of the value, hex; unique. */
      token_hash: t.text,
      /** Last 4 characters of the value. */
      tail: t.text,
      /** Who has made it: owner of the devices that register with it where no user owns the product. */
      user_id: t.forgets('users'),
      created_at: t.time,
      last_used_at: t.optional(t.time),
    },
    [t.unique('token_hash'), t.index('product_id', 'created_at'), t.index('user_id')],
    { known: ['door token', 'title'] },
  ),
  /** What a device is called by behind a door, and what it shows to be let in. */
  door_devices: t.table(
    {
      device_id: t.keyed(t.part('devices')),
      /** Where it has registered; the name is unique there. */
      product_id: t.part('products'),
      door: t.word<'ddi' | 'mender'>(),
      name: t.text,
      /** SHA-256 of the token of its own, hex. */
      token_hash: t.optional(t.text),
      /** When it last sent its attributes. */
      reported_at: t.optional(t.time),
      /** Who consents to all updates, as JSON; nothing where each is asked for. */
      auto_confirm: t.optional(t.text),
      created_at: t.time,
    },
    [
      t.unique('product_id', 'door', 'name'),
      { ...t.index('token_hash'), where: ['token_hash'] },
      // A device that was moved to another product has its name there.
      { ...t.index('name'), since: 4 },
    ],
  ),
  /** The key of a device that is accepted before it comes. */
  door_keys: t.table(
    {
      id: t.key,
      product_id: t.part('products'),
      name: t.text,
      /** SHA-256 of the public key, hex. */
      key_hash: t.text,
      /** Who has accepted it: owner of the device where no user owns the product. */
      user_id: t.forgets('users'),
      created_at: t.time,
    },
    [t.unique('product_id', 'name'), t.index('key_hash'), t.index('user_id')],
    { known: ['accepted key', 'name'] },
  ),
  /** A device that has asked to be let in. */
  door_waiting: t.table(
    {
      /** Made from what follows, so that the same request is the same row. */
      id: t.key,
      product_id: t.part('products'),
      door: t.word<'ddi' | 'mender'>(),
      name: t.text,
      /** SHA-256 of what it shows, hex. */
      secret_hash: t.text,
      ip: t.optional(t.text),
      /** The networks of the address that it first came from, as limits count; null for one that an older release has noted. */
      from_address: t.optional(t.text),
      from_network: t.optional(t.text),
      first_at: t.time,
      last_at: t.time,
    },
    [t.index('last_at'), t.index('product_id', 'last_at')],
  ),
  /** What a client behind a door knows of an update. */
  door_updates: t.table(
    {
      update_id: t.keyed(t.partOfCounted('updates')),
      device_id: t.part('devices'),
      /** It was shown the update then. */
      shown_at: t.time,
      /** It is to be told that the update is over, or it has been since then. */
      cancel_at: t.optional(t.time),
      /** It has said how the update has ended, or that it knows of the end. */
      closed_at: t.optional(t.time),
      consent: t.optional(t.word<'confirmed' | 'denied'>()),
    },
    [t.index('device_id')],
  ),
  /** A line of what a client has said of an update. */
  update_messages: t.table({
    update_id: t.keyed(t.partOfCounted('updates')),
    seq: t.keyed(t.integer),
    at: t.time,
    /** What it was doing, in the word of its protocol. */
    step: t.text,
    text: t.text,
  }),
};
