import type { TimeMs } from './columns.ts';

export interface UserTable {
  id: string;
  /** Lower case; unique. */
  email: string;
  /** Prefix of product codes; lower case; unique. */
  username: string;
  password_hash: string;
  name_given: string;
  name_family: string;
  organisation: string;
  role: 'user' | 'customer' | 'admin';
  customer_id: string | null;
  avatar_id: string | null;
  created_at: TimeMs;
}

export interface TokenTable {
  id: string;
  user_id: string;
  title: string;
  /** SHA-256 of the bearer value, hex; unique. The value itself is never stored. */
  token_hash: string;
  /** Last 4 characters of the value, to recognise it by. */
  tail: string;
  client: string | null;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
}

/** An organisation that owns production products; its people are users. */
export interface CustomerTable {
  id: string;
  /** Prefix of product codes; lower case; unique. */
  name: string;
  title: string;
  created_at: TimeMs;
}
