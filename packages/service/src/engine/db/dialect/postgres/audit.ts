import { type Kysely, sql } from 'kysely';

/** Rows of the audit are added, never changed; they go when retention has let them go. */
export async function guardAudit(db: Kysely<unknown>): Promise<void> {
  await sql`create function audit_keeps_rows() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if old.seq <= coalesce((select dropped_seq from audit_chain), 0) then return old; end if;
      end if;
      raise exception 'The audit is only added to';
    end $$`.execute(db);
  await sql`create trigger audit_keeps_rows before update or delete on audit
    for each row execute function audit_keeps_rows()`.execute(db);
  await sql`create trigger audit_keeps_all before truncate on audit
    for each statement execute function audit_keeps_rows()`.execute(db);
}
