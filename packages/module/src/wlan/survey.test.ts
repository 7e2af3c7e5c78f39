import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';
import { radioRig } from '../testing/radio-rig.ts';
import type { AccessPoint } from './air.ts';
import { wpsTimeoutMs } from './survey.ts';

const point: AccessPoint = {
  ssid: 'quay',
  bssid: '02:00:00:00:00:01',
  channel: 1,
  security: 'wpa2_aes',
  passkey: 'moorings',
  rssiDbm: -50,
};
const cellar: AccessPoint = { ...point, ssid: 'cellar', bssid: '02:00:00:00:00:02', channel: 6, hidden: true };
const credentials = { ...point, passkey: 'moorings' };

const rigOf = (accessPoints: AccessPoint[], timings = {}, seed = 1) =>
  radioRig({ air: { accessPoints }, timings, seed });

/** Names that a scan finds, in order. */
async function found(rig: ReturnType<typeof rigOf>, sought = {}) {
  const scan = rig.wlan.survey.scan(sought);
  await rig.clock.advance(60_000);
  return unwrap(await scan).map(({ ssid }) => ssid);
}

/** Spec: MOD-CMD-wlan_scan. */
describe('scan', () => {
  test('a hidden network has no name, unless it is asked for by its name', async () => {
    const rig = rigOf([cellar, point]);
    expect(await found(rig)).toEqual(['quay', '']);
    expect(await found(rig, { ssid: 'cellar' })).toEqual(['cellar']);
    expect(await found(rig, { ssid: 'attic' })).toEqual([]);
  });

  // Spec: MOD-VAR-wlan.scan.active, MOD-VAR-wlan.tx_power.
  test('asking takes a radio that may ask, and power enough to be heard', async () => {
    const rig = rigOf([{ ...cellar, needsTxDbm: 10 }]);
    rig.variables.set('wlan.scan.active', false);
    expect(await found(rig, { ssid: 'cellar' })).toEqual([]);
    rig.variables.set('wlan.scan.active', true);
    rig.variables.set('wlan.tx_power', 9);
    expect(await found(rig, { ssid: 'cellar' })).toEqual([]);
    rig.variables.set('wlan.tx_power', 10);
    expect(await found(rig, { ssid: 'cellar' })).toEqual(['cellar']);
  });

  // Spec: MOD-VAR-wlan.scan.retries.
  test.each([
    { retries: 0, passes: 1 },
    { retries: 5, passes: 6 },
  ])('a scan that finds nothing has $passes passes with $retries retries', async ({ retries, passes }) => {
    const rig = rigOf([], { scanMs: 100 });
    rig.variables.set('wlan.scan.retries', retries);
    const scan = rig.wlan.survey.scan();
    let done = false;
    void scan.then(() => (done = true));
    await rig.clock.advance(passes * 100 - 1);
    expect(done).toBe(false);
    await rig.clock.advance(1);
    expect(done).toBe(true);
    expect(rig.clock.pending).toBe(0);
  });

  // Spec: MOD-VAR-wlan.scan.retries.
  test('repeats find what one pass misses', async () => {
    const faint = { ...point, missPercent: 60 };
    const hits = async (retries: number) => {
      let count = 0;
      for (let seed = 0; seed < 100; seed++) {
        const rig = rigOf([faint], {}, seed);
        rig.variables.set('wlan.scan.retries', retries);
        count += (await found(rig)).length;
      }
      return count;
    };
    const [without, some] = [await hits(0), await hits(4)];
    expect(without).toBeGreaterThan(20);
    expect(without).toBeLessThan(60);
    expect(some).toBeGreaterThan(80);
  });

  test('what is silent or too weak is not there', async () => {
    const outages = [{ atMs: 0, forMs: 1000 }];
    const rig = rigOf([
      { ...point, outages },
      { ...cellar, hidden: false, rssiDbm: -110 },
    ]);
    expect(unwrap(await rig.wlan.survey.scan())).toEqual([]);
    await rig.clock.advance(1000);
    expect(unwrap(await rig.wlan.survey.scan()).map(({ ssid }) => ssid)).toEqual(['quay']);
  });

  test('a join has the radio for itself', async () => {
    const rig = rigOf([point], { probeMs: 100 });
    rig.variables.set('wlan.ssid', 'quay');
    rig.wlan.up('wlan');
    expect(await rig.wlan.survey.scan()).toEqual({ ok: false, error: 'busy' });
    expect(await rig.wlan.survey.verify(credentials)).toBe(false);
    await rig.clock.advance(60_000);
    expect(rig.wlan.survey.isBusy).toBe(false);
  });

  test('strengths vary with the seed, within the jitter', async () => {
    const levels = async (seed: number) => {
      const rig = rigOf([{ ...point, rssiJitterDb: 6 }], {}, seed);
      const readings: number[] = [];
      for (let left = 50; left > 0; left--)
        readings.push(...unwrap(await rig.wlan.survey.scan()).map((h) => h.rssiDbm));
      return readings;
    };
    const first = await levels(1);
    expect([Math.min(...first), Math.max(...first)]).toEqual([-56, -44]);
    expect(await levels(1)).toEqual(first);
    expect(await levels(2)).not.toEqual(first);
  });
});

/** Spec: MOD-CMD-network_verify. */
describe('verify', () => {
  test('a link that is up stays while other credentials are tried', async () => {
    const open: AccessPoint = { ...point, ssid: 'open', bssid: '02:00:00:00:00:03', security: 'open' };
    const rig = rigOf([point, open]);
    rig.variables.set('wlan.ssid', 'open');
    unwrap(await rig.wlan.ensureUp('wlan'));
    expect(await rig.wlan.survey.verify(credentials)).toBe(true);
    expect(rig.wlan.accessPoint).toEqual(open);
    expect(rig.wlan.joinResult).toBe(1);
  });

  test.each([
    ['takes too long', { associateMs: 8000 }],
    ['does not hear the module', { needsTxDbm: 20 }],
    ['takes every key for a wrong one', { rejectsKeys: true }],
    ['has gone meanwhile', { associateMs: 1000, outages: [{ atMs: 500, forMs: 9000 }] }],
  ])('an access point that %s lets no station in', async (_, fault) => {
    const rig = rigOf([{ ...point, ...fault }]);
    const verified = rig.wlan.survey.verify(credentials);
    await rig.clock.advance(10_000);
    expect(await verified).toBe(false);
    expect(rig.clock.pending).toBe(0);
  });
});

/** Spec: MOD-CMD-wps. */
describe('WPS', () => {
  const pressed = (atMs: number) => ({ wps: { button: [{ atMs, forMs: 120_000 }] } });

  test('it waits for a button up to two minutes', async () => {
    const rig = rigOf([{ ...point, ...pressed(wpsTimeoutMs - 1000) }]);
    const taken = rig.wlan.survey.wps();
    await rig.clock.advance(wpsTimeoutMs);
    expect(await taken).toEqual({ ok: true, value: { ssid: 'quay', passkey: 'moorings' } });
  });

  test('a button that comes later is too late', async () => {
    const rig = rigOf([{ ...point, ...pressed(wpsTimeoutMs + 1) }]);
    const taken = rig.wlan.survey.wps();
    await rig.clock.advance(wpsTimeoutMs - 1);
    expect(rig.clock.pending).toBe(1);
    await rig.clock.advance(1);
    expect(await taken).toEqual({ ok: false, error: 'failed' });
    expect(rig.clock.pending).toBe(0);
  });

  test('two buttons of different networks overlap, two of one network do not', async () => {
    const second = { ...cellar, ...pressed(0) };
    expect(await rigOf([{ ...point, ...pressed(0) }, second]).wlan.survey.wps()).toEqual({
      ok: false,
      error: 'overlap',
    });
    const sibling = { ...second, ssid: 'quay' };
    expect((await rigOf([{ ...point, ...pressed(0) }, sibling]).wlan.survey.wps()).ok).toBe(true);
  });

  test('a power cycle ends the search', async () => {
    const rig = rigOf([point]);
    const taken = rig.wlan.survey.wps();
    await rig.clock.advance(5_500);
    rig.wlan.halt();
    await rig.clock.advance(1_000);
    expect(await taken).toEqual({ ok: false, error: 'failed' });
    expect(rig.clock.pending).toBe(0);
  });
});

// MOD-CMD-network_verify
test.each([
  [0, 'open', ''],
  [1, 'wep', 'moors'],
  [2, 'wpa_aes', 'moorings'],
  [3, 'wpa_tkip', 'moorings'],
  [4, 'wpa2_aes', 'moorings'],
  [5, 'wpa2_mixed', 'moorings'],
  [6, 'wpa2_tkip', 'moorings'],
] as const)('network_verify takes %i for %s and for nothing else', async (number, security, passkey) => {
  const { run } = await moduleRig({ air: { accessPoints: [{ ...point, security, passkey }] } });
  const answers: string[] = [];
  for (let tried = 0; tried <= 6; tried++) answers.push(await run(`nve wifi quay 020000000001 1 ${tried} ${passkey}`));
  expect(answers.flatMap((answer, tried) => (answer === '0 Success' ? [tried] : []))).toEqual([number]);
});
