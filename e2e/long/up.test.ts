import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { eventOf, type Moorage, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';
import { administratorOf, login, startUp, stateOf } from '../up-scene.ts';

const folder = dataFolder('up');

const up = (...more: string[]): Moorage => startUp(folder.path, ...more);

/** How many samples of the water level the service has, after looking that there is water. */
async function tidesOf(ready: Record<string, unknown>): Promise<number> {
  const admin = await administratorOf(ready);
  const device = await admin.call('devices.get', { params: { identifier: String(ready.uuid) } });
  if (!device.ok) throw new Error(device.error.body.message);
  const params = { device_id: device.value.value.id, name: 'tide' };
  const samples = await admin.call('data.samples', { params, query: {} });
  if (!samples.ok) throw new Error(samples.error.body.message);
  for (const { value } of samples.value.value) expect(value).toBeGreaterThan(100);
  return samples.value.value.length;
}

describe('moorage up', () => {
  test('leads a module to its update, and the next start repeats nothing', async () => {
    const first = up('--json');
    const ready = await eventOf(first, 'ready');
    expect(first.lines[0]).toContain('"event":"ready"');
    expect(ready).toMatchObject({
      api: expect.stringMatching(/^http:/),
      devices: expect.stringMatching(/^https:/),
      console: expect.any(String),
      serial: expect.stringMatching(/^tcp:127\.0\.0\.1:\d+$/),
      mac: expect.stringMatching(/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/),
      uuid: expect.stringMatching(/^[0-9A-F]{40}$/),
    });
    await eventOf(first, 'updated');
    const steps = first.lines.map((line) => (JSON.parse(line) as { event: string }).event);
    expect(steps).toEqual([
      'ready',
      'administrator',
      'provisioned',
      'claimed',
      'activated',
      'ota',
      'installed',
      'updated',
    ]);
    // A password that the user has chosen is printed nowhere.
    expect(first.lines.join('\n') + first.errors()).not.toContain(login.MOORAGE_ADMIN_PASSWORD);
    const { device, updates } = await stateOf(ready);
    expect(device).toMatchObject({ bundle: '1.0.0.0', bundle_ok: true, state: 'active' });
    expect(updates).toMatchObject([{ state: 'done' }]);
    // It measures by itself: there is a live chart to look at.
    await expect.poll(() => tidesOf(ready)).toBeGreaterThan(1);
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    const second = up();
    await second.line((line) => line.startsWith('Ctrl-C'));
    expect(second.lines.join('\n')).not.toMatch(/First run|Provisioned|Claimed|Activated|Update|cloud_activate/);
    second.process.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  test('names a port that is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = String(typeof address === 'object' ? address?.port : '');
    const program = moorage(
      ['up', '--data', folder.path, '--port', port, '--device-port', '0', '--serial', 'none'],
      login,
    );
    expect(await program.ended).toBe(1);
    expect(program.errors()).toContain(`Port ${port} on 127.0.0.1 is taken`);
    await new Promise((resolve) => other.close(resolve));
  });

  test('leaves a folder to the service that runs on it', async () => {
    const free = ['--data', folder.path, '--port', '0', '--device-port', '0'];
    const first = moorage(['serve', '--json', ...free], login);
    await eventOf(first, 'ready');
    const second = moorage(['serve', ...free], login);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain(`Another service runs on ${folder.path}/moorage.db`);
    first.process.kill('SIGKILL');
    await first.ended;
    // A service that was killed holds nothing.
    const third = moorage(['serve', '--json', ...free], login);
    await eventOf(third, 'ready');
    third.process.kill('SIGTERM');
    expect(await third.ended).toBe(0);
  });
});

describe('the command line', () => {
  test.each([
    [['up', '--nonsense'], 'nonsense'],
    [['nonsense'], 'nonsense'],
    [['module', '--serial', 'nonsense'], 'nonsense'],
    [['module', '--service', 'ftp://somewhere'], '--service'],
    [['module', '--port-offset', 'many'], '--port-offset'],
    [['serve', '--port', '70000'], '--port'],
    [['serve', '--config', '/does/not/exist'], '/does/not/exist'],
    [['serve', '--host', '0.0.0.0'], '--listen-lan'],
    [['serve', '--port', '9000', '--device-port', '9000'], '9000'],
  ])('refuses %j with code 2 and names it', async (args, named) => {
    const program = moorage([...args]);
    expect(await program.ended).toBe(2);
    expect(program.errors()).toContain(named);
  });

  test('refuses an unknown variable of the environment', async () => {
    const program = moorage(['serve', '--data', folder.path], { MOORAGE_PROT: '1' });
    expect(await program.ended).toBe(2);
    expect(program.errors()).toContain('MOORAGE_PROT');
  });

  test.each([[[]], [['up']], [['serve']], [['module']]])('shows help for %j', async (args) => {
    const program = moorage([...args, '--help']);
    expect(await program.ended).toBe(0);
    expect(program.lines.join('\n')).toContain('Usage: moorage');
  });
});
