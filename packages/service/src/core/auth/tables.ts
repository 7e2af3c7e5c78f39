import * as t from '../../engine/db/table.ts';

export const authTables = {
  tokens: t.table(
    {
      id: t.key,
      user_id: t.part('users'),
      title: t.text,
      /** SHA-256 of the bearer value, hex; unique. The value itself is never stored. */
      token_hash: t.text,
      /** Last 4 characters of the value, to recognise it by. */
      tail: t.text,
      client: t.optional(t.text),
      created_at: t.time,
      last_used_at: t.optional(t.time),
      last_used_ip: t.optional(t.text),
      /** JSON list of scopes; null for all, as tokens had before there were any. */
      scopes: t.optional(t.text),
      /** JSON list of ids of the only products that it is for. */
      product_ids: t.optional(t.text),
      /** From then on it does not work. */
      expires_at: t.optional(t.time),
      /** Of a login session: the program that logged in. */
      user_agent: t.optional(t.text),
      /** Of a login session: what opened it. */
      opened_by: t.optional(t.word<'password' | 'factor' | 'passkey' | 'provider'>()),
      /** When its user last proved with it who they are: a login session began so. */
      proven_at: t.optional(t.time),
    },
    [t.unique('token_hash'), t.index('user_id', 'created_at')],
  ),
  /** Failed logins or sign-ups of one kind, counted for all processes alike. */
  attempts: t.table(
    {
      /** Whose attempts: a kind, and what they have in common, hashed. */
      bucket: t.key,
      /** JSON array of epoch ms, the oldest first. */
      times: t.text,
      /** From then on none of them counts. */
      expires_at: t.time,
    },
    [t.index('expires_at')],
  ),
  /** A link by which one account may be made. */
  invitations: t.table(
    {
      id: t.key,
      /** SHA-256 of the token in the link, hex; unique. */
      token_hash: t.text,
      /** Last 4 characters of the token. */
      tail: t.text,
      /** The only address that may use it; any without one. */
      email: t.optional(t.text),
      role: t.word<'user' | 'admin'>(),
      /** The administrator who made it; null on the command line, and once their account is deleted. */
      created_by: t.forgets('users'),
      created_at: t.time,
      expires_at: t.time,
      used_at: t.optional(t.time),
      used_by: t.forgets('users'),
    },
    [t.unique('token_hash'), t.index('created_at')],
  ),
};
