import { readdirSync, readFileSync } from 'node:fs';
import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { planTwin } from './plan.ts';
import { parseScenario, plainScenario } from './scenario.ts';

const withGroup = (group: object): string => JSON.stringify({ groups: [{ name: 'a', share: 1, ...group }] });
const failing = (...versions: string[]) => ({
  failures: versions.map((version) => ({ version, fault: 'reports_old' })),
});

describe('a scenario', () => {
  test.each([
    ['no JSON', '{', 'It is not JSON'],
    ['no object', '[]', 'It must hold a JSON object'],
    ['no groups', '{}', 'Key "groups" is missing'],
    ['an empty list of groups', '{"groups": []}', 'Key "groups" is []'],
    ['an unknown key', '{"groups": [{"name": "a", "share": 1}], "gruops": 1}', 'Key "gruops" is unknown'],
    ['a group without a share', '{"groups": [{"name": "a"}]}', 'Key "groups.0.share" is missing'],
    ['a share of nothing', withGroup({ share: 0 }), 'Key "groups.0.share" is 0 and must be > 0'],
    ['an unknown key of a link', withGroup({ link: { lag_ms: 5 } }), 'Key "groups.0.link.lag_ms" is unknown'],
    ['a latency below 0', withGroup({ link: { latency_ms: -1 } }), 'Key "groups.0.link.latency_ms" is -1'],
    ['a chance over 100', withGroup({ link: { lost_percent: 101 } }), 'Key "groups.0.link.lost_percent" is 101'],
    ['a text for a number', withGroup({ poll_s: '60' }), 'Key "groups.0.poll_s" is "60"'],
    [
      'a network that is never there',
      withGroup({ link: { away: { every_s: 60, for_s: 60 } } }),
      '"groups.0.link.away.for_s" is 60',
    ],
    [
      'less flash than a certificate takes',
      withGroup({ flash: { free_bytes: 100 } }),
      'Key "groups.0.flash.free_bytes" is 100',
    ],
    ['a version of three parts', withGroup(failing('1.0.0')), 'Key "groups.0.failures.0.version" is "1.0.0"'],
    [
      'a version that fails twice',
      withGroup(failing('1.0.0.1', '1.0.0.1')),
      'Key "groups.0.failures.1.version" is "1.0.0.1"',
    ],
    [
      'an unknown fault',
      withGroup({ failures: [{ version: '1.0.0.1', fault: 'burns' }] }),
      'Key "groups.0.failures.0.fault" is "burns"',
    ],
    ['an unknown key of a model', withGroup({ model: { pins: 3 } }), 'Key "groups.0.model": Key "pins" is unknown'],
    [
      'an unknown key of a personality',
      withGroup({ personality: { colour: 'red' } }),
      'Key "groups.0.personality": Personality has no key "colour"',
    ],
    [
      'two groups of one name',
      '{"groups": [{"name": "a", "share": 1}, {"name": "a", "share": 1}]}',
      'Key "groups.1.name" is "a"',
    ],
  ])('with %s is refused with the place', (_, json, message) => {
    const read = parseScenario(json);
    expect(read.ok ? 'taken' : read.error).toContain(message);
  });

  const examples = new URL('../../../examples/', import.meta.url);
  test.each(readdirSync(examples).filter((name) => name.endsWith('.json')))('%s in examples/ is one', (name) => {
    expect(parseScenario(readFileSync(new URL(name, examples), 'utf8'))).toMatchObject({ ok: true });
  });

  test('has variables of its personality beside those of every fleet', () => {
    const personality = { variableDefaults: { 'ota.port': '8443' }, version: '9.8.7.6' };
    const [group] = unwrap(parseScenario(withGroup({ personality }))).groups;
    expect(group?.personality.version).toBe('9.8.7.6');
    expect(group?.personality.defaults.get('ota.port')).toBe(8443);
    expect(group?.personality.defaults.get('wlan.ssid')).toBe('harbour-open');
    expect(group?.model.name).toBe('a');
  });
});

describe('a plan', () => {
  const scenario = unwrap(
    parseScenario(
      JSON.stringify({
        groups: [
          { name: 'few', share: 1 },
          {
            name: 'many',
            share: 3,
            clock: { skew_s: 60, drift_ppm: 1000 },
            link: { away: { every_s: 3600, for_s: 60 } },
            failures: [{ version: '1.0.0.1', fault: 'never_back', percent: 50 }],
          },
        ],
      }),
    ),
  );
  const plans = (seed: string, count: number) =>
    Array.from({ length: count }, (_, index) => planTwin(scenario, seed, index, count));

  test('gives each group its share', () => {
    const names = plans('1', 8).map(({ group }) => group.name);
    expect(names).toEqual([...Array(2).fill('few'), ...Array(6).fill('many')]);
    expect(plans('1', 1).map(({ title }) => title)).toEqual(['many 1']);
  });

  test('is the same for the same seed, and another for another', () => {
    expect(plans('1', 40)).toEqual(plans('1', 40));
    expect(plans('2', 40)).not.toEqual(plans('1', 40));
  });

  test('stays within what the scenario allows', () => {
    const many = plans('3', 400).filter(({ group }) => group.name === 'many');
    for (const { awayAtMs, rate, skewMs } of many) {
      expect(Math.abs(skewMs)).toBeLessThanOrEqual(60_000);
      expect(Math.abs(rate - 1)).toBeLessThanOrEqual(0.001);
      expect(awayAtMs).toBeLessThan(3_600_000);
    }
    const failing = many.filter(({ faults }) => faults.get('1.0.0.1') === 'never_back').length;
    expect(failing / many.length).toBeCloseTo(0.5, 1);
    expect(new Set(many.map(({ skewMs }) => skewMs)).size).toBeGreaterThan(50);
  });

  test('of the plain scenario draws nothing', () => {
    expect(planTwin(plainScenario, '1', 0, 1)).toMatchObject({ skewMs: 0, rate: 1, awayAtMs: 0, faults: new Map() });
  });
});
