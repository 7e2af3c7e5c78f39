import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { lettersOf } from '../../grams.ts';
import { spellingsOf } from '../../spellings.ts';
import type { Db } from '../../storage.ts';

/** What a search of devices looks at, in the very words of the index. */
const searched = sql.raw(
  `lower(devices.title || E'\\n' || devices.uuid || E'\\n' || coalesce(devices.mac, '') || E'\\n' || coalesce(devices.bt_addr, ''))`,
);
/** Letters of a piece that the index holds. */
const gramLength = 3;

/**
 * Makes the index by which a search finds devices, where the server has the extension for it and lets its user make it.
 * Where not, a search walks through all devices.
 */
export async function indexDevices(db: Kysely<unknown>): Promise<void> {
  await sql`do $$ begin
    create extension if not exists pg_trgm;
    create index search_devices on devices using gin ((${searched}) gin_trgm_ops);
  exception when others then
    raise notice 'A search walks through all devices: %', sqlerrm;
  end $$`.execute(db);
}

/**
 * What leaves out devices that surely do not have `part` in what a search looks at. The server decides by itself whether
 * the index or a walk costs less. Nothing for a part that is too short for the index.
 */
export async function findCandidates(_db: Db, part: string): Promise<RawBuilder<SqlBool> | undefined> {
  if (lettersOf(part) < gramLength) return undefined;
  const patterns = spellingsOf(part).map((spelling) => `%${spelling.replace(/[\\%_]/g, '\\$&')}%`);
  return sql<SqlBool>`(${sql.join(
    patterns.map((pattern) => sql`${searched} like ${pattern}`),
    sql` or `,
  )})`;
}
