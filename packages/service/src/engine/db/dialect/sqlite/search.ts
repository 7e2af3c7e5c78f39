import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { gramsOf, lettersOf } from '../../grams.ts';
import { spellingsOf } from '../../spellings.ts';
import type { Db } from '../../storage.ts';

/** Letters of a piece that the index holds, and how many pieces of a text are asked for: more leave out hardly any row. */
const gramLength = 3;
const gramsLimit = 32;
/** Where the index finds more devices, a walk through all of them costs less. */
const candidatesLimit = 5_000;

const searched = (row: string) =>
  sql.raw(
    `${row}.title || char(10) || ${row}.uuid || char(10) || coalesce(${row}.mac, '') || char(10) || coalesce(${row}.bt_addr, '')`,
  );
const numberOf = (row: string) => sql.raw(`(select number from search_device_ids where device_id = ${row}.id)`);

/**
 * Makes the index by which a search finds devices, and what keeps it true: triggers, so that whoever writes a device
 * writes it here. Devices have numbers of their own in it: those of SQLite change when the file is packed.
 */
export async function indexDevices(db: Kysely<unknown>): Promise<void> {
  await sql`create table search_device_ids (number integer primary key, device_id text not null unique) strict`.execute(
    db,
  );
  // It holds no texts and no positions: what it finds is looked at again.
  await sql`create virtual table search_devices
    using fts5(body, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1)`.execute(db);
  await sql`create trigger search_devices_insert after insert on devices begin
    insert into search_device_ids (device_id) values (new.id);
    insert into search_devices (rowid, body) values (${numberOf('new')}, ${searched('new')});
  end`.execute(db);
  await sql`create trigger search_devices_update after update of title, uuid, mac, bt_addr on devices begin
    update search_devices set body = ${searched('new')} where rowid = ${numberOf('new')};
  end`.execute(db);
  await sql`create trigger search_devices_delete after delete on devices begin
    delete from search_devices where rowid = ${numberOf('old')};
    delete from search_device_ids where device_id = old.id;
  end`.execute(db);
}

/** In a query of the index each piece is a text in quotes. */
const quoted = (gram: string): string => `"${gram.replaceAll('"', '""')}"`;

/**
 * What leaves out devices that surely do not have `part` in what a search looks at. Nothing for a part that is too short
 * for the index, or that too many devices have.
 */
export async function findCandidates(db: Db, part: string): Promise<RawBuilder<SqlBool> | undefined> {
  if (lettersOf(part) < gramLength) return undefined;
  const query = spellingsOf(part)
    .map((spelling) => `(${gramsOf(spelling, gramLength, gramsLimit).map(quoted).join(' AND ')})`)
    .join(' OR ');
  const { rows } = await sql<{ rowid: number }>`
    select rowid from search_devices where search_devices match ${query} limit ${candidatesLimit + 1}`.execute(db);
  if (rows.length > candidatesLimit) return undefined;
  const numbers = JSON.stringify(rows.map(({ rowid }) => rowid));
  return sql<SqlBool>`devices.id in
    (select device_id from search_device_ids where number in (select value from json_each(${numbers})))`;
}
