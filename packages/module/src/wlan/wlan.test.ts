import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { radioRig } from '../testing/radio-rig.ts';
import { defaultAir, parseAir } from './air.ts';

const join = (rig: ReturnType<typeof radioRig>) => {
  rig.variables.set('wlan.ssid', 'harbour');
  rig.variables.set('wlan.passkey', 'moorings');
};

describe('auto join', () => {
  test('auto join joins after the boot when it is on', async () => {
    const rig = radioRig();
    join(rig);
    rig.variables.set('wlan.auto_join.enabled', true);
    rig.wlan.boot();
    await rig.clock.advance(0);
    expect(rig.wlan.isUp('wlan')).toBe(true);
    expect(rig.printed[0]).toBe('[Associating to harbour]');
  });

  test.each([
    { name: 'off', enabled: false, ssid: 'harbour' },
    { name: 'on without a network name', enabled: true, ssid: '' },
  ])('auto join that is $name stays silent', async ({ enabled, ssid }) => {
    const rig = radioRig();
    rig.variables.set('wlan.ssid', ssid);
    rig.variables.set('wlan.auto_join.enabled', enabled);
    rig.wlan.boot();
    await rig.clock.advance(60_000);
    expect(rig.printed).toEqual([]);
  });

  test.each([
    { retries: 1, sequences: 1 },
    { retries: 3, sequences: 3 },
    { retries: 0, sequences: 21 },
  ])('auto join with $retries retries makes $sequences sequences in a minute', async ({ retries, sequences }) => {
    const rig = radioRig({ air: { accessPoints: [] } });
    join(rig);
    rig.variables.set('wlan.auto_join.enabled', true);
    rig.variables.set('wlan.auto_join.retries', retries);
    rig.wlan.boot();
    await rig.clock.advance(60_000);
    expect(rig.printed.filter((line) => line === '[Join failed]')).toHaveLength(sequences);
  });

  // MOD-VAR-wlan.auto_join.retry_delay
  test.each([
    [1, 61],
    [3, 21],
    [10, 7],
  ])('auto join with a delay of %i s makes %i sequences in a minute', async (delay, sequences) => {
    const rig = radioRig({ air: { accessPoints: [] } });
    join(rig);
    rig.variables.set('wlan.auto_join.enabled', true);
    rig.variables.set('wlan.auto_join.retries', 0);
    rig.variables.set('wlan.auto_join.retry_delay', delay);
    rig.wlan.boot();
    await rig.clock.advance(60_000);
    expect(rig.printed.filter((line) => line === '[Join failed]')).toHaveLength(sequences);
  });

  test('network_down ends auto join between two sequences', async () => {
    const rig = radioRig({ air: { accessPoints: [] } });
    join(rig);
    rig.variables.set('wlan.auto_join.enabled', true);
    rig.variables.set('wlan.auto_join.retries', 0);
    rig.wlan.boot();
    await rig.clock.advance(1000);
    rig.wlan.down('wlan');
    await rig.clock.advance(60_000);
    expect(rig.printed.filter((line) => line === '[Join failed]')).toHaveLength(1);
    expect(rig.clock.pending).toBe(0);
  });

  test.each([true, false])('a lost link is joined again only with auto join (%s)', async (enabled) => {
    const rig = radioRig();
    join(rig);
    rig.variables.set('wlan.auto_join.enabled', enabled);
    unwrap(await rig.wlan.ensureUp('wlan'));
    rig.printed.length = 0;
    rig.wlan.loseLink();
    await rig.clock.advance(0);
    expect(rig.printed[0]).toBe('[Disassociated]');
    expect(rig.wlan.isUp('wlan')).toBe(enabled);
  });
});

describe('soft AP', () => {
  test('the soft AP comes up at its own address, named after the MAC address', () => {
    const rig = radioRig();
    expect(rig.wlan.up('softap')).toBe('up');
    expect(rig.printed).toEqual(['IPv4 address: 10.10.10.1']);
    expect(rig.wlan.softAp).toEqual({
      ssid: 'Module-112A',
      secured: false,
      channel: 1,
      addresses: { ip: '10.10.10.1', netmask: '255.255.255.0', gateway: '10.10.10.1', dns: '10.10.10.1' },
    });
    rig.wlan.down('softap');
    expect(rig.wlan.isUp('softap')).toBe(false);
  });

  test('the soft AP without a name is refused', async () => {
    const rig = radioRig();
    rig.variables.set('softap.ssid', '');
    expect(rig.wlan.up('softap')).toBe('no-ssid');
    expect(await rig.wlan.ensureUp('softap')).toEqual({ ok: false, error: 'no-ssid' });
    expect(rig.printed).toEqual(['SSID not set', 'SSID not set']);
  });

  test('the soft AP shares the channel of the station', async () => {
    const rig = radioRig();
    join(rig);
    rig.wlan.up('softap');
    unwrap(await rig.wlan.ensureUp('wlan'));
    expect(rig.wlan.softAp?.channel).toBe(6);
  });

  // MOD-VAR-softap.ssid, MOD-VAR-softap.channel, MOD-VAR-softap.static.ip, MOD-VAR-system.string_substitution
  test.each([
    ['softap.ssid', 'Buoy', { ssid: 'Buoy' }],
    ['softap.ssid', 'Buoy-#', { ssid: 'Buoy-112A' }],
    ['softap.channel', '11', { channel: 11 }],
    ['softap.channel', '0', { channel: 1 }],
    ['softap.static.ip', '192.168.7.1', { addresses: { ip: '192.168.7.1', gateway: '192.168.7.1' } }],
    ['system.string_substitution', '0', { ssid: 'Module-#' }],
  ])('the soft AP is as %s %s says', (name, value, expected) => {
    const rig = radioRig();
    expect(rig.variables.assign([name, value]).ok).toBe(true);
    rig.wlan.up('softap');
    expect(rig.wlan.softAp).toMatchObject(expected);
  });

  // MOD-VAR-softap.auto_start
  test('the soft AP starts at boot when it is set to', () => {
    const rig = radioRig();
    rig.variables.set('softap.auto_start', true);
    rig.wlan.boot();
    expect(rig.wlan.isUp('softap')).toBe(true);
    rig.wlan.halt();
    expect(rig.wlan.isUp('softap')).toBe(false);
  });
});

test('an interface that is not named is the default one', () => {
  const rig = radioRig();
  expect(rig.wlan.interfaceOf()).toBe('wlan');
  rig.variables.set('network.default_interface', 'softap');
  expect([undefined, 'default', 'wlan'].map((name) => rig.wlan.interfaceOf(name))).toEqual([
    'softap',
    'softap',
    'wlan',
  ]);
});

describe('air file', () => {
  test('an air file is read as it was written', () => {
    expect(parseAir(JSON.stringify(defaultAir))).toEqual({ ok: true, value: defaultAir });
  });

  const good = defaultAir.accessPoints[0];
  test.each([
    ['{', /^It is not JSON/],
    ['[]', /^It must hold a JSON object$/],
    ['{}', /^Key "accessPoints" is missing$/],
    [
      JSON.stringify({ accessPoints: [{ ...good, channel: 15 }] }),
      /^Key "accessPoints.0.channel" is 15 and must be <= 14$/,
    ],
    [
      JSON.stringify({ accessPoints: [{ ...good, security: 'wpa9' }] }),
      /^Key "accessPoints.0.security" is "wpa9" and must be one of "open", "wep",/,
    ],
    [
      JSON.stringify({ accessPoints: [{ ...good, bssid: 'nonsense' }] }),
      /^Key "accessPoints.0.bssid" is "nonsense" and must/,
    ],
    [JSON.stringify({ accessPoints: [{ ...good, colour: 'blue' }] }), /^Key "accessPoints.0.colour" is unknown$/],
    [
      JSON.stringify({ accessPoints: [{ ...good, outages: [{ atMs: 5 }] }] }),
      /^Key "accessPoints.0.outages.0.forMs" is missing$/,
    ],
    [
      JSON.stringify({ accessPoints: [{ ...good, signal: [{ atMs: 5, rssiDbm: 1 }] }] }),
      /0.signal.0.rssiDbm" is 1 and must be <= 0$/,
    ],
    [JSON.stringify({ accessPoints: [{ ...good, wps: { pin: '123' } }] }), /0.wps.pin" is "123" and must/],
    [
      JSON.stringify({ accessPoints: [{ ...good, network: { ip: '10.0.0.256', netmask: '', gateway: '', dns: '' } }] }),
      /0.network.ip" is "10.0.0.256" and must/,
    ],
    [
      JSON.stringify({ accessPoints: [{ ...good, antennaLossDb: [1] }] }),
      /0.antennaLossDb" is \[1\] and must not have fewer/,
    ],
    [JSON.stringify({ accessPoints: [{ ...good, security: 'wep' }] }), /0.passkey" is missing: the security is "wep"$/],
  ])('air file %s is refused', (json, message) => {
    const parsed = parseAir(json);
    expect(parsed.ok ? '' : parsed.error).toMatch(message);
  });
});
