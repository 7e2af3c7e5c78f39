import { expect, test } from 'vitest';
import { type Bench, withModule } from './testing.ts';

test(
  'a test gets a module that has booted',
  withModule(async (module) => {
    await module.expect('[Ready]');
    module.send('version');
    await module.expect('Moorage-');
  }),
);

test(
  'and it gets what the options say',
  withModule(
    async (module) => {
      expect((await module.command('get wlan.mac')).text).not.toBe('');
      expect(module.module.wlan.survey.isBusy).toBe(false);
      expect((await module.command('wlan_scan')).text).toMatch(/^! 0 networks/);
    },
    { air: { accessPoints: [] } },
  ),
);

test('what a test throws has the transcript in its message and stack, and the module is switched off', async () => {
  let bench: Bench | undefined;
  const run = withModule(async (module) => {
    bench = module;
    module.send('get wlan.ssid');
    expect((await module.command('version')).code).toBe(7);
  });
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('The test has passed');
  for (const text of [error.message, error.stack]) {
    expect(text).toContain('expected +0 to be 7');
    expect(text).toContain('     0.000 > get wlan.ssid\n     0.000 > version\n');
  }
  expect(error.stack).toMatch(/\n\s+at .*testing\.test\.ts/);
  expect(() => bench?.module).toThrow('The module has no power');
});

test('what is no error is thrown as it is', async () => {
  await expect(withModule(() => Promise.reject('quay'))()).rejects.toBe('quay');
});
