import { bversionOf, type PeerBundle } from '@moorage/device/testing/service-peer';
import { expect, test } from 'vitest';
import { clientRig, contentOf, pattern } from '../testing/client-rig.ts';
import { momentsOf, type Rig, throughCut } from '../testing/power-cuts.ts';

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'page.html', content: pattern(3000) },
    { name: 'settings.csv', content: pattern(300, 3), flags: 'e' },
  ],
};
const bversion = bversionOf(bundle);

async function expectWhole({ module }: Pick<Rig, 'module'>, where: string) {
  for (const { name, content } of bundle.files) {
    const held = await contentOf(module, name);
    expect(held === undefined || held.equals(content), `${name} ${where}`).toBe(true);
  }
}

/** Spec: MOD-OTA-download, MOD-OTA-reboot. */
test.each(['cutAfterBytes', 'cutAfterSentBytes'] as const)(
  'a network cut (%s) anywhere in an update leaves whole files, and asking again completes it',
  async (way) => {
    // Both connections of an update: the one that installs, and the one that reports after the restart.
    for (let dial = 0; dial < 2; dial++) {
      for (let bytes = 0; bytes < 5400; bytes += 120) {
        const rig = await clientRig();
        const { module, peer, until, cutEach, clock } = rig;
        peer.bundle = bundle;
        cutEach((index) => (index === dial ? { [way]: bytes } : {}));
        const at = `${way} ${bytes} of dial ${dial}`;
        const first = await until(module.client.ota());
        await expectWhole(rig, at);
        if (!first.ok) expect(first.error.result, at).toBe(6);
        const again = await until(module.client.ota());
        expect(again, at).toEqual({ ok: true, value: first.ok ? 'none' : 'updated' });
        await clock.advance(10_000);
        expect(module.client.installed()?.bversion, at).toBe(bversion);
        expect(module.client.reportPending, at).toBe(false);
        expect(peer.reports.at(-1), at).toEqual({ bundle_id: bundle.id, result: 1, bversion });
      }
    }
  },
);

/** Spec: MOD-OTA-download, MOD-FILE-essential. */
test('a power cut in an update that frees space leaves whole files, and asking again completes it', async () => {
  const big: PeerBundle = { ...bundle, files: [{ name: 'big.bin', content: pattern(700_000) }] };
  const prepare = async ({ module, peer }: Rig) => {
    peer.bundle = big;
    for (const name of ['photo.jpg', 'notes.txt']) {
      const made = await module.execute(`file_create ${name} 300000`, Buffer.from(pattern(300_000)));
      expect(made.code).toBe(0);
    }
  };
  const act = ({ module, until }: Rig) => until(module.client.ota());
  const moments = await momentsOf(act, { prepare });
  // What bytes a cut hits is all the same: each operation that is not one more piece of the file, and some that are.
  const chosen = moments.filter((_, index) => index < 24 || index > moments.length - 40 || index % 40 < 2);
  for (const cut of chosen) {
    const { module, until } = await throughCut(cut, act, { prepare });
    const at = JSON.stringify(cut);
    for (const name of ['photo.jpg', 'notes.txt', 'big.bin']) {
      const held = await contentOf(module, name);
      const whole = name === 'big.bin' ? 700_000 : 300_000;
      expect(held === undefined || held.equals(pattern(whole)), `${name} ${at}`).toBe(true);
    }
    expect((await until(module.client.ota())).ok, at).toBe(true);
    expect((await contentOf(module, 'big.bin'))?.length, at).toBe(700_000);
  }
});

/** Spec: MOD-OTA-reboot. */
test('a module that lost its power in an update comes back with what it ran, and says so', async () => {
  const rig = await clientRig();
  const { clock, events, module, network, peer, powerOn, store, until } = rig;
  peer.bundle = bundle;
  expect(await until(module.client.ota())).toEqual({ ok: true, value: 'updated' });
  expect((await until(module.client.info())).ok).toBe(true);
  const next: PeerBundle = { ...bundle, id: '33333333-3333-4333-8333-333333333333', version: '1.0.0.3' };
  peer.bundle = { ...next, files: [{ name: 'page.html', content: pattern(9000, 9) }] };
  // The plug is pulled while the file is on its way.
  network.conditions = () => ({ latencyMs: 200 });
  const updating = module.client.ota();
  for (let step = 0; step < 100 && events.at(-1)?.type !== 'progress'; step++) await clock.advance(50);
  const left = store.survivor();
  await module.close();
  expect((await until(updating)).ok).toBe(false);
  network.conditions = () => ({});
  peer.requests.length = 0;
  const { module: back } = await powerOn(left);
  await clock.advance(1_000);
  expect(back.client.installed()?.bversion).toBe(bversion);
  expect((await contentOf(back, 'page.html'))?.equals(pattern(3000))).toBe(true);
  expect(peer.reports).toEqual([{ bundle_id: next.id, result: 3, bversion }]);
  expect(back.client.otaResult).toBe(0);
  // Once is enough.
  await back.reboot();
  await clock.advance(60_000);
  expect(peer.reports).toHaveLength(1);
  expect(await until(back.client.ota())).toEqual({ ok: true, value: 'updated' });
});
