import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { UserError } from '../command-line/define.ts';
import { openReporter } from '../command-line/output.ts';
import { Gateway } from './run.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-gateway-'));
});

afterEach(() => rm(folder, { recursive: true }));

function gatewayOn(path: string): Gateway {
  const settings = { folder: path, ip: '127.0.0.1', service: 'https://127.0.0.1:1' };
  return new Gateway(settings, openReporter(true), () => Promise.reject(new Error('no login')));
}

test('a folder is of one gateway at a time, from before its modules are read', async () => {
  const home = join(folder, 'new');
  const first = gatewayOn(home);
  await first.start();
  const refusal = new UserError(`Option --data: folder "${home}" is in use by another gateway`);
  for (const second of [gatewayOn(home), gatewayOn(home)]) {
    await expect(second.start()).rejects.toStrictEqual(refusal);
    // Stopping it frees nothing that is the first one's.
    await second.stop();
  }
  await first.stop();
  const third = gatewayOn(home);
  await third.start();
  await third.stop();
});

test('a folder that cannot be made is named', async () => {
  await writeFile(join(folder, 'file'), '');
  const started = gatewayOn(join(folder, 'file', 'new')).start();
  await expect(started).rejects.toThrow(
    `Option --data: folder "${join(folder, 'file', 'new')}" cannot be used: ENOTDIR`,
  );
  await expect(started).rejects.toBeInstanceOf(UserError);
});
