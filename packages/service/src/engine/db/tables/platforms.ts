import type { Generated } from 'kysely';
import type { Flag, StoredFile, TimeMs } from './columns.ts';

export interface PlatformTable {
  id: string;
  code: string;
  title: string;
  description: string;
  /** 8 lower-case hex digits; unique when set. */
  part_id: string | null;
  manufacturer: string | null;
  avatar_id: string | null;
  /** The base edition product; set when the platform's first flavor is added. */
  product_id: string | null;
  /** For those alone to whom it has been given. */
  restricted: Generated<Flag>;
  created_at: TimeMs;
}

export interface FlavorTable {
  id: string;
  code: string;
  title: string;
  description: string;
  /** Needs the SDK to make bundles. */
  sdk: Flag;
  restricted: Generated<Flag>;
  created_at: TimeMs;
}

export interface PlatformFlavorTable {
  platform_id: string;
  flavor_id: string;
}

export interface FirmwareTable {
  id: string;
  platform_id: string;
  flavor_id: string;
  label: string;
  version: string;
  version_key: string;
  created_at: TimeMs;
}

export interface FirmwareFileTable extends StoredFile {
  firmware_id: string;
}

/** A platform or a flavor, given to a user or to the people of a customer. */
export interface CatalogueGrantTable {
  id: string;
  platform_id: string | null;
  flavor_id: string | null;
  user_id: string | null;
  customer_id: string | null;
  created_at: TimeMs;
}
