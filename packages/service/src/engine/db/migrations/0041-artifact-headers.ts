import type { Migration } from 'kysely';
import { makeTable, part, text } from './columns.ts';
import type { Ddl } from './index.ts';

/** What artifacts for Mender say of themselves. */
export const artifactHeaders = (ddl: Ddl): Migration => ({
  async up(db) {
    await makeTable(db, ddl, 'artifact_headers', {
      resource_id: { ...part('resources'), key: true },
      name: text,
      device_types: text,
    });
  },
});
