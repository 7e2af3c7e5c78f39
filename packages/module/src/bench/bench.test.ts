import { expect, test } from 'vitest';
import { ExpectationError, openBench } from './bench.ts';

test('a bench takes output in order, without prompts and echo, and a day passes at once', async () => {
  const bench = await openBench();
  await bench.expect('[Ready]');
  bench.send('get wlan.ssid');
  await bench.expectNone('wlan.ssid', 86_400_000);
  expect(bench.transcript.ms).toBe(86_400_000);
  bench.send('set wlan.ssid harbour');
  bench.send('get wlan.ssid');
  expect((await bench.expect(/^Set (\w+)$/m))[1]).toBe('OK');
  await bench.expect(/^harbour$/m);
  await bench.close();
});

test('a bench says what did not come, and what came instead', async () => {
  const bench = await openBench();
  bench.send('version');
  const missed = bench.expect('Quay', { withinMs: 250 });
  await expect(missed).rejects.toThrow(ExpectationError);
  await expect(missed).rejects.toThrow(/^"Quay" did not come within 250 ms; what came ends in ".*Moorage-/);
  await expect(bench.expectNone(/moorage/i, 10)).rejects.toThrow('/moorage/i came, and should not within 10 ms');
  await expect(bench.expectPin(22, 1, { withinMs: 10 })).rejects.toThrow(
    'Pin 22 has not become high within 10 ms; it is {"level":null}',
  );
  await bench.close();
});

test('data behind a command is typed without Enter, in any bytes', async () => {
  const bench = await openBench();
  bench.send('file_create data.bin 4');
  bench.type(Uint8Array.of(0, 0xff, 10, 13));
  await bench.expect('File created');
  const { code, text } = await bench.command('file_stat data.bin');
  expect([code, text.split(',')[0]]).toEqual([0, '4']);
  await bench.close();
});

test('a power cut loses what is not saved, keeps what is, and leaves the pins connected', async () => {
  const bench = await openBench();
  const { identity } = bench.module;
  bench.drive(3, 1);
  await bench.command('set wlan.ssid saved');
  await bench.command('save');
  await bench.command('set wlan.ssid lost');
  await bench.cutPower(5_000);
  expect(bench.transcript.ms).toBe(5_000);
  expect(bench.module.identity).toEqual(identity);
  expect((await bench.command('get wlan.ssid')).text).toBe('saved');
  await bench.command('gpio_dir 3 in');
  expect((await bench.command('gpio_get 3')).text).toBe('1');
  await bench.close();
});

test('what is under way at a power cut does not reach the flash any more', async () => {
  const bench = await openBench();
  bench.send('file_create -o half.bin 100');
  await bench.expect(/^0$/m);
  bench.send('stream_write 0 50');
  bench.type('x'.repeat(50));
  await bench.expect('Success');
  await bench.cutPower();
  expect((await bench.command('file_stat half.bin')).code).not.toBe(0);
  await bench.close();
});

test('link and network go down and come back, the outages of the air with them', async () => {
  const point = { ssid: 'quay', bssid: '02:6D:6F:00:00:01', channel: 1, security: 'open', rssiDbm: -50 } as const;
  const outages = [{ atMs: 3_600_000, forMs: 1_000 }];
  const bench = await openBench({ air: { accessPoints: [{ ...point, outages }] } });
  for (const line of ['wlan.ssid quay', 'wlan.auto_join.enabled 1', 'wlan.auto_join.retries 0'])
    await bench.command(`set ${line}`);
  bench.send('network_up');
  await bench.expect('[Associated]');
  bench.setLink('down');
  await bench.expect('[Disassociated]');
  await bench.expectNone('[Associated]', 600_000);
  bench.setLink('up');
  await bench.expect('[Associated]', { withinMs: 60_000 });
  bench.setNetwork('down');
  expect((await bench.command('network_lookup harbour.test')).code).not.toBe(0);
  await bench.network?.attach('harbour.test', '10.5.6.9');
  bench.setNetwork('up');
  expect((await bench.command('network_lookup harbour.test')).text).toBe('10.5.6.9');
  await bench.expect('[Disassociated]', { withinMs: 3_600_000 });
  await bench.close();
});

test('a module that crashes and one that is reset come back', async () => {
  const bench = await openBench();
  await bench.fault('Bus Fault');
  await bench.expect('[Ready]');
  expect((await bench.command('faults_print')).text).toContain('Bus Fault');
  await bench.reset();
  expect((await bench.command('version')).code).toBe(0);
  await bench.close();
});

test('the same seed gives the same transcript', async () => {
  const run = async (seed: number): Promise<string> => {
    const bench = await openBench({ seed });
    await bench.command('get wlan.mac');
    await bench.command('wlan_scan');
    const text = String(bench.transcript);
    await bench.close();
    return text;
  };
  expect(await run(3)).toBe(await run(3));
  expect(await run(3)).not.toBe(await run(4));
  expect(await run(3)).toMatch(/^ {5}0\.000 ! power on\n {5}0\.000 < Moorage-/);
});
