import { type Settings, settingsTable } from '@moorage/service/engine/settings/settings';
import { UserError } from '../command-line/define.ts';
import type { OptionSources, OptionTable } from '../command-line/options.ts';
import { storageTrouble } from '../service/trouble.ts';
import { readServiceSettings } from './serve.ts';

/** What works on a storage without a service; it takes a while to load. */
export type Administration = typeof import('@moorage/service/administration');

/** Whether a setting says where a service keeps its things. */
const isStorage = (name: string): boolean => /^(data|database|blobs|s3-.*)$/.test(name);

/** A command's own options beside those of the storage, whose values only `readServiceSettings` gives. */
export const withStorageOptions = <T extends OptionTable>(own: T): T => ({
  ...Object.fromEntries(Object.entries(settingsTable).filter(([name]) => isStorage(name))),
  ...own,
});

/** Runs work on a storage, and turns what the user can mend into an error without a stack. */
export async function onStorage<T>(
  sources: OptionSources,
  work: (administration: Administration, settings: Settings) => Promise<T>,
): Promise<T> {
  const settings = readServiceSettings(sources);
  const administration = await import('@moorage/service/administration');
  try {
    return await work(administration, settings);
  } catch (error) {
    if (error instanceof administration.BackupError) throw new UserError(error.message, 1, { cause: error });
    throw storageTrouble(error, settings.database);
  }
}
