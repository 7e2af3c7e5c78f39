import { bversionOf, type PeerBundle } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { clientRig, pattern } from '../testing/client-rig.ts';

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [{ name: 'page.html', content: pattern(2000) }],
};
const bversion = bversionOf(bundle);
const restarted = { bundle_id: bundle.id, result: 1, bversion };

/** A module that has installed the bundle and restarted while its reports are refused with this status. */
async function restartedModule(status: number) {
  const rig = await clientRig();
  rig.peer.bundle = bundle;
  rig.peer.refuse('POST /ota/result', status, 'The reason');
  expect(await rig.until(rig.module.client.ota())).toEqual({ ok: true, value: 'updated' });
  await rig.clock.advance(0);
  return rig;
}

/** Spec: MOD-OTA-reboot. */
describe('the report after the restart', () => {
  test('the module joins by itself and reports again until it is heard', async () => {
    const { peer, clock, events, printed, module } = await restartedModule(503);
    expect(printed).toContain('[Associating to harbour-open]');
    const reports = () => peer.reports.filter((report) => JSON.stringify(report) === JSON.stringify(restarted)).length;
    expect(reports()).toBe(1);
    // Back-off: after 1, 2, 4 and 8 seconds.
    await clock.advance(15_000);
    expect(reports()).toBe(5);
    expect(events.some(({ type }) => type === 'updated')).toBe(false);
    peer.answers.clear();
    await clock.advance(16_000);
    expect(reports()).toBe(6);
    expect(events.at(-1)).toEqual({ type: 'updated', bundleId: bundle.id, bversion });
    await clock.advance(600_000);
    await module.reboot();
    await clock.advance(600_000);
    expect(reports()).toBe(6);
    expect(module.client.otaResult).toBe(0);
  });

  test('a report that was not heard before a power cut is made after it', async () => {
    const { peer, clock, module, store, powerOn } = await restartedModule(503);
    await module.close();
    peer.answers.clear();
    peer.requests.length = 0;
    const again = await powerOn(store);
    await clock.advance(0);
    expect(peer.reports).toEqual([restarted]);
    expect(again.module.client.installed()?.bversion).toBe(bversion);
    expect(again.module.versionLine).toContain('-2.3.0.2,');
  });

  test.each([400, 403, 404])('a refusal with status %i is an answer: the module does not ask again', async (status) => {
    const { peer, clock, events } = await restartedModule(status);
    expect(events.at(-1)).toMatchObject({ type: 'failed', message: 'The reason' });
    peer.requests.length = 0;
    await clock.advance(600_000);
    expect(peer.reports).toEqual([]);
  });

  test('a network that its user has taken down stays down', async () => {
    const { clock, module, peer } = await restartedModule(503);
    module.wlan.down('wlan');
    peer.requests.length = 0;
    await clock.advance(600_000);
    expect(module.wlan.isUp('wlan')).toBe(false);
    expect(peer.reports).toEqual([]);
    peer.answers.clear();
    module.wlan.up('wlan');
    await clock.advance(300_000);
    expect(peer.reports).toEqual([restarted]);
  });

  test('a closed module leaves nothing running', async () => {
    const { clock, module, peer } = await restartedModule(503);
    await module.close();
    peer.requests.length = 0;
    await clock.advance(600_000);
    expect(peer.requests).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
