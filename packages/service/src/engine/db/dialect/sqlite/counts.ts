import { type Kysely, sql } from 'kysely';

/** One row for each product and owner. */
export async function countDevices(db: Kysely<unknown>): Promise<void> {
  await sql`create table count_devices (product_id text not null, user_id text not null, n integer not null,
    primary key (product_id, user_id)) strict, without rowid`.execute(db);
  await sql`create index count_devices_user on count_devices (user_id)`.execute(db);
  const add = (row: 'old' | 'new', n: 1 | -1) =>
    sql.raw(`insert into count_devices values (${row}.product_id, coalesce(${row}.user_id, ''), ${n})
      on conflict do update set n = n + excluded.n;`);
  await sql`create trigger count_devices_insert after insert on devices begin ${add('new', 1)} end`.execute(db);
  await sql`create trigger count_devices_delete after delete on devices begin ${add('old', -1)} end`.execute(db);
  await sql`create trigger count_devices_update after update of product_id, user_id on devices
    begin ${add('old', -1)} ${add('new', 1)} end`.execute(db);
}
