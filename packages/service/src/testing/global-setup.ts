import { spawn } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { openRecords } from '../tables.ts';
import { buildApp } from './build-app.ts';
import { onServer } from './postgres-databases.ts';

/** Databases by what is in them. */
interface Templates {
  /** All of them, without a row. */
  readonly tables: string;
  /** And what the first start of a service makes: its authority, certificate and keys. */
  readonly 'first start': string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** A database of the PostgreSQL server that the test run may do anything with. */
    readonly postgresUrl: string;
    /** The databases that others are copied from: names on that server, and paths of SQLite files. */
    readonly templates: Readonly<Record<'postgres' | 'sqlite', Templates>>;
  }
}

const guard = fileURLToPath(new URL('./run-guard.ts', import.meta.url));
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/compiled', import.meta.url));

/** A folder in memory, where thousands of small databases cost no disk time, and what a run may take of it, in bytes. */
const memoryFolder = '/dev/shm';
const memoryNeeded = 4 * 2 ** 30;

/** Where all files of the run go: into memory when there is plenty of it. */
function makeRunFolder(): string {
  let parent = tmpdir();
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    if (Math.min(bavail * bsize, process.availableMemory()) >= memoryNeeded) parent = memoryFolder;
  } catch {
    // There is none on this system.
  }
  const folder = mkdtempSync(join(parent, 'moorage-test-'));
  // The database server may have an account of its own.
  chmodSync(folder, 0o755);
  return folder;
}

interface Guarded {
  /** Of the database server; empty when none was asked for. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a guard, which stops the server and removes the folder even when the test run is killed. */
function startGuard(folder: string, withServer: boolean): Promise<Guarded> {
  const args = [guard, folder, ...(withServer ? ['server'] : [])];
  // Its own process group: Ctrl-C in the terminal ends the test run first, then the guard sees the pipe close.
  const process_ = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const exited = new Promise<void>((resolve) => process_.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    let output = '';
    process_.once('error', reject);
    process_.once('exit', () => reject(new Error('PostgreSQL for the tests did not start')));
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!output.endsWith('\n')) return;
      resolve({
        url: output.trim(),
        stop: async () => {
          process_.stdin.end('done\n');
          await exited;
        },
      });
    });
  });
}

/** Starts a service once, and ends it. */
async function startFirst(database: string): Promise<void> {
  const storage = await openRecords(database);
  await (await buildApp(storage)).service.close();
  await storage.close();
}

/**
 * One folder for all that a test run writes, and one real PostgreSQL server with a template database whose tables are
 * made. The variable TEST_DATABASE_URL names another server to use; its user must be allowed to create databases.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const folder = makeRunFolder();
  // Settings of a service are those of a test, and none of the shell that has started the tests.
  for (const name of Object.keys(process.env)) if (name.startsWith('MOORAGE_')) delete process.env[name];
  // Workers, and what they start, inherit both. Programs that are started again and again find what was compiled.
  process.env.TMPDIR = folder;
  process.env.NODE_COMPILE_CACHE ??= compileCache;
  const guarded = await startGuard(folder, given === undefined);
  const url = given ?? guarded.url;
  console.log(given === undefined ? 'PostgreSQL for the tests is up' : 'Tests use the server of TEST_DATABASE_URL');
  const templates = {
    postgres: { tables: `moorage_tables_${process.pid}`, 'first start': `moorage_first_${process.pid}` },
    sqlite: { tables: join(folder, 'tables.db'), 'first start': join(folder, 'first.db') },
  };
  await onServer(url, async (server) => {
    const { postgres, sqlite } = templates;
    await (await openRecords(await server.create(postgres.tables))).close();
    await (await openRecords(`sqlite:${sqlite.tables}`)).close();
    await startFirst(await server.copy(postgres.tables, postgres['first start']));
    copyFileSync(sqlite.tables, sqlite['first start']);
    await startFirst(`sqlite:${sqlite['first start']}`);
  });
  project.provide('postgresUrl', url);
  project.provide('templates', templates);
  return async () => {
    if (given !== undefined) {
      await onServer(url, async (server) => {
        for (const name of Object.values(templates.postgres)) await server.drop(name);
      });
    }
    await guarded.stop();
  };
}
