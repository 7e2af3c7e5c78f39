import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { type Backup, compareBackups, readBackup } from './compare-backups.ts';

const page = { name: 'page.html', size: 9, crc: '12AB' };
const backup = (settings: Readonly<Record<string, string>>, files: Backup['files']): Backup => ({
  settings: Object.entries(settings).map(([name, value]) => ({ name, value })),
  files,
});

test('two backups differ in variables and files that are other, gone or new', () => {
  const before = backup({ 'user.data': 'a', 'wlan.ssid': 'x', 'old.one': '1' }, [page, { name: 'gone', size: 1 }]);
  const fresh = { name: 'new', size: 2, crc: '0000' };
  const after = backup({ 'user.data': 'b', 'wlan.ssid': 'x', 'new.one': '2' }, [{ ...page, crc: '12AC' }, fresh]);
  expect(compareBackups(before, after)).toEqual({
    settings: [
      { name: 'new.one', before: undefined, after: '2' },
      { name: 'old.one', before: '1', after: undefined },
      { name: 'user.data', before: 'a', after: 'b' },
    ],
    files: [
      { name: 'gone', before: { name: 'gone', size: 1 }, after: undefined },
      { name: 'new', before: undefined, after: fresh },
      { name: 'page.html', before: page, after: { ...page, crc: '12AC' } },
    ],
  });
  expect(compareBackups(before, before)).toEqual({ settings: [], files: [] });
});

test('a backup is read from its archive, and what is none is not', () => {
  const manifest = { format: 'moorage-rescue', ...backup({ a: '1' }, [page]) };
  const zip = (content: unknown) =>
    zipSync({ 'module.json': strToU8(JSON.stringify(content)), 'files/a': strToU8('x') });
  expect(readBackup(zip(manifest))).toEqual(backup({ a: '1' }, [page]));
  for (const other of [{ ...manifest, format: 'x' }, { ...manifest, files: 1 }, null, 'x'])
    expect(readBackup(zip(other))).toBeUndefined();
  expect(readBackup(strToU8('no zip'))).toBeUndefined();
});
