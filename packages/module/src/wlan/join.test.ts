import { defined, ignoreFailure, unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { radioRig } from '../testing/radio-rig.ts';
import { type AccessPoint, wpaKey } from './air.ts';

const point: AccessPoint = {
  ssid: 'home',
  bssid: '02:00:00:00:00:01',
  channel: 6,
  security: 'wpa2_aes',
  passkey: 'moorings',
  rssiDbm: -50,
};

// MOD-EVENT-associated, MOD-EVENT-disassociated, MOD-EVENT-join-failed.
const address = ['Obtaining IPv4 address via DHCP', 'IPv4 address: 10.5.6.108', '[Associated]'];
const start = '[Associating to home]';
const probe = 'Security type from probe: WPA2-AES';

interface Case {
  readonly name: string;
  readonly set?: readonly (readonly string[])[];
  readonly air?: readonly AccessPoint[];
  readonly lines: readonly string[];
  readonly result: number;
  readonly up?: boolean;
}

const credentials = [
  ['wlan.ssid', 'home'],
  ['wlan.passkey', 'moorings'],
] as const;
const once = ['wlan.join.retries', '1'] as const;

/** Spec: MOD-CMD-network_up, MOD-VAR-wlan.join.result, MOD-EVENT-associating, MOD-EVENT-associated, MOD-EVENT-join-failed, MOD-VAR-wlan.ssid, MOD-VAR-wlan.passkey,
 * MOD-VAR-wlan.bssid, MOD-VAR-wlan.security, MOD-VAR-wlan.join.retries, MOD-VAR-wlan.join.timeout. */
const cases: readonly Case[] = [
  {
    name: 'a secured network is joined with its passkey',
    set: credentials,
    lines: [start, probe, ...address],
    result: 1,
    up: true,
  },
  {
    name: 'a raw WPA key opens the network like its phrase',
    set: [credentials[0], ['wlan.passkey', wpaKey('moorings', 'home').toUpperCase()]],
    lines: [start, probe, ...address],
    result: 1,
    up: true,
  },
  {
    name: 'an open network needs no passkey',
    set: [credentials[0]],
    air: [{ ...point, security: 'open' }],
    lines: [start, 'Security type from probe: Open', ...address],
    result: 1,
    up: true,
  },
  {
    name: 'a static address needs no server',
    set: [...credentials, ['network.dhcp.enabled', '0'], ['static.ip', '192.168.1.9']],
    lines: [start, probe, 'IPv4 address: 192.168.1.9', '[Associated]'],
    result: 1,
    up: true,
  },
  { name: 'no ssid is refused at once', lines: ['SSID not set'], result: 3 },
  {
    name: 'a secured network without passkey is given up after one probe',
    set: [credentials[0]],
    lines: [start, probe, '[Join failed]'],
    result: 4,
  },
  {
    name: 'another security than the fixed one is given up after one probe',
    set: [...credentials, ['wlan.security', 'wpa_tkip']],
    lines: [start, '[Join failed]'],
    result: 5,
  },
  {
    name: 'a network out of reach is probed for and not found',
    set: credentials,
    air: [],
    lines: [start, '[Join failed]'],
    result: 6,
  },
  {
    name: 'a network on a channel outside the mask is not found',
    set: [...credentials, ['wlan.scan.channel_mask', '0x1']],
    lines: [start, '[Join failed]'],
    result: 6,
  },
  {
    name: 'another access point than the fixed one is not found',
    set: [...credentials, ['wlan.bssid', '02:00:00:00:00:99']],
    lines: [start, '[Join failed]'],
    result: 6,
  },
  {
    name: 'a wrong passkey fails as often as retries allow',
    set: [credentials[0], ['wlan.passkey', 'wrongkey']],
    lines: [start, probe, probe, probe, '[Join failed]'],
    result: 7,
  },
  {
    name: 'an association that takes longer than the timeout fails',
    set: [...credentials, once, ['wlan.join.timeout', '999']],
    air: [{ ...point, associateMs: 1000 }],
    lines: [start, probe, '[Join failed]'],
    result: 7,
  },
  {
    name: 'an association that takes just the timeout succeeds',
    set: [...credentials, once, ['wlan.join.timeout', '1000']],
    air: [{ ...point, associateMs: 1000 }],
    lines: [start, probe, ...address],
    result: 1,
    up: true,
  },
  {
    name: 'a refused association is tried again with a new probe',
    set: credentials,
    air: [{ ...point, refusals: 2 }],
    lines: [start, probe, probe, probe, ...address],
    result: 1,
    up: true,
  },
  {
    name: 'a missing DHCP server fails the join',
    set: [...credentials, once],
    air: [{ ...point, dhcpMs: null }],
    lines: [start, probe, 'Obtaining IPv4 address via DHCP', '[Join failed]'],
    result: 7,
  },
  {
    name: 'a DHCP server slower than the timeout fails the join',
    set: [...credentials, once, ['network.dhcp.timeout', '2']],
    air: [{ ...point, dhcpMs: 2001 }],
    lines: [start, probe, 'Obtaining IPv4 address via DHCP', '[Join failed]'],
    result: 7,
  },
  {
    name: 'no retries at all still make one attempt',
    set: [...credentials, ['wlan.join.retries', '0']],
    lines: [start, probe, ...address],
    result: 1,
    up: true,
  },
];

function rigWith({ set = [], air = [point] }: Pick<Case, 'set' | 'air'>, timings = {}) {
  const rig = radioRig({ air: { accessPoints: [...air] }, timings });
  for (const words of set) expect(rig.variables.assign(words).ok).toBe(true);
  return rig;
}

describe('join', () => {
  test.each(cases)('$name', async ({ set, air, lines, result, up = false }) => {
    const rig = rigWith(defined({ set, air }));
    const joined = rig.wlan.ensureUp('wlan');
    await rig.clock.advance(60_000);
    expect((await joined).ok).toBe(up);
    expect(rig.printed).toEqual(lines);
    expect(rig.wlan.joinResult).toBe(result);
    expect(rig.wlan.status).toBe(up ? 2 : 0);
    expect(rig.wlan.addresses.ip === '0.0.0.0').toBe(!up);
  });

  test('the strongest access point of a network is taken', async () => {
    const stronger = { ...point, bssid: '02:00:00:00:00:02', rssiDbm: -40, channel: 11 };
    const rig = rigWith({ set: credentials, air: [point, stronger] });
    unwrap(await rig.wlan.ensureUp('wlan'));
    expect(rig.wlan.accessPoint).toEqual(stronger);
    expect(rig.wlan.rssiDbm).toBe(-40);
  });

  test('status and result follow the steps of a join', async () => {
    const rig = rigWith({ set: credentials }, { probeMs: 100, associateMs: 100, dhcpMs: 100 });
    const seen = () => [rig.wlan.status, rig.wlan.joinResult, rig.wlan.accessPoint?.ssid];
    expect(rig.wlan.up('wlan')).toBe('joining');
    expect(seen()).toEqual([3, 2, undefined]);
    await rig.clock.advance(150);
    expect(seen()).toEqual([3, 2, undefined]);
    await rig.clock.advance(100);
    expect(seen()).toEqual([1, 2, 'home']);
    await rig.clock.advance(50);
    expect(seen()).toEqual([2, 1, 'home']);
    expect(rig.variables.get('network.ip')).toBe('10.5.6.108');
  });

  test('a second join of the same network does not probe; after a power cycle it does', async () => {
    const rig = rigWith({ set: credentials });
    unwrap(await rig.wlan.ensureUp('wlan'));
    rig.wlan.down('wlan');
    rig.printed.length = 0;
    unwrap(await rig.wlan.ensureUp('wlan'));
    expect(rig.printed).toEqual([start, ...address]);
    rig.wlan.halt();
    rig.printed.length = 0;
    unwrap(await rig.wlan.ensureUp('wlan'));
    expect(rig.printed).toEqual([start, probe, ...address]);
  });

  test('callers that wait share one join', async () => {
    const rig = rigWith({ set: credentials }, { probeMs: 50 });
    const outcomes = Promise.all([rig.wlan.ensureUp('wlan'), rig.wlan.ensureUp('wlan')]);
    await rig.clock.advance(50);
    expect((await outcomes).every((outcome) => outcome.ok)).toBe(true);
    expect(rig.printed).toEqual([start, probe, ...address]);
  });
});

describe('leaving', () => {
  const steps = [
    { atMs: 50, step: 'probe', left: [] },
    { atMs: 150, step: 'association', left: [] },
    { atMs: 250, step: 'DHCP', left: ['[Disassociated]'] },
  ];

  test.each(steps)('down during the $step aborts the join', async ({ atMs, left }) => {
    const rig = rigWith({ set: credentials }, { probeMs: 100, associateMs: 100, dhcpMs: 100 });
    const joined = rig.wlan.ensureUp('wlan');
    await rig.clock.advance(atMs);
    rig.printed.length = 0;
    rig.wlan.down('wlan');
    expect(await joined).toEqual({ ok: false, error: 'aborted' });
    await rig.clock.advance(1000);
    expect(rig.printed).toEqual(left);
    expect([rig.wlan.status, rig.wlan.joinResult]).toEqual([0, 8]);
    expect(rig.clock.pending).toBe(0);
  });

  test.each(['up', 'ensureUp'] as const)('down right after %s leaves no join behind', async (start) => {
    const rig = rigWith({ set: credentials });
    const joined = rig.wlan[start]('wlan');
    rig.wlan.down('wlan');
    expect(await joined).toEqual(start === 'up' ? 'joining' : expect.objectContaining({ ok: false }));
    await rig.clock.advance(1000);
    expect(rig.printed.filter((line) => line !== '[Associating to home]')).toEqual([]);
    expect([rig.wlan.status, rig.wlan.joinResult, rig.clock.pending]).toEqual([0, 8, 0]);
  });

  test.each(Array.from({ length: 16 }, (_, turns) => turns))(
    'down %i promise turns into a join ends it',
    async (turns) => {
      const rig = rigWith({ set: credentials });
      const joined = rig.wlan.ensureUp('wlan');
      for (let left = turns; left > 0; left--) await Promise.resolve();
      rig.wlan.down('wlan');
      // The last of them come when it is up.
      ignoreFailure(await joined);
      await rig.clock.advance(1000);
      expect([rig.wlan.status, rig.clock.pending]).toEqual([0, 0]);
    },
  );

  test('a join right after an aborted one is a join of its own', async () => {
    const rig = rigWith({ set: credentials }, { probeMs: 100 });
    const first = rig.wlan.ensureUp('wlan');
    await rig.clock.advance(50);
    rig.wlan.down('wlan');
    const second = rig.wlan.ensureUp('wlan');
    await rig.clock.advance(100);
    expect([(await first).ok, (await second).ok]).toEqual([false, true]);
    expect(rig.printed).toEqual([start, start, probe, ...address]);
  });

  test('down of a link prints one notice, after the services have been stopped', async () => {
    const rig = rigWith({ set: credentials });
    unwrap(await rig.wlan.ensureUp('wlan'));
    rig.printed.length = 0;
    rig.wlan.watch({ down: (iface) => rig.printed.push(`down ${iface}`) });
    rig.wlan.down('wlan');
    rig.wlan.down('wlan');
    expect(rig.printed).toEqual(['down wlan', '[Disassociated]']);
  });
});
