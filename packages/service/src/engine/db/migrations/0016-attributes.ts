import { maxFreeVersionPart, parseFullVersion, versionSortKey } from '@moorage/base';
import type { Kysely, Migration } from 'kysely';
import type { Schema } from '../schema.ts';
import { type Column, type Index, index, makeIndex, makeTable, part, time } from './columns.ts';
import type { Ddl } from './index.ts';

const deviceKey: Column = { ...part('devices'), key: true };
const nameKey: Column = { type: 'name', key: true };
const name: Column = { type: 'name' };

const tables: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  attributes: {
    device_id: deviceKey,
    name: nameKey,
    value: name,
    number: { type: 'real', optional: true },
    version_key: { ...name, optional: true },
    since: time,
  },
  labels: { device_id: deviceKey, name: nameKey, value: name },
};

const indexes: readonly Index[] = [
  index('attributes', 'name', 'value', 'device_id'),
  index('attributes', 'name', 'number', 'device_id'),
  index('attributes', 'name', 'version_key', 'device_id'),
  index('labels', 'name', 'value', 'device_id'),
];

const pageRows = 1_000;

/** The version that devices run becomes their first attribute; from now on a report writes it. */
async function takeVersions(db: Kysely<Schema>): Promise<void> {
  for (let after = ''; ; ) {
    const page = await db
      .selectFrom('devices')
      .select(['id', 'bversion', 'last_seen_at', 'created_at'])
      .where('bversion', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(pageRows)
      .execute();
    const values = page.flatMap(({ id, bversion, last_seen_at, created_at }) => {
      const version = /^[^,]*-(\d+(?:\.\d+){3})(?:,|$)/.exec(bversion ?? '')?.[1];
      const parsed = version === undefined ? undefined : parseFullVersion(version, maxFreeVersionPart);
      if (version === undefined || !parsed?.ok) return [];
      const since = last_seen_at ?? created_at;
      const version_key = versionSortKey(parsed.value);
      return [{ device_id: id, name: 'version', value: version, number: null, version_key, since }];
    });
    if (values.length > 0) await db.insertInto('attributes').values(values).execute();
    after = page.at(-1)?.id ?? '';
    if (page.length < pageRows) return;
  }
}

/** What devices report of themselves, and labels that are set on them. */
export const attributes = (ddl: Ddl): Migration => ({
  async up(db) {
    for (const [table, columns] of Object.entries(tables)) await makeTable(db, ddl, table, columns, { ordered: true });
    for (const wanted of indexes) await makeIndex(db, wanted);
    // Safe: the tables that it reads and writes are there by now.
    await takeVersions(db as Kysely<Schema>);
  },
});
