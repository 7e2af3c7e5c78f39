import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupError } from '@moorage/service/administration';
import { serviceOfBackup } from '@moorage/service/in-memory';
import { type FieldSources, type ServiceClient, throwingClient } from '../client/service-client.ts';
import { UserError } from '../command-line/define.ts';

/** A backup that answers as its service would. */
interface OpenedBackup {
  client(sources?: FieldSources): ServiceClient;
  /** Leaves nothing of what was unpacked. */
  close(): Promise<void>;
}

/** Unpacks a backup into a folder for temporary files, and puts a service over it. @throws {UserError} */
export async function openBackup(file: string): Promise<OpenedBackup> {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-backup-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { service, token } = await serviceOfBackup(file, folder);
    return {
      client: (sources) => throwingClient('http://backup', token, sources, service.fetch),
      close: () => service.close().finally(remove),
    };
  } catch (error) {
    await remove();
    if (error instanceof BackupError) throw new UserError(`Option --backup: ${error.message}`, 1, { cause: error });
    throw error;
  }
}
