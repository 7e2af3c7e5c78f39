import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';

const banner = 'Moorage-2.2.0.12, Built:2015-04-08 20:12:21 for Module.3, Board:Harbour.3';

async function rigWith(script: string, name = 'a.script') {
  const rig = await moduleRig();
  await rig.run(`file_create ${name} ${Buffer.byteLength(script)}`, script);
  rig.logged();
  return rig;
}

describe('setup with a script', () => {
  // MOD-CMD-setup
  test.each(['setup a.script', 'setup script a.script'])(
    '%s runs its commands, whose answers are log lines',
    async (line) => {
      const { logged, run } = await rigWith(
        '# joins\r\nset wlan.ssid "my net"\n\n  get wlan.ssid\rset wlan.auto_join.enabled 1',
      );
      expect(await run(line)).toBe('0 Success');
      expect(logged()).toEqual(['Set OK', 'my net', 'Set OK']);
      expect(await run('get wlan.auto_join.enabled')).toBe('0 1');
    },
  );

  test('runs default_setup.script when none is named', async () => {
    const { logged, run } = await rigWith('version\n', 'default_setup.script');
    expect(await run('setup script')).toBe('0 Success');
    expect(logged()).toEqual([banner]);
  });

  test('of no commands is a success', async () => {
    expect(await (await rigWith('# nothing\n\n')).run('setup a.script')).toBe('0 Success');
  });

  test.each([
    ['an unknown command', 'bogus', ['Unknown command']],
    ['a value that does not fit', 'set wlan.channel 99 99', undefined],
    ['an unbalanced quote', 'set wlan.ssid "x', ['Parse error']],
    ['data that a script cannot have', 'file_create b.txt 5', ['Command failed']],
    ['a setup', 'setup a.script', ['Setup cannot run setup']],
    ['a quoted setup', '"setup" a.script', ['Setup cannot run setup']],
  ])('ends at %s', async (_, failing, said) => {
    const { logged, run } = await rigWith(`set wlan.ssid before\n${failing}\nset wlan.ssid after\n`);
    expect(await run('setup a.script')).toBe('1 Command failed');
    const lines = logged();
    expect(lines[0]).toBe('Set OK');
    expect(lines.at(-1)).toBe('Line 2 of a.script failed');
    if (said) expect(lines.slice(1, -1)).toEqual(said);
    expect(await run('get wlan.ssid')).toBe('0 before');
    expect(await run('fst b.txt')).toBe('1 Command failed');
  });

  test('ends with a reboot, which begins when it has answered', async () => {
    const { logged, pass, run } = await rigWith('reboot\nset wlan.ssid never\n');
    expect(await run('setup a.script')).toBe('0 Success');
    expect(logged()).toEqual(['Rebooting']);
    await pass(0);
    expect(logged()).toEqual([banner, '[Ready]']);
    expect(await run('get wlan.ssid')).toBe('0 ');
  });

  test.each([
    ['setup missing.script', '1 Command failed', ['File not found']],
    ['setup', '4 Too few arguments', []],
    ['setup a.script b', '5 Too many arguments', []],
    ['setup script a.script b', '5 Too many arguments', []],
    ['setup status now', '5 Too many arguments', []],
  ])('%s answers %j', async (line, answer, said) => {
    const { logged, run } = await rigWith('version\n');
    expect(await run(line)).toBe(answer);
    expect(logged()).toEqual(said);
  });

  test('that is too large is refused', async () => {
    const { logged, run } = await rigWith('#'.repeat(65_537));
    expect(await run('setup a.script')).toBe('1 Command failed');
    expect(logged()).toEqual(['File too large']);
  });
});

describe('setup of other kinds', () => {
  test('web begins when it has answered, and can be stopped', async () => {
    const { logged, pass, run } = await moduleRig();
    logged();
    expect(await run('setup web')).toBe('0 In progress');
    expect(logged()).toEqual([]);
    await pass(1);
    expect(logged().at(-1)).toBe('Web setup started');
    expect(await run('setup status')).toBe('0 1');
    expect(await run('setup stop')).toBe('0 Success');
    expect(await run('setup status')).toBe('0 0');
  });

  // MOD-VAR-setup.gpio.cmd
  test('cmd runs the command of the setup pin', async () => {
    const { logged, run } = await rigWith('get system.safemode\n');
    await run('set setup.gpio.cmd "setup a.script"');
    expect(await run('setup cmd')).toBe('0 Success');
    expect(logged()).toEqual(['0', 'Success']);
  });

  test.each([
    ['""', ['No setup command']],
    ['"setup cmd"', ['Setup cannot run setup']],
    ['" setup   cmd "', ['Setup cannot run setup']],
    ['bogus', ['Unknown command']],
  ])('cmd fails with the command %s', async (command, said) => {
    const { logged, run } = await moduleRig();
    await run(`set setup.gpio.cmd ${command}`);
    logged();
    expect(await run('setup cmd')).toBe('1 Command failed');
    expect(logged()).toEqual(said);
  });
});

describe('setup.auto.cmd', () => {
  async function restarted(...settings: string[]) {
    const store = new MemoryStore();
    const first = await moduleRig({ store });
    for (const setting of settings) await first.run(`set ${setting}`);
    await first.run('save');
    const rig = await moduleRig({ store });
    await rig.pass(0);
    return rig;
  }

  // MOD-VAR-setup.auto.cmd
  test('runs after a boot without a network; its answer is a log line', async () => {
    const { logged } = await restarted('setup.auto.cmd "get system.safemode"');
    expect(logged()).toEqual([banner, '[Ready]', '0']);
  });

  test('does not run when a network is set', async () => {
    const { logged } = await restarted('setup.auto.cmd "get system.safemode"', 'wlan.ssid home');
    expect(logged()).toEqual([banner, '[Ready]']);
  });
});

// MOD-CMD-exit, MOD-STATE-2
test('exit fails while stream mode is not operational', async () => {
  const { logged, run } = await moduleRig();
  logged();
  expect(await run('exit')).toBe('1 Command failed');
  expect(logged()).toEqual(['Stream mode not operational']);
  expect(await run('exit now')).toBe('5 Too many arguments');
});
