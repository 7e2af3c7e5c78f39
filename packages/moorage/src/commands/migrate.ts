import { defineCliCommand } from '../command-line/define.ts';
import { onStorage, withStorageOptions } from './storage-options.ts';

export const migrateCommand = defineCliCommand({
  name: 'migrate',
  summary: 'Make the tables of a service, or bring them up to date, without starting it',
  options: withStorageOptions({}),
  async run({ sources, reporter }) {
    const migrations = await onStorage(sources, ({ migrateStorage }, place) => migrateStorage(place));
    const prose = migrations.length > 0 ? `Migrated: ${migrations.join(', ')}` : 'The tables are up to date';
    reporter.event('migrated', { migrations }, prose);
  },
});
