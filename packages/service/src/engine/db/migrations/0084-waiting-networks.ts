import type { Migration } from 'kysely';

/** Devices that wait at a door have the networks that they first came from: none fills the list alone. */
export const waitingNetworks = (): Migration => ({
  async up(db) {
    for (const column of ['from_address', 'from_network'])
      await db.schema.alterTable('door_waiting').addColumn(column, 'text').execute();
  },
});
