import type { CustomerRole } from '@moorage/api';
import * as t from '../../engine/db/table.ts';

export const accountTables = {
  /** The app of an account that shows codes. */
  totp: t.table({
    user_id: t.keyed(t.part('users')),
    /** Base32; null until the first one is confirmed. */
    secret: t.optional(t.text),
    /** Base32 of one that is to be confirmed, and replaces the other then. */
    pending: t.optional(t.text),
    /** Since when it counts. */
    confirmed_at: t.optional(t.time),
    /** Of the last code that was used, in periods since 1970: no code up to it counts again. */
    last_step: t.optional(t.integer),
  }),
  /** A recovery code that has not been used. */
  recovery_codes: t.table({
    user_id: t.keyed(t.part('users')),
    /** SHA-256, hex. */
    code_hash: t.key,
  }),
  /** A login that waits for its second factor. */
  challenges: t.table(
    {
      /** SHA-256 of the challenge, hex. */
      hash: t.key,
      user_id: t.part('users'),
      expires_at: t.time,
      /** Wrong answers so far. */
      attempts: t.integer,
    },
    [t.index('expires_at'), t.index('user_id')],
  ),
  /** An organisation that owns production products; its people are users. */
  customers: t.table(
    {
      id: t.key,
      /** Prefix of product codes; lower case; unique. */
      name: t.text,
      title: t.text,
      created_at: t.time,
    },
    [t.unique('name')],
  ),
  /** Somebody whom a customer has invited to its people: it gives nothing until they accept. */
  customer_invitations: t.table(
    {
      id: t.key,
      customer_id: t.part('customers'),
      user_id: t.part('users'),
      role: t.word<CustomerRole>(),
      /** The name or address by which they were invited, in lower case: the customer finds out no other. */
      name: t.text,
      created_at: t.time,
    },
    [t.unique('customer_id', 'user_id'), t.index('user_id')],
  ),
  /** A link that an account was mailed, or is to be. */
  mail_links: t.table(
    {
      id: t.key,
      /** None for an address that no account has: such a link is never mailed. */
      user_id: t.optional(t.part('users')),
      /**
       * What it does: another password, the address confirmed, this address in place of the other, this address back, or
       * alerts of a product to this address, which its user has asked for. Links of the first two count as long as the account has the address.
       */
      kind: t.word<'password' | 'email' | 'address' | 'undo' | 'alerts'>(),
      /** Whose alerts it is about. */
      product_id: t.optional(t.part('products')),
      /** Lower case. */
      email: t.text,
      /** SHA-256 of the token, hex; made when the mail is. */
      token_hash: t.optional(t.text),
      created_at: t.time,
      expires_at: t.time,
      attempts: t.integer,
      /** When the mail is to be sent; null once it was. */
      due_at: t.optional(t.time),
      used_at: t.optional(t.time),
    },
    [{ ...t.index('due_at'), where: ['due_at'] }, t.index('expires_at'), t.index('token_hash'), t.index('user_id')],
  ),
  /** A passkey of an account; the credential is unique. */
  passkeys: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      /** As the authenticator calls it, base64url. */
      credential_id: t.text,
      /** COSE, base64url. */
      public_key: t.text,
      /** Of the last signature; 0 for those that do not count. */
      counter: t.integer,
      /** JSON list: how a browser reaches it. */
      transports: t.text,
      /** The address that it was made at. */
      origin: t.text,
      title: t.text,
      created_at: t.time,
      last_used_at: t.optional(t.time),
    },
    [t.unique('credential_id'), t.index('user_id')],
  ),
  /** What a browser was asked to sign; the second step of a login has the challenge of that login. */
  passkey_challenges: t.table(
    {
      /** SHA-256, hex. */
      hash: t.key,
      /** Whose passkey is to be made; none for a sign-in. */
      user_id: t.optional(t.part('users')),
      expires_at: t.time,
    },
    [t.index('expires_at'), t.index('user_id')],
  ),
  /** A sign-in that a browser has gone to the provider for. */
  sso_attempts: t.table(
    {
      /** SHA-256, hex, of what comes back with the browser. */
      state_hash: t.key,
      /** SHA-256, hex, of the cookie of that browser. */
      browser_hash: t.text,
      nonce: t.text,
      /** Of PKCE. */
      verifier: t.text,
      /** Page of the console. */
      return_to: t.text,
      /** Whose account is to be linked; none for a sign-in. */
      user_id: t.optional(t.part('users')),
      expires_at: t.time,
    },
    [t.index('expires_at'), t.index('user_id')],
  ),
  /** A person at a provider who signs in to an account; issuer and subject are unique. */
  sso_links: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      issuer: t.text,
      subject: t.text,
      /** What the provider has said last; it decides nothing. */
      email: t.optional(t.text),
      created_at: t.time,
      last_used_at: t.time,
    },
    [t.unique('issuer', 'subject'), t.index('user_id')],
  ),
  /** A login session that began with single sign-on. */
  sso_sessions: t.table({ token_id: t.keyed(t.part('tokens')), id_token: t.text }),
};
