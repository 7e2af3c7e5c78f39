import { seededRandom } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { ChannelPeer } from '@moorage/device/testing/channel-peer';
import { bversionOf, type PeerBundle } from '@moorage/device/testing/service-peer';
import { expect, test } from 'vitest';
import { clientRig, contentOf, pattern } from '../testing/client-rig.ts';

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'page.html', content: pattern(30_000) },
    { name: 'settings.csv', content: pattern(300, 3), flags: 'e' },
  ],
};
const bversion = bversionOf(bundle);

const settings = ['dms.auto_start_enabled', 'wlan.auto_join.enabled'];

/** A module that updates by itself, on a network that loses connections, with losses of power. */
async function updateWith(seed: number): Promise<void> {
  const random = seededRandom(`fleet ${seed}`);
  const chance = (percent: number) => random.below(100) < percent;
  const rig = await clientRig({ store: new MemoryStore() });
  const { clock, network, peer, powerOn } = rig;
  peer.bundle = bundle;
  new ChannelPeer(peer);
  for (const name of settings) expect(rig.module.variables.assign([name, '1']).ok).toBe(true);
  await rig.module.variables.save();
  await rig.module.close();
  network.conditions = () => {
    const conditions = { latencyMs: random.below(80), jitterMs: random.below(40) };
    if (chance(5)) return { ...conditions, silent: true };
    const cut = chance(20) ? { cutAfterBytes: random.below(40_000) } : {};
    return { ...conditions, ...cut, ...(chance(10) && { cutAfterSentBytes: random.below(2_000) }) };
  };
  let store = rig.store.survivor({ atOperation: random.below(120), effect: chance(50) ? 'kept' : 'lost' });
  /** Switches a module on over what the one before has left; one that loses its power at once stays dark. */
  const next = async () => (await powerOn(store).catch(() => undefined))?.module;
  let module = await next();
  for (let minute = 1; minute <= 60; minute++) {
    await clock.advance(60_000);
    if (module?.client.installed()?.bversion === bversion && !module.client.reportPending) break;
    if (module && minute % 4 !== 0) continue;
    await module?.close().catch(() => {});
    store = store.survivor();
    module = await next();
  }
  await module?.close().catch(() => {});
  store = store.survivor();
  module = (await powerOn(store)).module;
  expect(module.client.installed()?.bversion, `seed ${seed}`).toBe(bversion);
  expect(peer.reports.at(-1), `seed ${seed}`).toEqual({ bundle_id: bundle.id, result: 1, bversion });
  for (const { name, content } of bundle.files) {
    expect((await contentOf(module, name))?.equals(content), `${name}, seed ${seed}`).toBe(true);
  }
  await module.close();
}

/** Spec: MOD-CHAN-ota, MOD-OTA-download, MOD-OTA-reboot. */
test('modules on a bad network whose power fails all reach the bundle by themselves', async () => {
  for (let seed = 1; seed <= 100; seed++) await updateWith(seed);
});
