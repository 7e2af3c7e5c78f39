import type { TimeMs } from './columns.ts';

/** A sign-in that a browser has gone to the provider for. */
export interface SsoAttemptTable {
  /** SHA-256, hex, of what comes back with the browser. */
  state_hash: string;
  /** SHA-256, hex, of the cookie of that browser. */
  browser_hash: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
  /** Page of the console. */
  return_to: string;
  /** Whose account is to be linked; none for a sign-in. */
  user_id: string | null;
  expires_at: TimeMs;
}

/** A person at a provider who signs in to an account; issuer and subject are unique. */
export interface SsoLinkTable {
  id: string;
  user_id: string;
  issuer: string;
  subject: string;
  /** What the provider has said last; it decides nothing. */
  email: string | null;
  created_at: TimeMs;
  last_used_at: TimeMs;
}

/** A login session that began with single sign-on. */
export interface SsoSessionTable {
  token_id: string;
  id_token: string;
}
