import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { radioRig } from '../testing/radio-rig.ts';
import type { AccessPoint } from './air.ts';

const near: AccessPoint = {
  ssid: 'quay',
  bssid: '02:00:00:00:00:01',
  channel: 1,
  security: 'wpa2_aes',
  passkey: 'moorings',
  rssiDbm: -50,
};
const far: AccessPoint = { ...near, bssid: '02:00:00:00:00:02', channel: 6, rssiDbm: -70 };

const joins = [
  '[Associating to quay]',
  'Security type from probe: WPA2-AES',
  'Obtaining IPv4 address via DHCP',
  'IPv4 address: 10.5.6.108',
  '[Associated]',
];
const fails = ['[Associating to quay]', '[Join failed]'];

/** A module that has joined `quay`; what it said about that is forgotten. */
async function joined(accessPoints: AccessPoint[], settings: readonly (readonly string[])[] = []) {
  const rig = radioRig({ air: { accessPoints } });
  for (const words of [['wlan.ssid', 'quay'], ['wlan.passkey', 'moorings'], ...settings])
    expect(rig.variables.assign(words).ok).toBe(true);
  expect((await rig.wlan.ensureUp('wlan')).ok).toBe(true);
  rig.printed.length = 0;
  return rig;
}

describe('a lost access point', () => {
  const outages = [{ atMs: 60_000, forMs: 10_000 }];

  // Spec: MOD-EVENT-disassociated.
  test('the link goes with it, and stays away without auto join', async () => {
    const rig = await joined([{ ...near, outages }]);
    await rig.clock.advance(59_999);
    expect(rig.wlan.isUp('wlan')).toBe(true);
    await rig.clock.advance(1);
    expect(rig.printed).toEqual(['[Disassociated]']);
    await rig.clock.advance(60_000);
    expect([rig.wlan.status, rig.wlan.addresses.ip, rig.clock.pending]).toEqual([0, '0.0.0.0', 0]);
  });

  // Spec: MOD-VAR-wlan.auto_join.enabled, MOD-VAR-wlan.auto_join.retries.
  test('auto join tries until it is back', async () => {
    const rig = await joined(
      [{ ...near, outages }],
      [
        ['wlan.auto_join.enabled', '1'],
        ['wlan.auto_join.retries', '0'],
        ['wlan.auto_join.retry_delay', '4'],
        ['wlan.join.retries', '1'],
        // A network that does not answer is given up after this.
        ['wlan.join.timeout', '1'],
      ],
    );
    await rig.clock.advance(60_000);
    expect(rig.printed).toEqual(['[Disassociated]', '[Associating to quay]']);
    await rig.clock.advance(9_000);
    expect(rig.printed).toEqual(['[Disassociated]', ...fails, ...fails, ...fails]);
    await rig.clock.advance(4_000);
    expect(rig.printed.slice(-joins.length)).toEqual(joins);
    expect(rig.wlan.isUp('wlan')).toBe(true);
  });

  test('one that falls silent again and again takes the link each time', async () => {
    const rig = await joined(
      [{ ...near, outages: [{ atMs: 10_000, forMs: 1_000, everyMs: 20_000 }] }],
      [
        ['wlan.auto_join.enabled', '1'],
        ['wlan.auto_join.retries', '0'],
      ],
    );
    await rig.clock.advance(100_000);
    expect(rig.printed.filter((line) => line === '[Disassociated]')).toHaveLength(5);
    expect(rig.wlan.isUp('wlan')).toBe(true);
    rig.wlan.down('wlan');
    expect(rig.clock.pending).toBe(0);
  });

  test('one that goes while it gives the address fails the join', async () => {
    const rig = radioRig({
      air: { accessPoints: [{ ...near, dhcpMs: 5_000, outages: [{ atMs: 1_000, forMs: 9_000_000 }] }] },
    });
    rig.variables.set('wlan.ssid', 'quay');
    rig.variables.set('wlan.passkey', 'moorings');
    const outcome = rig.wlan.ensureUp('wlan');
    await rig.clock.advance(60_000);
    expect(await outcome).toMatchObject({ ok: false });
    expect(rig.wlan.joinResult).toBe(6);
  });

  test('services hear that the link goes before the notice', async () => {
    const rig = await joined([{ ...near, outages }]);
    rig.wlan.watch({ down: (iface) => rig.printed.push(`down ${iface}`) });
    await rig.clock.advance(60_000);
    expect(rig.printed).toEqual(['down wlan', '[Disassociated]']);
  });
});

describe('roaming', () => {
  const stronger = { ...far, signal: [{ atMs: 10_000, rssiDbm: -40 }] };

  test('another access point that gets much stronger takes the link without a word', async () => {
    const rig = await joined([near, stronger]);
    expect(rig.wlan.accessPoint).toEqual(near);
    const { addresses } = rig.wlan;
    let changes = 0;
    rig.wlan.watch({ changed: () => changes++, up: () => expect.fail('an interface came up') });
    await rig.clock.advance(10_000);
    expect(rig.wlan.accessPoint).toEqual(stronger);
    expect([rig.printed, changes, rig.wlan.status]).toEqual([[], 1, 2]);
    expect(rig.wlan.addresses).toEqual(addresses);
    expect(rig.variables.get('wlan.channel')).toBe(6);
  });

  test('one that is lost is replaced by another one of the network', async () => {
    const rig = await joined([{ ...near, outages: [{ atMs: 10_000, forMs: 1_000 }] }, far]);
    await rig.clock.advance(10_000);
    expect(rig.wlan.accessPoint).toEqual(far);
    // And back, since that one is 20 dB stronger.
    await rig.clock.advance(1_000);
    expect(rig.wlan.accessPoint).toMatchObject({ bssid: near.bssid });
    expect(rig.printed).toEqual([]);
  });

  const others: readonly [string, AccessPoint, string[][]][] = [
    ['a little stronger', { ...far, signal: [{ atMs: 10_000, rssiDbm: -41 }] }, []],
    ['of another network', { ...stronger, ssid: 'pier' }, []],
    ['with another key', { ...stronger, passkey: 'elsewhere' }, []],
    ['that takes no keys', { ...stronger, rejectsKeys: true }, []],
    ['out of reach', { ...stronger, needsTxDbm: 20 }, []],
    ['that is not the fixed one', stronger, [['wlan.bssid', near.bssid]]],
    ['outside the channels', stronger, [['wlan.scan.channel_mask', '0x1']]],
  ];

  test.each(others)('one %s does not', async (_, other, settings) => {
    const rig = await joined([near, other], settings);
    await rig.clock.advance(20_000);
    expect(rig.wlan.accessPoint).toEqual(near);
  });

  test('settings of a later join do not send the module away', async () => {
    const rig = await joined([near, stronger]);
    rig.variables.set('wlan.ssid', 'pier');
    await rig.clock.advance(10_000);
    expect(rig.wlan.accessPoint).toEqual(stronger);
  });
});

describe('a hidden network', () => {
  // Spec: MOD-VAR-wlan.scan.active.
  test.each([true, false])('is joined by its name when the radio may ask (%s)', async (active) => {
    const rig = radioRig({ air: { accessPoints: [{ ...near, hidden: true }] } });
    rig.variables.set('wlan.ssid', 'quay');
    rig.variables.set('wlan.passkey', 'moorings');
    rig.variables.set('wlan.scan.active', active);
    expect((await rig.wlan.ensureUp('wlan')).ok).toBe(active);
    expect(rig.wlan.joinResult).toBe(active ? 1 : 6);
  });
});

// Spec: MOD-VAR-wlan.scan.retries.
test.each([
  { retries: '0', probes: 1 },
  { retries: '3', probes: 4 },
])('an attempt to join probes $probes times for what it does not hear', async ({ retries, probes }) => {
  const rig = radioRig({ air: { accessPoints: [] }, timings: { probeMs: 100 } });
  for (const words of [
    ['wlan.ssid', 'quay'],
    ['wlan.join.retries', '1'],
    ['wlan.scan.retries', retries],
  ])
    unwrap(rig.variables.assign(words));
  const outcome = rig.wlan.ensureUp('wlan');
  await rig.clock.advance(probes * 100 - 1);
  expect(rig.wlan.status).toBe(3);
  await rig.clock.advance(1);
  expect(rig.wlan.status).toBe(0);
  expect(await outcome).toEqual({ ok: false, error: 'not-found' });
});

// Spec: MOD-VAR-wlan.rssi_average.
test('readings of the strength are smoothed over as many as are asked for', async () => {
  const rig = await joined([{ ...near, rssiJitterDb: 20 }]);
  const spread = () => {
    const readings = Array.from({ length: 200 }, () => rig.wlan.rssiDbm ?? 0);
    return Math.max(...readings.slice(50)) - Math.min(...readings.slice(50));
  };
  expect(spread()).toBeGreaterThan(35);
  rig.variables.set('wlan.rssi_average', 50);
  expect(spread()).toBeLessThan(15);
  rig.variables.set('wlan.rssi_average', 0);
  expect(spread()).toBeGreaterThan(35);
});

// Spec: MOD-RULE-dhcp-client.
describe('the DHCP client', () => {
  const network = { ip: '192.168.7.20', netmask: '255.255.255.0', gateway: '192.168.7.1', dns: '192.168.7.2' };

  test('takes what the access point describes, or else what the network behind the radio gives', async () => {
    expect((await joined([{ ...near, network }])).wlan.addresses).toEqual(network);
    expect((await joined([near])).wlan.addresses.ip).toBe('10.5.6.108');
  });

  // Spec: MOD-VAR-network.dhcp.enabled.
  test('is not asked where the address is fixed', async () => {
    const rig = await joined(
      [{ ...near, network, dhcpMs: null }],
      [
        ['network.dhcp.enabled', '0'],
        ['static.ip', '10.0.0.9'],
      ],
    );
    expect(rig.wlan.addresses.ip).toBe('10.0.0.9');
  });
});
