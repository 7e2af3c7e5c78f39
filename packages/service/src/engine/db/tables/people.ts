import type { CustomerRole } from '@moorage/api';
import type { ColumnType } from 'kysely';
import type { Flag, TimeMs } from './columns.ts';

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
  /** Among the people of the customer. */
  customer_role: ColumnType<CustomerRole, CustomerRole | undefined, CustomerRole>;
  avatar_id: string | null;
  created_at: TimeMs;
  /** Since when the account may not come in; null for one that may. */
  disabled_at: TimeMs | null;
  /** Since when mails to the address are known to reach its user. */
  email_confirmed_at: TimeMs | null;
  /** The product that a service account belongs to; null for people. */
  service_product_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** A login with the password is not enough: there is an app that shows codes, or a passkey. */
  second_factor: Flag;
}

/** The app of an account that shows codes. */
export interface TotpTable {
  user_id: string;
  /** Base32; null until the first one is confirmed. */
  secret: string | null;
  /** Base32 of one that is to be confirmed, and replaces the other then. */
  pending: string | null;
  /** Since when it counts. */
  confirmed_at: TimeMs | null;
  /** Of the last code that was used, in periods since 1970: no code up to it counts again. */
  last_step: number | null;
}

/** A recovery code that has not been used. */
export interface RecoveryCodeTable {
  user_id: string;
  /** SHA-256, hex. */
  code_hash: string;
}

/** A login that waits for its second factor. */
export interface ChallengeTable {
  /** SHA-256 of the challenge, hex. */
  hash: string;
  user_id: string;
  expires_at: TimeMs;
  /** Wrong answers so far. */
  attempts: number;
}

/** A link that an account was mailed, or is to be. */
export interface MailLinkTable {
  id: string;
  /** None for an address that no account has: such a link is never mailed. */
  user_id: string | null;
  /**
   * What it does: another password, the address confirmed, this address in place of the other, this address back, or
   * alerts of a product to this address, which its user has asked for. Links of the first two count as long as the account has the address.
   */
  kind: 'password' | 'email' | 'address' | 'undo' | 'alerts';
  /** Whose alerts it is about. */
  product_id: ColumnType<string | null, string | null | undefined, string | null>;
  /** Lower case. */
  email: string;
  /** SHA-256 of the token, hex; made when the mail is. */
  token_hash: string | null;
  created_at: TimeMs;
  expires_at: TimeMs;
  attempts: number;
  /** When the mail is to be sent; null once it was. */
  due_at: TimeMs | null;
  used_at: TimeMs | null;
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
  last_used_ip: string | null;
  /** JSON list of scopes; null for all, as tokens had before there were any. */
  scopes: string | null;
  /** JSON list of ids of the only products that it is for. */
  product_ids: string | null;
  /** From then on it does not work. */
  expires_at: TimeMs | null;
  /** Of a login session: the program that logged in. */
  user_agent: string | null;
  /** Of a login session: what opened it. */
  opened_by: 'password' | 'factor' | 'passkey' | 'provider' | null;
  /** When its user last proved with it who they are: a login session began so. */
  proven_at: TimeMs | null;
}

/** An organisation that owns production products; its people are users. */
export interface CustomerTable {
  id: string;
  /** Prefix of product codes; lower case; unique. */
  name: string;
  title: string;
  created_at: TimeMs;
}

/** Somebody whom a customer has invited to its people: it gives nothing until they accept. */
export interface CustomerInvitationTable {
  id: string;
  customer_id: string;
  user_id: string;
  role: CustomerRole;
  /** The name or address by which they were invited, in lower case: the customer finds out no other. */
  name: string;
  created_at: TimeMs;
}

/** Failed logins or sign-ups of one kind, counted for all processes alike. */
export interface AttemptTable {
  /** Whose attempts: a kind, and what they have in common, hashed. */
  bucket: string;
  /** JSON array of epoch ms, the oldest first. */
  times: string;
  /** From then on none of them counts. */
  expires_at: TimeMs;
}

/** A link by which one account may be made. */
export interface InvitationTable {
  id: string;
  /** SHA-256 of the token in the link, hex; unique. */
  token_hash: string;
  /** Last 4 characters of the token. */
  tail: string;
  /** The only address that may use it; any without one. */
  email: string | null;
  role: 'user' | 'admin';
  /** The administrator who made it; null on the command line, and when they are gone. */
  created_by: string | null;
  created_at: TimeMs;
  expires_at: TimeMs;
  used_at: TimeMs | null;
  used_by: string | null;
}

/** What a user has saved of a page of some program under a name. */
export interface SavedViewTable {
  id: string;
  user_id: string;
  page: string;
  title: string;
  /** Text of that program. */
  state: string;
  created_at: TimeMs;
  updated_at: TimeMs;
}

/** A real module that a gateway of a user has found. */
export interface FoundModuleTable {
  id: string;
  user_id: string;
  gateway_id: string;
  /** What the gateway calls itself. */
  gateway: string;
  address: string;
  mac: string | null;
  version: string | null;
  board: string | null;
  ssid: string | null;
  signal: number | null;
  has_password: number | null;
  problem: string | null;
  /** What it is to become a device of, once that has been asked for. */
  product_id: string | null;
  seen_at: TimeMs;
}
