import { MemoryStore } from '@moorage/base/store/memory';
import { describe, expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';
import { directions } from '../variables/directions.ts';

const all = (digit: string, count = 29): string => digit.repeat(count);

describe('gpio_dir', () => {
  // MOD-CMD-gpio_dir, MOD-OPT-gpio_dir-direction, MOD-OPT-gpio_dir-gpio, MOD-GPIO-dir-0 to MOD-GPIO-dir-5
  test.each([
    [0, ['ipu', 'inpu', 'input_pu', 'input_pullup', '0'], '1'],
    [1, ['ipd', 'inpd', 'input_pd', 'input_pulldown', '1'], '0'],
    [2, ['in', 'input', 'inhz', 'in_highz', 'input_hz', '2'], '0'],
    [3, ['out', 'output', 'opp', 'out_pp', 'output_pp', '3'], '0'],
    [4, ['ood', 'out_od', 'ouput_od', '4'], '0'],
    [5, ['oodpu', 'out_odpu', 'output_odpu', '5'], '0'],
  ])('takes every name of direction %d', async (direction, names, level) => {
    const { module, run } = await moduleRig();
    for (const name of names) {
      expect([name, await run(`gpio_dir 5 ${name}`)]).toEqual([name, '0 Set OK']);
      expect(module.pins.uses.get(5)).toMatchObject({ kind: 'gpio', direction });
      expect(await run('gge 5')).toBe(`0 ${level}`);
      expect(await run('get gpio.usage')).toContain(`#  5 GPIO ${directions[direction]?.usage}`);
      await run('gdi 5 none');
    }
  });

  // MOD-GPIO-dir-none
  test.each(['none', '-1'])('%s takes the pin away', async (word) => {
    const { run } = await moduleRig();
    await run('gdi 5 out');
    expect(await run(`gdi 5 ${word}`)).toBe('0 Set OK');
    expect(await run('gse 5 1')).toBe('1 Command failed');
    expect(await run('get gpio.usage')).toBe('0 !  # Description');
    expect(await run(`gdi 5 ${word}`)).toBe('0 Set OK');
  });

  test.each([
    ['gdi 29 out', 7],
    ['gdi 5 6', 7],
    ['gdi 5 -2', 7],
    ['gdi 5 Out', 7],
    ['gdi 5 sideways', 7],
    ['gdi x out', 7],
    ['gdi 5', 4],
    ['gdi 5 out 1', 5],
  ])('%s is refused with code %d', async (line, code) => {
    const { run } = await moduleRig();
    expect(await run(line)).toMatch(new RegExp(`^${code} `));
    expect(await run('gges')).toBe(`0 ${all('X')}`);
  });

  // MOD-GPIO-runtime, MOD-VAR-gpio.init
  test('lasts until the next boot; gpio.init comes back with it', async () => {
    const store = new MemoryStore();
    const { run } = await moduleRig({ store });
    await run('gdi 5 out');
    await run('set gpio.init 6 out 1');
    await run('set gpio.init 7 ipu');
    // It acts at boot.
    expect(await run('gge 6')).toBe('1 Command failed');
    await run('save');
    const again = await moduleRig({ store });
    expect(await again.run('gges')).toBe('0 XXXXXX11XXXXXXXXXXXXXXXXXXXXX');
    expect(await again.run('get gpio.init 6')).toBe('0 output_push_pull 1');
    expect(await again.run('gdi 6 in')).toBe('0 Set OK');
    expect(await again.run('get gpio.usage')).toBe(
      '0 !  # Description\r\n#  6 GPIO input_highz\r\n#  7 GPIO input_pullup',
    );
  });
});

describe('gpio_get and gpio_set', () => {
  // MOD-CMD-gpio_get, MOD-CMD-gpio_set, MOD-OPT-gpio_get-gpio, MOD-OPT-gpio_set-gpio, MOD-OPT-gpio_set-value
  test('read and write an output', async () => {
    const { module, run } = await moduleRig();
    await run('gdi 22 out');
    for (const [word, level] of [
      ['1', 1],
      ['0', 0],
      ['on', 1],
      ['false', 0],
    ] as const) {
      expect(await run(`gpio_set 22 ${word}`)).toBe('0 Set OK');
      expect(await run('gpio_get 22')).toBe(`0 ${level}`);
      expect(module.pins.signal(22)).toEqual({ level });
    }
  });

  // MOD-ERR-gpio-output, MOD-ERR-1
  test.each(['none', 'in', 'ipu', 'ipd'])('gpio_set fails on direction %s', async (direction) => {
    const { logged, run } = await moduleRig();
    await run(`gdi 5 ${direction}`);
    logged();
    expect(await run('gse 5 1')).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO not configured for output']);
  });

  test('gpio_get fails on a pin that is no GPIO', async () => {
    const { logged, run } = await moduleRig();
    logged();
    expect(await run('gge 5')).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO not configured']);
  });

  test.each(['gge 29', 'gse 29 1', 'gse 5 2', 'gge -1', 'gge 256'])('%s is an invalid argument', async (line) => {
    expect(await (await moduleRig()).run(line)).toBe('7 Invalid argument');
  });
});

describe('all pins at once', () => {
  // MOD-CMD-gpios_dir, MOD-CMD-gpios_get, MOD-CMD-gpios_set, MOD-OPT-gpios_dir-directions, MOD-OPT-gpios_set-values
  test('have their directions and values set, GPIO 0 leftmost', async () => {
    const { run } = await moduleRig();
    expect(await run(`gpios_dir 0123456${all('3', 22)}`)).toBe('0 Set OK');
    expect(await run('gpios_get')).toBe(`0 100000X${all('0', 22)}`);
    expect(await run(`gpios_set ${all('1')}`)).toBe('0 Set OK');
    // Inputs and what is no GPIO stay; the open drain without pull floats.
    expect(await run('gges')).toBe(`0 100101X${all('1', 22)}`);
    expect(await run(`gses XXX0x0X${all('X', 22)}`)).toBe('0 Set OK');
    expect(await run('gges')).toBe(`0 100000X${all('1', 22)}`);
    expect(await run(`gdis ${all('6')}`)).toBe('0 Set OK');
    expect(await run('gges')).toBe(`0 ${all('X')}`);
  });

  // MOD-ERR-gpio-count, MOD-ERR-7
  test.each([`gdis ${all('3', 28)}`, `gdis ${all('3', 30)}`, 'gses 1', `gses ${all('1', 28)}`, `gses ${all('1', 30)}`])(
    '%s says how many there have to be',
    async (line) => {
      const { logged, run } = await moduleRig();
      logged();
      expect(await run(line)).toBe('7 Invalid argument');
      expect(logged()).toEqual(['Must supply 29 gpios']);
    },
  );

  test.each([`gdis ${all('7')}`, `gdis ${all('X')}`, `gses ${all('2')}`])('%s is an invalid argument', async (line) => {
    const { logged, run } = await moduleRig();
    logged();
    expect(await run(line)).toBe('7 Invalid argument');
    expect(logged()).toEqual([]);
    expect(await run('gges')).toBe(`0 ${all('X')}`);
  });

  test('a taken pin refuses the whole line, and 6 leaves it what it is', async () => {
    const { logged, run } = await moduleRig();
    await run('set tcp.server.data_gpio 3');
    logged();
    expect(await run(`gdis ${all('3')}`)).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO 3 in use by tcp.server.data_gpio']);
    expect(await run('gges')).toBe(`0 ${all('X')}`);
    expect(await run(`gdis ${'3336'}${all('3', 25)}`)).toBe('0 Set OK');
    expect(await run('get gp u')).toContain('#  3 tcp.server.data_gpio');
  });
});

// Reference: variables 4.1.
describe('a pin has one owner', () => {
  const owners = [
    ['bus.stream.cmd_gpio', 'set bus.stream.cmd_gpio 9', 'set bus.stream.cmd_gpio -1'],
    ['cloud.solo.gpio 9', 'set cloud.solo.gpio 9 lamp', 'set cloud.solo.gpio 9 none'],
    ['ioconn.control_gpio', 'set ioconn.control_gpio 9', 'set ioconn.control_gpio -1'],
    ['ioconn.status_gpio', 'set ioconn.status_gpio 9', 'set ioconn.status_gpio -1'],
    ['setup.gpio.control_gpio', 'set setup.gpio.control_gpio 9', 'set setup.gpio.control_gpio -1'],
    ['system.bflash.cs_gpio', 'set system.bflash.cs_gpio 9', 'set system.bflash.cs_gpio -1'],
    ['system.cmd.gpio', 'set system.cmd.gpio 9', 'set system.cmd.gpio -1'],
    ['system.indicator.gpio wlan', 'set system.indicator.gpio wlan 9', 'set system.indicator.gpio wlan -1'],
    ['system.wakeup.events', 'set system.wakeup.events gpio9', 'set system.wakeup.events ""'],
    ['tcp.server.connected_gpio', 'set tcp.server.connected_gpio 9', 'set tcp.server.connected_gpio -1'],
    ['tcp.server.data_gpio', 'set tcp.server.data_gpio 9', 'set tcp.server.data_gpio -1'],
    ['udp.server.data_gpio', 'set udp.server.data_gpio 9', 'set udp.server.data_gpio -1'],
    ['wlan.network.up_gpio', 'set wlan.network.up_gpio 9', 'set wlan.network.up_gpio -1'],
    ['gpio_dir', 'gdi 9 out', 'gdi 9 none'],
    ['adc_take_sample', 'adc 9', 'gdi 9 none'],
    ['pwm_update', 'pwm 9 1000 50', 'pwm 9 stop'],
  ] as const;

  for (const [owner, take, free] of owners) {
    test(`${owner} keeps it from all others until it is freed`, async () => {
      const { logged, run } = await moduleRig();
      expect(await run(take)).toMatch(/^0 /);
      for (const [other, wants, frees] of owners) {
        if (other === owner) continue;
        logged();
        expect([other, await run(wants)]).toEqual([other, '1 Command failed']);
        expect(logged()).toEqual([`GPIO 9 in use by ${owner}`]);
        expect(await run(free)).toMatch(/^0 /);
        expect([other, await run(wants)]).toEqual([other, expect.stringMatching(/^0 /)]);
        expect([other, await run(frees)]).toEqual([other, expect.stringMatching(/^0 /)]);
        expect(await run(take)).toMatch(/^0 /);
      }
    });
  }

  test('gpio_dir none takes it from a variable until the next boot', async () => {
    const store = new MemoryStore();
    const { run } = await moduleRig({ store });
    await run('set system.indicator.gpio wlan 9');
    await run('save');
    expect(await run('gdi 9 out')).toBe('1 Command failed');
    expect(await run('gdi 9 none')).toBe('0 Set OK');
    expect(await run('gdi 9 out')).toBe('0 Set OK');
    expect(await run('get gp u')).toBe('0 !  # Description\r\n#  9 GPIO output');
    const again = await moduleRig({ store });
    expect(await again.run('get gp u')).toBe('0 !  # Description\r\n#  9 system.indicator.wlan');
    expect(await again.run('gges')).toMatch(/^0 X{29}$/);
  });
});
