import type { Flag, StoredFile, TimeMs } from './columns.ts';

/** Spec: API-RULE-model-3. */
export interface BundleTable {
  id: string;
  product_id: string;
  firmware_id: string;
  user_id: string;
  state: 'preview' | 'published' | 'archive';
  /** Unique in its product when set. */
  tag: 'alpha' | 'beta' | 'release' | null;
  version: string;
  version_key: string;
  description: string;
  remote_id: string | null;
  remote_product: string | null;
  created_at: TimeMs;
}

export interface ResourceTable extends StoredFile {
  bundle_id: string;
  exclude: Flag;
}

/** What a resource that is an artifact for Mender says of itself. */
export interface ArtifactHeaderTable {
  resource_id: string;
  /** What a device reports that has installed it. */
  name: string;
  /** JSON list. */
  device_types: string;
}
