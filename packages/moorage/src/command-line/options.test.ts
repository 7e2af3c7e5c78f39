import { variableOf } from '@moorage/service/engine/settings/options';
import { expect, test } from 'vitest';
import { findUnknownSetting, resolveOptions } from './options.ts';

const table = {
  host: { kind: 'text', help: 'address', default: '127.0.0.1' },
  port: { kind: 'port', help: 'port', default: 8080 },
  count: { kind: 'count', help: 'how many' },
  ip: { kind: 'ipv4', help: 'where' },
  'listen-lan': { kind: 'switch', help: 'leave the machine' },
} as const;

test('resolveOptions takes flags before environment before file before defaults', () => {
  const sources = {
    flags: { port: '1' },
    env: { MOORAGE_PORT: '2', MOORAGE_COUNT: '3' },
    file: { port: 4, count: 5, host: 'example' },
  };
  expect(resolveOptions(table, sources)).toEqual({
    ok: true,
    value: { host: 'example', port: 1, count: 3, ip: undefined, 'listen-lan': false },
  });
});

test('resolveOptions fills in defaults', () => {
  expect(resolveOptions(table, { flags: {}, env: {}, file: {} })).toEqual({
    ok: true,
    value: { host: '127.0.0.1', port: 8080, count: undefined, ip: undefined, 'listen-lan': false },
  });
});

test.each([
  [{ flags: { port: '65536' }, env: {}, file: {} }, 'Option --port'],
  [{ flags: { port: '-1' }, env: {}, file: {} }, 'Option --port'],
  [{ flags: { ip: '999.1.1.1' }, env: {}, file: {} }, 'Option --ip is "999.1.1.1", not an IPv4 address'],
  [{ flags: {}, env: { MOORAGE_IP: 'quay' }, file: {} }, 'Variable MOORAGE_IP'],
  [{ flags: {}, env: { MOORAGE_PORT: 'http' }, file: {} }, 'Variable MOORAGE_PORT'],
  [{ flags: {}, env: {}, file: { count: 1.5 } }, 'Setting "count" of the config file'],
  [{ flags: {}, env: {}, file: { host: ['a'] } }, 'Setting "host" of the config file'],
  [{ flags: {}, env: { MOORAGE_LISTEN_LAN: 'perhaps' }, file: {} }, 'Variable MOORAGE_LISTEN_LAN'],
])('resolveOptions names what is wrong in %j', (sources, named) => {
  const resolved = resolveOptions(table, sources);
  expect(resolved.ok ? '' : resolved.error).toContain(named);
});

test.each(['1', 'true', 'on', 'YES'])('resolveOptions reads %j as a switch that is on', (text) => {
  const resolved = resolveOptions(table, { flags: {}, env: { MOORAGE_LISTEN_LAN: text }, file: {} });
  expect(resolved.ok && resolved.value['listen-lan']).toBe(true);
});

test('findUnknownSetting names variables and keys that no command has', () => {
  const known = new Set(Object.keys(table));
  expect(findUnknownSetting(known, { env: { MOORAGE_PORT: '1', PATH: '' }, file: { host: '' } })).toBeUndefined();
  expect(findUnknownSetting(known, { env: { MOORAGE_PROT: '1' }, file: {} })).toContain('MOORAGE_PROT');
  expect(findUnknownSetting(known, { env: {}, file: { prot: 1 } })).toContain('"prot"');
});

test('variableOf spells a flag as a variable', () => {
  expect(variableOf('device-port')).toBe('MOORAGE_DEVICE_PORT');
});
