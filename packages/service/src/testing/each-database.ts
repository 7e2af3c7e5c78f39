import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, inject } from 'vitest';
import { openStorage } from '../db/open.ts';
import type { Storage } from '../db/storage.ts';
import { onServer } from './postgres-databases.ts';

export type DatabaseKind = Storage['kind'];

/** Opens a new, empty database with all tables; it is closed and removed after the suite. */
export type OpenDatabase = () => Promise<Storage>;

/** Where a suite's databases come from, and how they go. */
export interface DatabaseSource {
  /** Makes a database; returns its address. */
  make(): Promise<string>;
  remove(): Promise<void>;
}

interface SqliteTemplate {
  readonly folder: string;
  readonly path: string;
}

/** Making the tables takes longer than most tests; a copy of the file does not. */
async function sqliteTemplate(): Promise<SqliteTemplate> {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-sqlite-'));
  const path = join(folder, 'template.db');
  await (await openStorage(`sqlite:${path}`)).close();
  return { folder, path };
}

export interface SourceOptions {
  /** Databases without tables. */
  readonly empty?: boolean;
}

function sqliteSource({ empty }: SourceOptions = {}): DatabaseSource {
  // Made at the first use: a suite whose tests are left out leaves nothing behind.
  let template: Promise<SqliteTemplate> | undefined;
  return {
    async make() {
      template ??= sqliteTemplate();
      const { folder, path } = await template;
      const copy = join(folder, `${randomUUID()}.db`);
      if (!empty) copyFileSync(path, copy);
      return `sqlite:${copy}`;
    },
    async remove() {
      if (template) rmSync((await template).folder, { recursive: true, force: true });
    },
  };
}

function postgresSource({ empty }: SourceOptions = {}): DatabaseSource {
  const url = inject('postgresUrl');
  const names: string[] = [];
  return {
    make() {
      const name = `moorage_${randomUUID().replaceAll('-', '')}`;
      names.push(name);
      return onServer(url, (server) => (empty ? server.create(name) : server.copy(inject('postgresTemplate'), name)));
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

/**
 * Runs a suite on each database. `open` gives a new database each time it is called; `address` gives one that is not
 * opened yet, for tests of opening itself.
 */
export function eachDatabase(
  title: string,
  suite: (open: OpenDatabase, kind: DatabaseKind, address: () => Promise<string>) => void,
): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(`${title} (${kind})`, () => {
      const source = sources[kind]();
      const opened: Storage[] = [];
      afterAll(async () => {
        for (const storage of opened) await storage.close();
        await source.remove();
      });
      const open: OpenDatabase = async () => {
        const storage = await openStorage(await source.make());
        opened.push(storage);
        return storage;
      };
      suite(open, kind, () => source.make());
    });
  }
}
