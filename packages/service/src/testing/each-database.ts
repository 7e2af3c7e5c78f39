import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import type { Storage } from '../engine/db/storage.ts';
import { openRecords } from '../tables.ts';
import { onServer } from './postgres-databases.ts';

/** Whether the tests run with every extension: those of the specification run with none, too. */
export const extensionsRun = process.env.MOORAGE_TEST_EXTENSIONS !== 'none';

export type DatabaseKind = Storage['kind'];

/** Opens a new database with all tables; it is closed and removed after the suite. */
export type OpenDatabase = () => Promise<Storage>;

/** Where a suite's databases come from, and how they go. */
export interface DatabaseSource {
  /** Makes a database; returns its address. */
  make(): Promise<string>;
  remove(): Promise<void>;
}

export interface SourceOptions {
  /** What is in a new database; a service has started on it once, without this. */
  readonly holds?: 'nothing' | 'tables' | 'first start';
}

function sqliteSource({ holds = 'first start' }: SourceOptions = {}): DatabaseSource {
  // Made at the first use: a suite whose tests are left out leaves nothing behind.
  let folder: string | undefined;
  return {
    async make() {
      folder ??= mkdtempSync(join(tmpdir(), 'moorage-sqlite-'));
      const copy = join(folder, `${randomUUID()}.db`);
      if (holds !== 'nothing') copyFileSync(inject('templates').sqlite[holds], copy);
      return `sqlite:${copy}`;
    },
    async remove() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function postgresSource({ holds = 'first start' }: SourceOptions = {}): DatabaseSource {
  const url = inject('postgresUrl');
  const names: string[] = [];
  return {
    make() {
      const name = `moorage_${randomUUID().replaceAll('-', '')}`;
      names.push(name);
      return onServer(url, (server) =>
        holds === 'nothing' ? server.create(name) : server.copy(inject('templates').postgres[holds], name),
      );
    },
    async remove() {
      if (names.length === 0) return;
      await onServer(url, async (server) => {
        for (const name of names) await server.drop(name);
      });
    },
  };
}

const sources = { sqlite: sqliteSource, postgres: postgresSource } as const;

/** Databases of one kind for a test that removes them itself. */
export const databaseSource = (kind: DatabaseKind, options?: SourceOptions): DatabaseSource => sources[kind](options);

type Suite = (open: OpenDatabase, kind: DatabaseKind, address: () => Promise<string>) => void;

function onEach(title: string, suite: Suite, options: SourceOptions): void {
  // What differs between the databases does so with all extensions.
  for (const kind of extensionsRun ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)) {
    describe(`${title} (${kind})`, () => {
      const source = sources[kind](options);
      const opened: Storage[] = [];
      afterAll(async () => {
        for (const storage of opened) await storage.close();
        await source.remove();
      });
      const open: OpenDatabase = async () => {
        const storage = await openRecords(await source.make());
        opened.push(storage);
        return storage;
      };
      suite(open, kind, () => source.make());
    });
  }
}

/**
 * Runs a suite on each database, in which a service has made its authority and keys. `open` gives a new one each time
 * it is called; `address` gives one that is not opened yet, for tests of opening itself.
 */
export const eachDatabase = (title: string, suite: Suite): void => onEach(title, suite, { holds: 'first start' });

/** The same with databases that have tables and no rows. */
export const eachEmptyDatabase = (title: string, suite: Suite): void => onEach(title, suite, { holds: 'tables' });
