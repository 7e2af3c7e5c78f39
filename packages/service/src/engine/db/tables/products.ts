import type { Flag, TimeMs } from './columns.ts';

/** Spec: API-RULE-model-2. */
export interface ProductTable {
  id: string;
  /** As sent, upper case. */
  code: string;
  /** Full code `<OWNER>-<PLATFORM>_<NAME>`; unique. */
  product: string;
  title: string;
  meta: string;
  summary: string;
  description: string;
  user_id: string | null;
  customer_id: string | null;
  platform_id: string;
  flavor_id: string | null;
  publication: 'preview' | 'published' | 'archive';
  trashed: Flag;
  claimable: Flag;
  production: Flag;
  /** An edition product: what a device is activated to when it leaves the factory. */
  edition: Flag;
  part_number: string | null;
  created_at: TimeMs;
  updated_at: TimeMs;
}

export interface ProductUserTable {
  product_id: string;
  user_id: string;
  role: 'manager' | 'tester';
  created_at: TimeMs;
}

export interface ActivationTokenTable {
  id: string;
  product_id: string;
  user_id: string;
  token_hash: string;
  tail: string;
  uses_left: number;
  created_at: TimeMs;
}
