import { defineCliCommand, UserError } from '../command-line/define.ts';
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

/** What was carried, in words. */
const inWords = ({ rows, blobs, bytes }: { rows: number; blobs: number; bytes: number }): string =>
  `${rows} records and ${blobs} file contents, ${bytes} bytes`;

export const backupCommand = defineCliCommand({
  name: 'backup',
  summary: 'Write everything that a service keeps to one file, also while it runs. The file holds its secrets',
  arguments: [{ name: 'FILE', help: 'the archive (tar) to make; it must not be there yet' }],
  options: withStorageOptions({}),
  async run({ sources, args: [file = ''], reporter }) {
    const carried = await onStorage(sources, ({ backUpStorage }, place) => backUpStorage(place, file));
    reporter.event('backup', { file, ...carried }, `Backed up to ${file}: ${inWords(carried)}`);
  },
});

export const restoreCommand = defineCliCommand({
  name: 'restore',
  summary: 'Bring a backup into an empty storage, of either database',
  arguments: [{ name: 'FILE', help: 'archive that `moorage backup` has made' }],
  options: withStorageOptions({}),
  async run({ sources, args: [file = ''], reporter }) {
    const carried = await onStorage(sources, ({ restoreStorage }, place) => restoreStorage(place, file));
    reporter.event('restored', { file, ...carried }, `Restored from ${file}: ${inWords(carried)}`);
  },
});

export const checkCommand = defineCliCommand({
  name: 'check',
  summary: 'Compare the contents of all stored files with their names, also while the service runs',
  options: withStorageOptions({}),
  async run({ sources, reporter }) {
    let damaged = 0;
    const count = await onStorage(sources, ({ checkStoredFiles }, place) =>
      checkStoredFiles(place, ({ sha256, state, usedBy }) => {
        damaged++;
        reporter.event('damaged', { sha256, state, used_by: usedBy }, `${sha256} is ${state}: ${usedBy.join(', ')}`);
      }),
    );
    reporter.event('checked', { contents: count, damaged }, `${count} contents, ${damaged} of them damaged`);
    if (damaged > 0) throw new UserError('Store the same files again, or restore a backup', 1);
  },
});
