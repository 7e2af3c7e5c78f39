import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '@moorage/base';
import { backUp } from '@moorage/service/engine/backup/backup';
import { diskBlobs } from '@moorage/service/engine/blobs/backends/disk-blobs';
import { openRecords } from '@moorage/service/tables';
import { otaWorld } from '@moorage/service/testing/ota-world';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../command-line/options.ts';
import { readInput } from './input.ts';
import { rehearseOptions } from './options.ts';

describe('a backup instead of a service that runs', () => {
  let folder: string;
  let flags: Readonly<Record<string, string>>;
  let code: string;
  let version: string;
  let running: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moorage-rehearse-'));
    const database = `sqlite:${folder}/records.db`;
    const storage = await openRecords(database);
    const blobs = await diskBlobs(`${folder}/blobs`);
    const world = await otaWorld(storage, { blobs });
    const { clock } = world.app;
    await world.app.make.admin();
    const { bundleOf, product, release } = await world.productWithRelease();
    const bundle = await bundleOf(null);
    for (let made = 0; made < 3; made++) {
      await world.deviceOn(product.id, { bversion: release.bversion, last_seen_at: clock.now() - 60_000 });
    }
    const maker = world.app.client.as(world.people.maker.token);
    const body = { title: 'Spring', bundle_id: bundle.id, settings: { stages: [{ percent: 50 }, {}] } };
    const params = { product_id: product.id };
    const { id } = unwrap(await maker.call('rollouts.create', { params, body })).value;
    flags = { rollout: id, backup: join(folder, 'service.tar') };
    code = product.product;
    version = bundle.version;
    running = release.version;
    await backUp({ database, blobs, file: flags.backup ?? '', version: '1', clock });
    await world.app.service.close();
    await storage.close();
    // What is unpacked has a folder of its own.
    vi.stubEnv('TMPDIR', await mkdtemp(join(folder, 'temporary-')));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  const asked = (more: Readonly<Record<string, string>> = {}) =>
    readInput(unwrap(resolveOptions(rehearseOptions, { flags: { ...flags, ...more }, env: {}, file: {} })));

  it('has the rollout, the files of its bundle and the shape of the fleet, and leaves nothing', async () => {
    const { rehearsal } = await asked();
    const settings = { stages: [{ percent: 50 }, {}] };
    expect(rehearsal).toMatchObject({ rollout: { title: 'Spring', settings }, version, silentPercent: 0 });
    expect(rehearsal.scenario.groups).toMatchObject([{ version: running, share: 3 }]);
    expect(rehearsal.files?.map(({ filename }) => filename).sort()).toEqual(['conf.json', 'web/a page.html']);
    expect(await readdir(tmpdir())).toEqual([]);
  });

  it('names what it does not have', async () => {
    const rollout = '00000000-0000-4000-8000-000000000000';
    await expect(asked({ rollout })).rejects.toThrow('Rollout not found');
    await expect(asked({ product: `${code}X` })).rejects.toThrow(`Option --product is "${code}X"`);
    await expect(asked({ backup: join(folder, 'records.db') })).rejects.toThrow('is not a whole backup');
    expect(await readdir(tmpdir())).toEqual([]);
  });
});
