import type { TimeMs } from './columns.ts';

/** A passkey of an account; the credential is unique. */
export interface PasskeyTable {
  id: string;
  user_id: string;
  /** As the authenticator calls it, base64url. */
  credential_id: string;
  /** COSE, base64url. */
  public_key: string;
  /** Of the last signature; 0 for those that do not count. */
  counter: number;
  /** JSON list: how a browser reaches it. */
  transports: string;
  /** The address that it was made at. */
  origin: string;
  title: string;
  created_at: TimeMs;
  last_used_at: TimeMs | null;
}

/** What a browser was asked to sign; the second step of a login has the challenge of that login. */
export interface PasskeyChallengeTable {
  /** SHA-256, hex. */
  hash: string;
  /** Whose passkey is to be made; none for a sign-in. */
  user_id: string | null;
  expires_at: TimeMs;
}
