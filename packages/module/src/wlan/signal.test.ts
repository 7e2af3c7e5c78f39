import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';
import type { AccessPoint } from './air.ts';
import { radioSettings } from './settings.ts';
import { isHeard, isWithin, levelDbm, linkRates, nextChangeMs, nextEdgeMs } from './signal.ts';

const point: AccessPoint = {
  ssid: 'quay',
  bssid: '02:00:00:00:00:01',
  channel: 1,
  security: 'open',
  rssiDbm: -50,
};

describe('spells', () => {
  const once = { atMs: 100, forMs: 50 };
  const often = { atMs: 100, forMs: 50, everyMs: 200 };

  test.each([
    [once, 99, false, 100],
    [once, 100, true, 150],
    [once, 149, true, 150],
    [once, 150, false, undefined],
    [often, 0, false, 100],
    [often, 120, true, 150],
    [often, 150, false, 300],
    [often, 301, true, 350],
    [{ ...often, forMs: 200 }, 1000, true, undefined],
  ])('%j at %i ms: %s, and changes at %s', (spell, atMs, within, next) => {
    expect(isWithin([spell], atMs)).toBe(within);
    expect(nextEdgeMs(spell, atMs)).toBe(next);
  });

  test('nothing changes before the next edge, and something does at it', () => {
    const spell = fc.record({
      atMs: fc.nat(500),
      forMs: fc.integer({ min: 1, max: 300 }),
      everyMs: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(spell, fc.nat(1000), ({ everyMs, ...times }, atMs) => {
        const made = { ...times, ...(everyMs !== undefined && { everyMs }) };
        const next = nextEdgeMs(made, atMs);
        const before = isWithin([made], atMs);
        for (let later = atMs; later < (next ?? atMs + 1000); later++) expect(isWithin([made], later)).toBe(before);
        if (next !== undefined) {
          expect(next).toBeGreaterThan(atMs);
          expect(isWithin([made], next)).toBe(!before);
        }
      }),
    );
  });
});

describe('strength', () => {
  const walks = {
    ...point,
    signal: [
      { atMs: 200, rssiDbm: -101 },
      { atMs: 100, rssiDbm: -70 },
    ],
  };

  test.each([
    [0, -50],
    [99, -50],
    [100, -70],
    [200, -101],
  ])('at %i ms it is %i dBm', (atMs, level) => {
    expect(levelDbm(walks, atMs, 1)).toBe(level);
  });

  test('what is too weak is not heard', () => {
    expect([199, 200].map((atMs) => isHeard(walks, atMs, 1))).toEqual([true, false]);
  });

  // Spec: MOD-VAR-wlan.antenna.select.
  test.each([
    [1, -60],
    [2, -55],
    ['auto', -55],
  ] as const)('antenna %s loses its own', (antenna, level) => {
    expect(levelDbm({ ...point, antennaLossDb: [10, 5] }, 0, antenna)).toBe(level);
  });

  test('the next change is that of whichever access point has one first', () => {
    const others = [walks, { ...point, outages: [{ atMs: 150, forMs: 10 }] }];
    expect([0, 100, 150, 160, 200].map((atMs) => nextChangeMs(others, atMs))).toEqual([100, 150, 160, 200, undefined]);
  });
});

// MOD-VAR-wlan.antenna.select
test.each([
  ['1', 1],
  ['2', 2],
  ['auto', 'auto'],
])('wlan.antenna.select %s listens with antenna %s', async (word, antenna) => {
  const { module, run } = await moduleRig();
  await run(`set wlan.antenna.select ${word}`);
  expect(radioSettings(module.variables).antenna).toBe(antenna);
});

// Spec: MOD-VAR-wlan.rate.protocol.
test.each([
  ['auto', undefined, -40, 72.2, 72.2],
  ['bgn', undefined, -65, 54, 72.2],
  ['bg', undefined, -40, 54, 54],
  ['b', undefined, -75, 5.5, 11],
  ['auto', 54, -85, 12, 54],
  ['auto', 1, -95, 1, 1],
] as const)(
  'rates of %s at an access point of %s Mbit/s and %i dBm are %f of %f',
  (protocol, rateMbps, level, rate, max) => {
    const made = { ...point, ...(rateMbps !== undefined && { rateMbps }) };
    expect(linkRates(made, protocol, level)).toEqual({ rate, max });
  },
);
