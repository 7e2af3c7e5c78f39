import { contract, logTypes } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { resourcesOf } from './renewals.ts';

describe('what an event renews', () => {
  test.each([
    ['device.tag', 'devices'],
    ['device.data_activate', 'data'],
    ['device.reset', 'data'],
    ['ota.ok', 'deviceUpdates'],
    ['bundle.state', 'products'],
    ['bundle.tag', 'devices'],
    ['rollout.freeze', 'fleet'],
    ['activation_token.use', 'products'],
    ['token.revoke', 'tokens'],
  ])('%s renews %s', (type, resource) => {
    expect(resourcesOf(type)).toContain(resource);
  });

  test.each([...logTypes])('%s renews the log and the dashboard, and nothing that is not there', (type) => {
    const found = resourcesOf(type);
    expect(found).toEqual(expect.arrayContaining(['logs', 'overview', 'metrics']));
    expect(Object.keys(contract)).toEqual(expect.arrayContaining([...found]));
  });

  test('a device that comes and goes does not have its charts loaded anew', () => {
    expect(resourcesOf('device.online')).not.toContain('data');
  });

  test('a type of a newer service renews everything', () => {
    expect(resourcesOf('moon.landing')).toEqual(expect.arrayContaining(['devices', 'products', 'connectors']));
  });
});
