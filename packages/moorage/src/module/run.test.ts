import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AutoClock, realClock, ScaledClock } from '@moorage/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clockOf, type ModuleSettings, startModule } from './run.ts';

const settings: ModuleSettings = {
  flash: undefined,
  serial: 'none',
  serial1: 'none',
  ip: '127.0.0.1',
  portOffset: 8000,
  listenLan: false,
  service: undefined,
  model: undefined,
  air: undefined,
  personality: undefined,
  cloudPrefix: undefined,
  time: 'real',
  timing: undefined,
  strict: false,
  control: undefined,
  seed: 1,
};

let folder: string;
let ownTimes: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-'));
  ownTimes = join(folder, 'times.json');
  await writeFile(ownTimes, '{"timings":{"saveMs":120}}');
});
afterAll(() => rm(folder, { recursive: true }));

test('--time names a clock', () => {
  expect(clockOf('real').clock).toBe(realClock);
  expect(clockOf('2.5').clock).toBeInstanceOf(ScaledClock);
  const virtual = clockOf('virtual');
  expect(virtual.clock).toBeInstanceOf(AutoClock);
  virtual.stop();
});

test.each(['', 'fast', '0', '-1', '1001', '1e2', '0.0001'])('--time "%s" is refused', (time) => {
  expect(() => clockOf(time)).toThrow(`Option --time is "${time}"`);
});

// The personality's own times are closer to its modules than ours.
test.each([
  [undefined, 0, 120],
  ['real', 900, 120],
  ['none', 0, 0],
])('--timing %s: a save takes %i ms, and %i when the personality says 120', async (timing, neutral, own) => {
  // A boot takes no real time.
  const base = { ...settings, timing, time: 'virtual' };
  for (const [personality, expected] of [
    [undefined, neutral],
    [ownTimes, own],
  ] as const) {
    const running = await startModule({ ...base, personality });
    expect(running.module.timings.saveMs).toBe(expected);
    await running.stop();
  }
});

test('--timing is refused when it is neither real nor none', async () => {
  await expect(startModule({ ...settings, timing: 'slow' })).rejects.toThrow('Option --timing is "slow"');
});

test.each([
  ['{"commandAliases":{"version":["ls"]}}', 'gives "ls" to two commands'],
  ['{"commandAliases":{"bogus":["x"]}}', 'names "bogus", which is no command'],
])('a personality file with %s is refused before anything is started', async (contents, message) => {
  const personality = join(folder, 'clash.json');
  await writeFile(personality, contents);
  await expect(startModule({ ...settings, personality })).rejects.toThrow(
    `The personality file "${personality}" is wrong: Personality key "commandAliases" ${message}`,
  );
});

test('--strict refuses what is only a guess', async () => {
  const running = await startModule({ ...settings, strict: true });
  expect((await running.module.execute('get system.string_substitution')).code).toBe(6);
  await running.stop();
});

// MOD-VAR-remote_terminal.enabled
test('the address of the remote terminal is printed once it is enabled', async () => {
  const flash = join(folder, 'terminal');
  const first = await startModule({ ...settings, flash });
  expect(first.addresses.terminal).toBeNull();
  await first.module.execute('set remote_terminal.enabled 1');
  await first.module.execute('save');
  await first.stop();
  const second = await startModule({ ...settings, flash });
  expect(second.addresses.terminal).toBe('127.0.0.1:10000');
  await second.stop();
});

test('a port that another program has is no address, and is reported with the way out', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const running = await startModule({ ...settings, portOffset: port - 80 });
  running.module.variables.set('http.server.enabled', true);
  const line = `none: port ${port} on 127.0.0.1 is taken; choose other ports with --port-offset`;
  expect(await running.takenPorts()).toEqual({ http: line });
  expect(running.addresses.http).toBeNull();
  holder.close();
  await once(holder, 'close');
  expect(await running.takenPorts()).toEqual({});
  expect(running.addresses.http).toBe(`http://127.0.0.1:${port}`);
  await running.stop();
});

test('--serial1 is a second line, and cannot be this terminal', async () => {
  const running = await startModule({ ...settings, serial1: 'rfc2217:127.0.0.1:0' });
  expect(running.addresses).toMatchObject({
    serial: null,
    serial1: expect.stringMatching(/^rfc2217:127\.0\.0\.1:\d+$/),
  });
  await running.stop();
  await expect(startModule({ ...settings, serial1: 'stdio' })).rejects.toThrow('Option --serial1 cannot be stdio');
  await expect(startModule({ ...settings, serial1: 'usb' })).rejects.toThrow('Serial port "usb"');
});

test('a start that fails gives the flash back', async () => {
  const flash = join(folder, 'failed');
  const taken = await startModule({ ...settings, serial: 'tcp:127.0.0.1:0' });
  const serial = taken.addresses.serial ?? '';
  const control = serial.replace('tcp:', '');
  for (const [wrong, message] of [
    [{ time: 'fast' }, 'Option --time is "fast"'],
    [{ time: 'virtual', serial }, 'is taken'],
    [{ control }, 'is taken'],
  ] as const) {
    await expect(startModule({ ...settings, flash, ...wrong })).rejects.toThrow(message);
  }
  await (await startModule({ ...settings, flash })).stop();
  await taken.stop();
});

test.runIf(process.platform === 'linux')('a flash folder that the host cannot make is refused', async () => {
  await expect(startModule({ ...settings, flash: '/proc/moorage' })).rejects.toThrow(
    'The flash folder cannot be used: ENOENT',
  );
});
