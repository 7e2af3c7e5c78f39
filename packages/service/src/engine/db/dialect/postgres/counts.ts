import { type Kysely, sql } from 'kysely';

/**
 * Each change is a row, and the count is their sum: those who make devices at the same time do not wait for each other.
 * One row for all devices of a product and owner that a statement makes or removes. Now and then the rows of a product and
 * owner are made one.
 */
export async function countDevices(db: Kysely<unknown>): Promise<void> {
  await sql`create table count_devices (product_id text not null, user_id text not null, n integer not null)`.execute(
    db,
  );
  await sql`create index count_devices_product on count_devices (product_id)`.execute(db);
  await sql`create index count_devices_user on count_devices (user_id)`.execute(db);
  for (const [name, event, rows, n] of [
    ['count_devices_made', 'insert', 'new', 'count(*)'],
    ['count_devices_gone', 'delete', 'old', '-count(*)'],
  ] as const) {
    await sql`create function ${sql.id(name)}() returns trigger language plpgsql as $$ begin
      insert into count_devices
        select product_id, coalesce(user_id, ''), ${sql.raw(n)} from changed group by product_id, user_id;
      return null;
    end $$`.execute(db);
    await sql`create trigger ${sql.id(name)} after ${sql.raw(event)} on devices
      referencing ${sql.raw(rows)} table as changed for each statement execute function ${sql.id(name)}()`.execute(db);
  }
  await sql`create function count_devices() returns trigger language plpgsql as $$ begin
    if tg_op <> 'INSERT' then
      insert into count_devices values (old.product_id, coalesce(old.user_id, ''), -1);
    end if;
    if tg_op <> 'DELETE' then
      insert into count_devices values (new.product_id, coalesce(new.user_id, ''), 1);
    end if;
    return null;
  end $$`.execute(db);
  await sql`create trigger count_devices_moved after update of product_id, user_id on devices for each row
    when (old.product_id <> new.product_id or old.user_id is distinct from new.user_id)
    execute function count_devices()`.execute(db);
}
