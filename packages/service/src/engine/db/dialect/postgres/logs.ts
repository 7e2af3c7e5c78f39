import { type Kysely, type RawBuilder, sql } from 'kysely';

/** Numbers rows of the log as they come. Those from before there were numbers have none: nobody follows them. */
export async function numberLogs(db: Kysely<unknown>): Promise<void> {
  await sql`create sequence logs_number_seq`.execute(db);
  await sql`alter table logs add column number bigint default nextval('logs_number_seq')`.execute(db);
  await sql`alter sequence logs_number_seq owned by logs.number`.execute(db);
  await sql`create index logs_number on logs (number) where number is not null`.execute(db);
}

/** What grows with each row of the log; rows that are committed later may have lower ones. */
export const logNumber: RawBuilder<number> = sql<number>`logs.number`;
