import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { freePort, PostgresServer } from '../../testing/postgres-server.ts';
import { openSnapshot } from './open-snapshot.ts';
import type { Storage } from './storage.ts';

const password = 'the same on both';

/** Runs a statement on a server, whether it takes changes or not. */
async function run(server: PostgresServer, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url(), options: '-c default_transaction_read_only=off' });
  await client.connect();
  await client.query(statement);
  await client.query('select pg_reload_conf()');
  await client.end();
}

const becomeStandby = (server: PostgresServer) => run(server, 'alter system set default_transaction_read_only = on');
const becomePrimary = (server: PostgresServer) => run(server, 'alter system reset default_transaction_read_only');

/** The port of the server at the other end. */
async function portOf({ db }: Storage): Promise<number | undefined> {
  const { rows } = await sql<{ port: number }>`select inet_server_port() as port`.execute(db);
  return rows[0]?.port;
}

const write = ({ db }: Storage, name: string) => db.insertInto('settings').values({ name, value: '1' }).execute();

describe('a database with a standby', () => {
  const servers: PostgresServer[] = [];
  let folder: string;
  let [one, two]: [number, number] = [0, 0];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'moorage-standby-'));
    for (const _ of [1, 2]) servers.push(await PostgresServer.create({ durable: false }));
    for (const server of servers) await server.start();
    [one, two] = servers.map((server) => Number(new URL(server.url()).port)) as [number, number];
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) await server.remove();
    rmSync(folder, { recursive: true });
  });

  /** An address of these servers, with a login that both know. */
  const at = (ports: readonly number[], query = ''): string => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',');
    return `postgres://m:${encodeURIComponent(password)}@${hosts}/postgres${query}`;
  };
  beforeAll(async () => {
    for (const server of servers) await run(server, `create role m superuser login password '${password}'`);
  });

  it('is found at the second host when the first is gone', async () => {
    const url = at([await freePort(), two]);
    const storage = await openRecords(url);
    expect(await portOf(storage)).toBe(two);
    expect(await portOf(storage.background)).toBe(two);
    expect(storage.bus.connected).toBe(true);
    await storage.check();
    await storage.close();
    const snapshot = await openSnapshot(url, join(folder, 'scratch'));
    expect(snapshot.migrations.length).toBeGreaterThan(0);
    await snapshot.close();
  });

  it('says of all its hosts why none will do', async () => {
    const closed = await freePort();
    await becomeStandby(servers[0] as PostgresServer);
    await expect(openRecords(at([closed, one], '?target_session_attrs=read-write'))).rejects.toThrow(
      new RegExp(`ECONNREFUSED 127.0.0.1:${closed}, 127.0.0.1:${one} takes no changes$`),
    );
  });

  it('is followed to the standby that takes over, without a restart', async () => {
    const [first, second] = servers as [PostgresServer, PostgresServer];
    await becomePrimary(first);
    await becomeStandby(second);
    const storage = await openRecords(at([two, one], '?target_session_attrs=read-write'));
    expect(await portOf(storage)).toBe(one);
    await write(storage, 'before');
    await first.kill();
    await expect(write(storage, 'meanwhile')).rejects.toThrow();
    await becomePrimary(second);
    await expect.poll(() => write(storage, 'after').then(() => 'written', String), { timeout: 20_000 }).toBe('written');
    expect(await portOf(storage)).toBe(two);
    await expect.poll(() => storage.bus.connected, { timeout: 20_000 }).toBe(true);
    await storage.check();
    await storage.close();
  }, 60_000);
});
