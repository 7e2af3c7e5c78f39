import type { Migration } from 'kysely';
import {
  index,
  integer,
  key,
  makeIndex,
  makeTable,
  mayBePart,
  optionalTime,
  part,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

/** Passkeys of accounts, and what browsers are asked to sign. */
export const passkeys = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'passkeys', {
      id: key,
      user_id: part('users'),
      credential_id: text,
      public_key: text,
      counter: integer,
      transports: text,
      origin: text,
      title: text,
      created_at: time,
      last_used_at: optionalTime,
    });
    await makeIndex(db, unique('passkeys', 'credential_id'));
    await makeIndex(db, index('passkeys', 'user_id'));
    await makeTable(db, ddl, 'passkey_challenges', { hash: key, user_id: mayBePart('users'), expires_at: time });
    await makeIndex(db, index('passkey_challenges', 'user_id'));
    await makeIndex(db, index('passkey_challenges', 'expires_at'));
  },
});
