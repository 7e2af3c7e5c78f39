import type { Generated } from 'kysely';
import type { Flag, TimeMs } from './columns.ts';

/** The protocols by which update clients of other makers reach a product. */
export interface ProductDoorsTable {
  product_id: string;
  ddi: Flag;
  mender: Flag;
  /** Devices that nothing speaks for are noted, for people to let in. */
  waiting: Flag;
  /** Updates wait until the client says that its user consents. */
  consent: Generated<Flag>;
  /** The attribute that shows which version a device runs. */
  version_attribute: string | null;
  /** How long a client that reports success before its restart is on probation, in seconds. */
  probation_s: number | null;
  updated_at: TimeMs;
}

/** A token by which any device of a product registers itself and comes in. */
export interface DoorTokenTable {
  id: string;
  product_id: string;
  door: 'ddi' | 'mender';
  title: string;
  /** SHA-256 of the value, hex; unique. */
  token_hash: string;
  /** Last 4 characters of the value. */
  tail: string;
  /** Who has made it: owner of the devices that register with it where no user owns the product. */
  user_id: string | null;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
}

/** What a device is called by behind a door, and what it shows to be let in. */
export interface DoorDeviceTable {
  device_id: string;
  /** Where it has registered; the name is unique there. */
  product_id: string;
  door: 'ddi' | 'mender';
  name: string;
  /** SHA-256 of the token of its own, hex. */
  token_hash: string | null;
  /** When it last sent its attributes. */
  reported_at: TimeMs | null;
  /** Who consents to all updates, as JSON; nothing where each is asked for. */
  auto_confirm: string | null;
  created_at: TimeMs;
}

/** The key of a device that is accepted before it comes. */
export interface DoorKeyTable {
  id: string;
  product_id: string;
  name: string;
  /** SHA-256 of the public key, hex. */
  key_hash: string;
  /** Who has accepted it: owner of the device where no user owns the product. */
  user_id: string | null;
  created_at: TimeMs;
}

/** A device that has asked to be let in. */
export interface DoorWaitingTable {
  /** Made from what follows, so that the same request is the same row. */
  id: string;
  product_id: string;
  door: 'ddi' | 'mender';
  name: string;
  /** SHA-256 of what it shows, hex. */
  secret_hash: string;
  ip: string | null;
  /** The networks of the address that it first came from, as limits count; null for one that an older release has noted. */
  from_address: string | null;
  from_network: string | null;
  first_at: TimeMs;
  last_at: TimeMs;
}

/** What a client behind a door knows of an update. */
export interface DoorUpdateTable {
  update_id: number;
  device_id: string;
  /** It was shown the update then. */
  shown_at: TimeMs;
  /** It is to be told that the update is over, or it has been since then. */
  cancel_at: TimeMs | null;
  /** It has said how the update has ended, or that it knows of the end. */
  closed_at: TimeMs | null;
  consent: 'confirmed' | 'denied' | null;
}

/** A line of what a client has said of an update. */
export interface UpdateMessageTable {
  update_id: number;
  seq: number;
  at: TimeMs;
  /** What it was doing, in the word of its protocol. */
  step: string;
  text: string;
}
