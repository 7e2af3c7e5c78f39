import type { Migration } from 'kysely';
import { index, key, makeIndex, makeTable, mayBePart, optionalText, part, text, time, unique } from './columns.ts';
import type { Ddl } from './index.ts';

/** Single sign-on: sign-ins that are under way, whom accounts are linked to, and sessions that it began. */
export const singleSignOn = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'sso_attempts', {
      state_hash: key,
      browser_hash: text,
      nonce: text,
      verifier: text,
      return_to: text,
      user_id: mayBePart('users'),
      expires_at: time,
    });
    await makeIndex(db, index('sso_attempts', 'expires_at'));
    await makeIndex(db, index('sso_attempts', 'user_id'));
    await makeTable(db, ddl, 'sso_links', {
      id: key,
      user_id: part('users'),
      issuer: text,
      subject: text,
      email: optionalText,
      created_at: time,
      last_used_at: time,
    });
    await makeIndex(db, unique('sso_links', 'issuer', 'subject'));
    await makeIndex(db, index('sso_links', 'user_id'));
    await makeTable(db, ddl, 'sso_sessions', { token_id: { ...part('tokens'), key: true }, id_token: text });
  },
});
