import { createHash, X509Certificate } from 'node:crypto';
import { type Kysely, type Migration, sql } from 'kysely';
import {
  type Column,
  forgets,
  index,
  key,
  makeIndex,
  makeTable,
  optionalText,
  optionalTime,
  text,
  time,
  unique,
} from './columns.ts';
import type { Ddl } from './index.ts';

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  authorities: {
    fingerprint: key,
    certificate: text,
    private_key: text,
    state: text,
    created_at: time,
    changed_at: time,
  },
  attempts: { bucket: key, times: text, expires_at: time },
  invitations: {
    id: key,
    token_hash: text,
    tail: text,
    email: optionalText,
    role: text,
    created_by: forgets('users'),
    created_at: time,
    expires_at: time,
    used_at: optionalTime,
    used_by: forgets('users'),
  },
};

/** The one authority that an installation has had until now signed every certificate that devices have. */
async function moveAuthority(db: Kysely<unknown>): Promise<void> {
  const name = 'identity.authority';
  const found = await sql<{ value: string }>`select value from settings where name = ${name}`.execute(db);
  const kept = found.rows[0];
  if (!kept) return;
  const { certificate, key: privateKey } = JSON.parse(kept.value) as { certificate: string; key: string };
  const parsed = new X509Certificate(certificate);
  const fingerprint = createHash('sha256').update(parsed.raw).digest('hex');
  const sinceMs = Math.max(0, parsed.validFromDate.getTime());
  await sql`insert into authorities (fingerprint, certificate, private_key, state, created_at, changed_at)
    values (${fingerprint}, ${certificate}, ${privateKey}, 'active', ${sinceMs}, ${sinceMs})`.execute(db);
  await sql`update devices set authority = ${fingerprint} where certificate_fingerprint is not null`.execute(db);
  await sql`delete from settings where name = ${name}`.execute(db);
}

/** Several authorities, which of them each device goes by, failed attempts that all processes count, invitations. */
export const authoritiesInvitations = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [name, columns] of Object.entries(tables)) await makeTable(db, ddl, name, columns);
    for (const column of ['authority', 'next_authority'])
      await db.schema.alterTable('devices').addColumn(column, 'text').execute();
    await makeIndex(db, index('attempts', 'expires_at'));
    await makeIndex(db, unique('invitations', 'token_hash'));
    await makeIndex(db, index('invitations', 'created_at'));
    await moveAuthority(db);
  },
});
