import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRecords, tables } from '../../tables.ts';
import { loadBefore } from '../../testing/before.ts';
import { databaseSource, eachEmptyDatabase } from '../../testing/index.ts';
import { goesWith, referencesTo, refuseHeld } from './references.ts';
import type { Db, Storage } from './storage.ts';
import type { Table } from './table.ts';

class RolledBack extends Error {}

/** Columns that name something and are no reference, by what that is for. */
const loose: Readonly<Record<string, readonly string[]>> = {
  'tells what was, whatever has become of it': [
    'audit.object_id',
    'audit.product_id',
    'audit.token_id',
    'audit.user_id',
    'audit_queue.object_id',
    'audit_queue.product_id',
    'audit_queue.token_id',
    'audit_queue.user_id',
    'blobs.put_by',
    'devices.blocked_by',
    'executions.bundle_id',
    'logs.bundle_id',
    'logs.device_id',
    'logs.owner_id',
    'logs.product_id',
    'logs.user_id',
    'rollouts.bundle_id',
    'tokens.opened_by',
  ],
  'is sent all the same, without it': ['deliveries.device_id', 'deliveries.log_id'],
  'is to be taken back elsewhere': ['announced.device_id', 'announced_places.connector_id', 'announcements.device_id'],
  'is a count, or goes with what has the reference': [
    'connector_events.product_id',
    'count_devices.product_id',
    'count_devices.user_id',
    'polls.owner_id',
    'polls.product_id',
  ],
  'is written by what makes and deletes the other': [
    'devices.update_id',
    'executions.update_id',
    'platforms.avatar_id',
    'platforms.product_id',
    'products.customer_id',
    'users.avatar_id',
    'users.customer_id',
    'users.service_product_id',
  ],
  'is no row of ours': [
    'bundles.remote_id',
    'channels.process_id',
    'found_modules.gateway_id',
    'passkeys.credential_id',
    'platforms.part_id',
  ],
};

it('a column that names a row is a reference, or says why not', () => {
  const names = Object.entries(tables as Readonly<Record<string, Table>>).flatMap(([table, { columns }]) =>
    Object.entries(columns)
      .filter(([column, { references, lists }]) => /_(id|by)$/.test(column) && !references && !lists)
      .map(([column]) => `${table}.${column}`),
  );
  expect(names.toSorted()).toEqual(Object.values(loose).flat().toSorted());
});

eachEmptyDatabase('what goes with a row that is deleted', (_open, kind) => {
  const source = databaseSource(kind, { holds: 'nothing' });
  let storage: Storage;
  beforeAll(async () => {
    const address = await source.make();
    await loadBefore(address);
    storage = await openRecords(address);
  });
  afterAll(async () => {
    await storage.close();
    await source.remove();
  });

  /** Does something in a transaction that leaves nothing. */
  const tried = async <T>(run: (trx: Db) => Promise<T>): Promise<T> => {
    const outcome: { value?: T } = {};
    await storage
      .transaction(async (trx) => {
        outcome.value = await run(trx);
        throw new RolledBack();
      })
      .catch((error) => {
        if (!(error instanceof RolledBack)) throw error;
      });
    // Safe: only a run that ended is rolled back by this.
    return outcome.value as T;
  };
  const known = Object.entries(tables as Readonly<Record<string, Table>>).flatMap(([table, { known }]) =>
    known ? [{ table, what: known[0] }] : [],
  );
  const countAll = async (trx: Db) => {
    const counts = new Map<string, number>();
    for (const { table, what } of known) {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(trx);
      counts.set(what, Number(rows[0]?.n));
    }
    return counts;
  };
  const whole = Object.entries(tables as Readonly<Record<string, Table>>)
    .filter(([, { columns }]) => columns.id?.key && columns.id.type === 'text')
    .map(([name]) => name);

  it.each(whole)('of %s is what the database takes along', async (table) => {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(storage.db);
    expect(rows.length, 'rows of the fixture').toBeGreaterThan(0);
    for (const { id } of rows) {
      const compared = await tried(async (trx) => {
        const before = await countAll(trx);
        const said = await goesWith(storage, trx, table, id);
        const done = await sql`savepoint before_it`
          .execute(trx)
          .then(() => sql`delete from ${sql.table(table)} where id = ${id}`.execute(trx))
          .then(() => true)
          .catch(() => false);
        if (!done) return undefined;
        const after = await countAll(trx);
        const own = known.find((one) => one.table === table)?.what;
        const gone = [...before].map(
          ([what, n]) => [what, n - (after.get(what) ?? 0) - (what === own ? 1 : 0)] as const,
        );
        const counted = Object.entries(said.data.with ?? {}).map(([what, names]) => [
          what,
          typeof names === 'number' ? names : names.length,
        ]);
        return { gone: Object.fromEntries(gone.filter(([, n]) => n > 0)), said: Object.fromEntries(counted) };
      });
      if (compared) expect(compared.said).toEqual(compared.gone);
    }
  });

  it('is refused where another row holds it, and the names of those are said', async () => {
    const held: string[] = [];
    for (const target of Object.keys(tables)) {
      for (const { table, named, column, said } of referencesTo(tables, target)) {
        if (!(said.holds || said.lists)) continue;
        held.push(`${table}.${column} holds ${target}`);
        const id = randomUUID();
        const [name] = named.known?.slice(1) ?? [];
        if (name === undefined) throw new Error(`The rows of ${table} hold others and have no names`);
        // No row of that id is needed: what a list names is looked up by the list alone.
        const refusal = await tried(async (trx) => {
          if (said.lists) await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${`["${id}"]`}`.execute(trx);
          const of = said.lists
            ? id
            : (await sql<{ id: string }>`select id from ${sql.table(target)}`.execute(trx)).rows[0]?.id;
          if (!said.lists) await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${of}`.execute(trx);
          return refuseHeld(storage, trx, target, { id: of ?? '', named: 'It' });
        });
        expect(refusal).toMatchObject({
          code: 'IN_USE',
          message: expect.stringMatching(/^It is in use by .+ ".+"/),
        });
      }
    }
    expect(held).toEqual(['alert_rules.connectors holds connectors', 'alert_rules.segment_id holds segments']);
  });
});
