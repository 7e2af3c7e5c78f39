import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRecords } from '../../tables.ts';
import { PostgresServer } from '../../testing/index.ts';
import type { Storage } from './storage.ts';

const kills = 20;
/** A kill comes after a random number of acknowledged records, in the middle of the next ones. */
const mostRecords = 300;

/** The records that are missing although they were acknowledged. */
async function lost(storage: Storage, acknowledged: readonly string[]): Promise<string[]> {
  const rows = await storage.db.selectFrom('settings').select('name').execute();
  const kept = new Set(rows.map(({ name }) => name));
  return acknowledged.filter((name) => !kept.has(name));
}

describe('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-crash-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const writer = fileURLToPath(new URL('../../testing/crash-writer.ts', import.meta.url));

  /** Runs a writer and kills it where it stands; returns what it had acknowledged by then. */
  function writeAndDie(database: string, prefix: string): Promise<string[]> {
    const child = spawn(process.execPath, [writer, database, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
    const enough = randomInt(1, mostRecords);
    let output = '';
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.stdout.setEncoding('latin1').on('data', (text: string) => {
        output += text;
        if (output.split('\n').length > enough) child.kill('SIGKILL');
      });
      child.once('close', (_, signal) => {
        if (signal !== 'SIGKILL') reject(new Error(`The writer ended by itself: ${output.slice(-200)}`));
        // The last line may have been cut.
        else resolve(output.slice(0, output.lastIndexOf('\n')).split('\n'));
      });
    });
  }

  // Four files at a time, each killed again and again and always opened again.
  it.concurrent.each([1, 2, 3, 4])('loses no acknowledged record to kill -9 of its writer (file %i)', async (file) => {
    const database = `sqlite:${join(folder, `${file}.db`)}`;
    const acknowledged: string[] = [];
    for (let kill = 0; kill < kills / 4; kill++) {
      acknowledged.push(...(await writeAndDie(database, `k${kill}`)));
      const storage = await openRecords(database);
      expect(await lost(storage, acknowledged)).toEqual([]);
      await storage.close();
    }
    expect(acknowledged.length).toBeGreaterThan(kills / 4);
  });
});

describe('PostgreSQL', () => {
  let server: PostgresServer;
  let storage: Storage;

  beforeAll(async () => {
    server = await PostgresServer.create();
    await server.start();
    storage = await openRecords(server.url());
  });

  afterAll(async () => {
    await storage.close();
    await server.remove();
  });

  it('loses no acknowledged record to kill -9 of the server, and the service goes on by itself', async () => {
    const acknowledged: string[] = [];
    for (let kill = 0; kill < kills; kill++) {
      const enough = acknowledged.length + randomInt(1, mostRecords);
      let dead: Promise<void> | undefined;
      const write = async (lane: number): Promise<void> => {
        for (let number = 0; !dead; number++) {
          const name = `k${kill}-${lane}-${number}`;
          await storage.db.insertInto('settings').values({ name, value: '' }).execute();
          acknowledged.push(name);
          if (acknowledged.length >= enough) dead ??= server.kill();
        }
      };
      await Promise.allSettled([0, 1, 2, 3].map(write));
      await dead;
      await server.start();
      expect(await lost(storage, acknowledged)).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(kills);
  });
});
