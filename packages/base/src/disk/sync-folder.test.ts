import { expect, test } from 'vitest';
import { syncFolder } from './sync-folder.ts';

const refusing = { sync: () => Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' })) };

test('a folder that cannot be synced is a failure', async () => {
  await expect(syncFolder(refusing, 'linux')).rejects.toThrow('not permitted');
  await expect(syncFolder(refusing, 'darwin')).rejects.toThrow('not permitted');
});

test('on Windows, where folders are not synced, the refusal is none', async () => {
  await expect(syncFolder(refusing, 'win32')).resolves.toBeUndefined();
});
