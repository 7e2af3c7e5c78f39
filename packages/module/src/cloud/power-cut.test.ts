import { bversionOf, type PeerBundle, peerCredentials } from '@moorage/device/testing/service-peer';
import { describe, expect, test } from 'vitest';
import { contentOf, pattern } from '../testing/client-rig.ts';
import { momentsOf, type Rig, throughCut } from '../testing/power-cuts.ts';

const bundle: PeerBundle = {
  id: '22222222-2222-4222-8222-222222222222',
  version: '1.0.0.2',
  files: [
    { name: 'page.html', content: pattern(9000) },
    { name: 'settings.csv', content: pattern(300, 3) },
  ],
};
const bversion = bversionOf(bundle);

describe('power cuts', () => {
  /** Spec: MOD-OTA-download, MOD-OTA-reboot. */
  test('an update cut at any store operation boots with whole files, and asking again completes it', async () => {
    const act = ({ peer, until, module }: Rig) => {
      peer.bundle = bundle;
      return until(module.client.ota());
    };
    const moments = await momentsOf(act);
    expect(moments.length).toBeGreaterThan(30);
    for (const cut of moments) {
      const { module, peer, until, clock } = await throughCut(cut, act);
      const at = JSON.stringify(cut);
      for (const { name, content } of bundle.files) {
        const held = await contentOf(module, name);
        expect(held === undefined || held.equals(content), `${name} ${at}`).toBe(true);
      }
      const before = module.client.installed()?.bundleId;
      expect(await until(module.client.ota()), at).toEqual({ ok: true, value: before ? 'none' : 'updated' });
      await clock.advance(1000);
      expect(module.client.installed()?.bversion, at).toBe(bversion);
      for (const { name, content } of bundle.files) expect((await contentOf(module, name))?.equals(content)).toBe(true);
      expect(peer.reports.at(-1), at).toEqual({ bundle_id: bundle.id, result: 1, bversion });
    }
  });

  /** Reference: wire 2.1. */
  test('provisioning cut at any store operation completes without the token being given again, once it is held', async () => {
    const act = ({ until, module }: Rig) => until(module.client.provision('T'.repeat(32), peerCredentials.ca));
    for (const cut of await momentsOf(act)) {
      const { module, until } = await throughCut(cut, act);
      const at = JSON.stringify(cut);
      const token = module.client.provisionStatus === 0 ? 'T'.repeat(32) : undefined;
      expect(await until(module.client.provision(token)), at).toEqual({ ok: true, value: undefined });
      expect(module.client.provisionStatus, at).toBe(3);
      expect(String(await contentOf(module, 'device.key')), at).toBe(peerCredentials.key);
      expect(String(await contentOf(module, 'device.crt')), at).toBe(peerCredentials.certificate);
    }
  });
});
