import { readFile } from 'node:fs/promises';
import { CallError, clientOptions, connect, type ServiceClient } from '../client/service-client.ts';
import { defineCliCommand, UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';
import { writeOwn } from '../files/private-file.ts';

/** An archive somewhere, and how it is replaced. */
interface Kept {
  readonly where: string;
  readonly read: () => Promise<Uint8Array>;
  readonly replace: (bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>;
}

const prefix = 'backups/';

export const gatewayScrubCommand = defineCliCommand({
  name: 'scrub',
  parent: 'gateway',
  summary:
    'Find passwords in backups at the service, or in archives here, and take them out. Without --yes it only lists',
  arguments: [
    { name: 'FILE', help: 'an archive here; without one all backups at the service', optional: true, many: true },
  ],
  options: {
    ...clientOptions,
    yes: { kind: 'switch', help: 'replace each by its clean form; the old one cannot be had again' },
  },
  async run({ options, args, reporter }) {
    let [looked, dirty] = [0, 0];
    const kept = args.length > 0 ? filesHere(args) : backupsAt(await connect(options));
    for await (const one of kept) {
      looked++;
      if (await scrub(one, options.yes, reporter)) dirty++;
    }
    const said = options.yes
      ? `${dirty} of ${looked} archives are cleaned`
      : `${dirty} of ${looked} archives hold passwords`;
    reporter.event('scrubbed', { archives: looked, dirty, replaced: options.yes }, said);
    if (dirty > 0 && !options.yes) throw new UserError('Nothing was changed: give --yes');
  },
});

async function* filesHere(paths: readonly string[]): AsyncGenerator<Kept> {
  for (const path of paths) {
    const read = (): Promise<Uint8Array> =>
      readFile(path).catch((error: Error) => {
        throw new UserError(`"${path}" cannot be read: ${error.message}`, 2, { cause: error });
      });
    yield { where: path, read, replace: (bytes) => writeOwn(path, bytes) };
  }
}

async function* backupsAt(service: ServiceClient): AsyncGenerator<Kept> {
  const devices = await service.all((page) => service.call('devices.list', { query: page }));
  for (const { id: device_id } of devices) {
    const query = { prefix };
    const files = await service
      .all((page) => service.call('deviceFiles.list', { params: { device_id }, query: { ...query, ...page } }))
      .catch((error: unknown) => {
        // A device that is gone meanwhile, or whose files are for others.
        if (error instanceof CallError && [403, 404].includes(error.status)) return [];
        throw error;
      });
    for (const { path } of files) {
      if (!path.endsWith('.zip')) continue;
      const params = { device_id, path };
      yield {
        where: `${path} of device ${device_id}`,
        read: async () => (await service.call('deviceFiles.get', { params })).value,
        replace: (body) => service.call('deviceFiles.upload', { params, body }),
      };
    }
  }
}

/** Whether an archive holds passwords that it was to be without; with `yes` it is replaced. */
async function scrub({ where, read, replace }: Kept, yes: boolean, reporter: Reporter): Promise<boolean> {
  const { cleaned, packArchive, unpackArchive } = await import('@moorage/gateway');
  const archive = unpackArchive(await read());
  if (!archive.ok) {
    reporter.event('unread', { where, why: archive.error }, `${where}: it is not looked at: ${archive.error}`);
    return false;
  }
  const clean = cleaned(archive.value);
  if (!clean) return false;
  if (yes) await replace(Uint8Array.from(packArchive(clean.archive)));
  const { found } = clean;
  reporter.event('dirty', { where, found, replaced: yes }, `${where}: ${found.join(', ') || 'passwords in its texts'}`);
  return true;
}
