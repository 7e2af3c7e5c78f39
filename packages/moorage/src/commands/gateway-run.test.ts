import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { resolveOptions } from '../options.ts';
import { openReporter } from '../output.ts';
import { UserError } from './define.ts';
import { adoptOptions, startGateway } from './gateway-run.ts';

test.each([
  ['ca', 'Setting --ca: file "/nowhere/file" cannot be read (ENOENT)'],
  ['streams', 'The file of streams "/nowhere/file" cannot be read: ENOENT'],
])('a gateway whose --%s is not there says so', async (name, message) => {
  const options = unwrap(resolveOptions(adoptOptions, { flags: { [name]: '/nowhere/file' }, env: {}, file: {} }));
  const settings = { folder: '/nowhere/gateway', ip: '127.0.0.1', service: undefined };
  const started = startGateway(settings, options, openReporter(true), () => Promise.reject(new Error('no login')));
  await expect(started).rejects.toThrow(message);
  await expect(started).rejects.toBeInstanceOf(UserError);
  await expect(started).rejects.toHaveProperty('exitCode', 2);
});
