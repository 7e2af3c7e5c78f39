import { type Kysely, sql } from 'kysely';

/** Rows of the audit are added, never changed; they go when retention has let them go. */
export async function guardAudit(db: Kysely<unknown>): Promise<void> {
  const refuse = sql.raw(`begin select raise(abort, 'The audit is only added to'); end`);
  await sql`create trigger audit_keeps_rows before update on audit ${refuse}`.execute(db);
  await sql`create trigger audit_keeps_chain before delete on audit
    when old.seq > coalesce((select dropped_seq from audit_chain), 0) ${refuse}`.execute(db);
}
