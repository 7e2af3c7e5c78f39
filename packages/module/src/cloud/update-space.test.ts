import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { fileFlags } from '../device/flash.ts';
import { defaultModel } from '../model/model.ts';
import { clientRig, contentOf, pattern } from '../testing/client-rig.ts';

const kib = 1024;
const user = fileFlags.user;
const essential = fileFlags.user | fileFlags.essential;

/** A module with 64 KiB of extended flash that holds these files, and an offer of others. Sizes in KiB. */
async function crowded(
  held: readonly (readonly [name: string, sizeKib: number, flags: number])[],
  offered: readonly (readonly [name: string, sizeKib: number])[],
  maxFilesPerArea = 100,
) {
  const flash = { areaBytes: { i: 0, e: 64 * kib, b: 0 }, maxFilesPerArea };
  const rig = await clientRig({ model: { ...defaultModel, files: [], flash } });
  for (const [name, sizeKib, flags] of held) {
    const size = sizeKib * kib;
    const writer = unwrap(await rig.module.flash.create({ name, size, version: [1, 0, 0, 0], type: 0xfe, flags }));
    await writer.append(pattern(size));
    unwrap(await writer.finish());
  }
  const files = offered.map(([name, sizeKib]) => ({ name, content: pattern(sizeKib * kib, 3), version: '2.0.0.0' }));
  rig.peer.bundle = { id: '22222222-2222-4222-8222-222222222222', version: '1.0.0.2', files };
  const names = () =>
    rig.module.flash
      .list()
      .map((info) => info.name)
      .sort();
  return { ...rig, names };
}

/** Spec: MOD-FILE-essential. */
describe('space for an update', () => {
  test('users keep their files while there is room', async () => {
    const rig = await crowded([['notes', 16, user]], [['app', 48]]);
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'notes']);
  });

  test('the largest file of a user goes first, and no more than needed', async () => {
    const rig = await crowded(
      [
        ['small', 4, user],
        ['medium', 12, user],
        ['large', 24, user],
      ],
      [['app', 44]],
    );
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'medium', 'small']);
  });

  test('essential files and files of the system stay, whatever their size', async () => {
    const rig = await crowded(
      [
        ['essential', 24, essential],
        ['system', 8, fileFlags.system],
        ['firmware part', 4, 0],
        ['notes', 8, user],
      ],
      [['app', 24]],
    );
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'essential', 'firmware part', 'system']);
  });

  test('an update that essential files leave no room for fails with result 3 and deletes nothing', async () => {
    const rig = await crowded(
      [
        ['essential', 40, essential],
        ['notes', 8, user],
      ],
      [['app', 32]],
    );
    expect(await rig.until(rig.module.client.ota())).toMatchObject({ ok: false, error: { result: 3 } });
    expect(rig.names()).toEqual(['essential', 'notes']);
    expect(rig.peer.reports).toMatchObject([{ result: 3 }]);
  });

  test('the older version makes way when nothing else can', async () => {
    const rig = await crowded(
      [
        ['essential', 8, essential],
        ['app', 40, 0],
      ],
      [['app', 48]],
    );
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'essential']);
    expect((await contentOf(rig.module, 'app'))?.length).toBe(48 * kib);
  });

  test('a large file that makes no room next to free space is spared', async () => {
    const rig = await crowded(
      [
        ['large', 16, user],
        ['essential', 4, essential],
        ['small', 12, user],
      ],
      [['app', 40]],
    );
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'essential', 'large']);
  });

  test('the older version stays when the new one would not fit in its place either', async () => {
    const rig = await crowded(
      [
        ['app', 40, 0],
        ['essential', 8, essential],
      ],
      [['app', 48]],
    );
    expect(await rig.until(rig.module.client.ota())).toMatchObject({ ok: false, error: { result: 3 } });
    expect((await contentOf(rig.module, 'app'))?.length).toBe(40 * kib);
  });

  test('a full index is as good a reason as a full area', async () => {
    const rig = await crowded(
      [
        ['one', 1, user],
        ['two', 2, user],
      ],
      [['app', 1]],
      2,
    );
    expect((await rig.until(rig.module.client.ota())).ok).toBe(true);
    expect(rig.names()).toEqual(['app', 'one']);
  });
});
