import { type Clock, dayMs, unwrap, VirtualClock } from '@moorage/base';
import { restoreStorage } from './administration.ts';
import { buildService, type Service } from './app.ts';
import { ensureAdministrator, firstAdministrator, issueToken } from './core/auth/accounts.ts';
import { timeOfBackup } from './engine/backup/restore.ts';
import { memoryBlobs } from './engine/blobs/memory-blobs.ts';
import { resolveSettings, type Settings, withoutRates } from './engine/settings/settings.ts';

/** Nothing of it is kept, so nothing of it is scarce. */
const settings: Settings = {
  ...unwrap(resolveSettings({})),
  database: 'sqlite::memory:',
  deviceInsecure: true,
  ...withoutRates,
  quotaDevices: 1_000_000,
  quotaMebibytes: 1_000_000,
};

/** Nothing is sent from it and no other process is there: it looks for neither more than once a day. */
const seldom = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (delayMs, task) => clock.after(Math.max(delayMs, dayMs), task),
});

/** A service that lives in this process alone, and a token of its administrator. Devices call it without TLS. */
export async function serviceInMemory(clock: Clock): Promise<{ readonly service: Service; readonly token: string }> {
  const parts = { settings, clock, lookClock: seldom(clock), blobs: memoryBlobs(clock) };
  const service = await buildService({ ...parts, logLevel: 'silent' });
  await Promise.all([service.api.ready(), service.devices.ready()]);
  unwrap(await ensureAdministrator(service.deps, () => {}));
  return { service, token: await tokenFor(service) };
}

async function tokenFor({ deps }: Service): Promise<string> {
  const administrator = await firstAdministrator(deps.storage.db);
  if (!administrator) throw new Error('There is no administrator');
  return (await issueToken(deps, administrator.id, 'In memory')).token;
}

/**
 * A service over what a backup holds, at the time of that, for questions alone: it does nothing by itself.
 *
 * @param folder an empty one, for what the backup holds
 * @throws {BackupError}
 */
export async function serviceOfBackup(
  file: string,
  folder: string,
): Promise<{ readonly service: Service; readonly token: string }> {
  const kept = { database: `sqlite:${folder}/records.db`, blobs: `file:${folder}/blobs` };
  const settings: Settings = { ...unwrap(resolveSettings({})), ...kept, ...withoutRates };
  const clock = new VirtualClock(await timeOfBackup(file));
  await restoreStorage(settings, file);
  const service = await buildService({ settings, clock, withoutBackgroundWork: true, logLevel: 'silent' });
  await service.api.ready();
  return { service, token: await tokenFor(service) };
}
