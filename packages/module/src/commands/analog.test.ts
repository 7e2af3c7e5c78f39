import { describe, expect, test } from 'vitest';
import { lookUp, parseLookUpTable, rawSample, sampleMillivolts } from '../device/adc.ts';
import { defaultModel } from '../model/model.ts';
import { moduleRig } from '../testing/module-rig.ts';

describe('adc_take_sample', () => {
  // MOD-CMD-adc_take_sample, MOD-OPT-adc_take_sample-gpio, MOD-OPT-adc_take_sample-gain, MOD-OPT-adc_take_sample-v
  test.each([
    ['adc 7', 1.2, '0x05D1'],
    ['adc_take_sample 7', 0, '0x0000'],
    ['adc 7', 3.3, '0x0FFF'],
    ['adc 7', 9, '0x0FFF'],
    ['adc 7', -1, '0x0000'],
    ['adc 7 2', 1.2, '0x0BA2'],
    ['adc 7 64', 1.2, '0x0FFF'],
    ['adc 7 -v', 1.2, '1200'],
    ['adc 7 2 -v', 1.2, '1200'],
    ['adc -v 7', 3.3, '3299'],
  ])('%s at %f V answers %s', async (line, volts, expected) => {
    const { module, run } = await moduleRig();
    module.pins.analog(7, volts);
    expect(await run(line)).toBe(`0 ${expected}`);
    expect(await run('get gpio.usage')).toContain('#  7 ADC');
  });

  // MOD-VAR-system.adc.vref
  test('measures against the reference voltage, and follows a waveform', async () => {
    const { module, pass, run } = await moduleRig();
    await run('set system.adc.vref 1200');
    module.pins.analog(7, (ms) => ms / 1000);
    await pass(600);
    expect(await run('adc 7')).toBe('0 0x0800');
    await pass(300);
    expect(await run('adc 7 -v')).toBe('0 900');
    await run('set system.adc.vref 0');
    expect(await run('adc 7')).toBe('0 0x0FFF');
  });

  // MOD-OPT-adc_take_sample-lut
  test('converts through a table in flash', async () => {
    const { module, run } = await moduleRig();
    const table = '# thermistor\r\nsample,celsius\r\n0,-10.5\r\n2048,20\r\n0x0FFF,85.25\r\n';
    await run(`fcr table.csv ${table.length}`, table);
    for (const [volts, expected] of [
      [0, '-10.50'],
      [0.825, '4.75'],
      [1.65, '20.00'],
      [3.3, '85.25'],
    ] as const) {
      module.pins.analog(7, volts);
      expect(await run('adc 7 table.csv')).toBe(`0 ${expected}`);
    }
    expect(await run('adc 7 2 table.csv')).toBe('0 85.25');
  });

  test.each([
    ['adc 7 none.csv', 'File not found'],
    ['adc 7 bad.csv', 'Look-up table malformed'],
    ['adc 7 big.csv', 'File too large'],
  ])('%s fails, and does not take the pin', async (line, reason) => {
    const { logged, run } = await moduleRig();
    await run('fcr bad.csv 7', '1,2,3\n\n');
    await run('fcr big.csv 16385', '#'.repeat(16_385));
    logged();
    expect(await run(line)).toBe('1 Command failed');
    expect(logged()).toEqual([reason]);
    expect(await run('get gp u')).toBe('0 !  # Description');
  });

  test.each([
    ['adc 0', 7],
    ['adc 29', 7],
    ['adc 7 0', 7],
    ['adc 7 65', 7],
    ['adc 7 a.csv 2', 7],
    ['adc 7 a.csv -v', 7],
    ['adc 7 2 3', 1],
    ['adc 7 -x', 6],
    ['adc', 4],
    ['adc 7 1 a b', 5],
  ])('%s is refused with code %d', async (line, code) => {
    expect(await (await moduleRig()).run(line)).toMatch(new RegExp(`^${code} `));
  });
});

describe('a look-up table', () => {
  const answer = (text: string, sample: number) => {
    const table = parseLookUpTable(text);
    return table.ok ? lookUp(table.value, sample) : table.error;
  };

  test.each([
    ['5,7', 0, '7'],
    ['5,7', 9, '7'],
    ['0,0\n10,100', 3, '30'],
    ['10,100\n0,0', 3, '30'],
    ['0,0\n10,-1', 4, '0'],
    ['0,0\n10,-1', 6, '-1'],
    ['0,1\r1,2\r\n2,9', 2, '9'],
    ['0,.5\n4,1.', 2, '0.8'],
    ['  0 , 5 \n\n# x\n10,6', 10, '6'],
    ['"mV","C"\n0,5', 3, '5'],
    ['', 1, 'malformed'],
    ['header,only', 1, 'malformed'],
    ['1,2\nx,y', 1, 'malformed'],
    ['1,2\n1,3', 1, 'malformed'],
    ['1', 1, 'malformed'],
    ['1;2', 1, 'malformed'],
    ['1,1e3', 1, 'malformed'],
    [Array.from({ length: 1001 }, (_, at) => `${at},1`).join('\n'), 1, 'malformed'],
  ])('%j at %d gives %s', (text, sample, expected) => {
    expect(answer(text, sample)).toBe(expected);
  });

  test('a sample and its voltage stay within the range of the converter', () => {
    for (const bits of [8, 12, 16]) {
      for (const gain of [1, 3, 64]) {
        const scale = { vrefMv: 3300, gain, bits };
        expect(rawSample(100, scale)).toBe(2 ** bits - 1);
        expect(rawSample(-100, scale)).toBe(0);
        expect(sampleMillivolts(2 ** bits - 1, scale)).toBeLessThanOrEqual(3300);
      }
    }
  });
});

describe('dac_set_level', () => {
  // MOD-CMD-dac_set_level, MOD-OPT-dac_set_level-level
  test.each([
    [0, 0],
    [2048, 1.65],
    [4095, (3.3 * 4095) / 4096],
  ])('level %d puts out %f V', async (level, volts) => {
    const { module, run } = await moduleRig();
    expect(await run(`dac ${level}`)).toBe('0 Success');
    expect(module.pins.signal(0)).toEqual({ volts });
    expect(await run('get gp u')).toBe('0 !  # Description\r\n#  0 DAC');
  });

  test.each(['dac 4096', 'dac -1', 'dac x', 'dac 1.5'])('%s is an invalid argument', async (line) => {
    expect(await (await moduleRig()).run(line)).toBe('7 Invalid argument');
  });

  test('fails on a board without a converter, and on a taken pin', async () => {
    const bare = await moduleRig({ model: { ...defaultModel, dac: { pins: [], bits: 12 } } });
    bare.logged();
    expect(await bare.run('dac 1')).toBe('1 Command failed');
    expect(bare.logged()).toEqual(['No DAC']);
    const { logged, run } = await moduleRig();
    await run('gdi 0 in');
    logged();
    expect(await run('dac 1')).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO 0 in use by gpio_dir']);
  });
});

describe('pwm_update', () => {
  // MOD-CMD-pwm_update
  test('puts out pulses, changes them and ends them in every form', async () => {
    const { module, run } = await moduleRig();
    expect(await run('pwm 1 1 0')).toBe('0 Set OK');
    expect(await run('pwm_update 1 1000000 100')).toBe('0 Set OK');
    expect(module.pins.signal(1)).toEqual({ hz: 1_000_000, dutyPercent: 100 });
    expect(await run('get gp u')).toBe('0 !  # Description\r\n#  1 PWM');
    expect(await run('pwm 1 stop')).toBe('0 Set OK');
    expect(await run('pwm 1 stop')).toBe('0 Set OK');
    await run('pwm 1 50 50');
    await run('pwm 2 50 50');
    expect(await run('pwm stop 1')).toBe('0 Set OK');
    expect(Array.from(module.pins.uses.keys())).toEqual([2]);
    await run('pwm 1 50 50');
    expect(await run('pwm stop')).toBe('0 Set OK');
    expect(module.pins.uses.size).toBe(0);
  });

  test.each([
    ['pwm 0 50 50', 7],
    ['pwm 29 50 50', 7],
    ['pwm 1 0 50', 7],
    ['pwm 1 1000001 50', 7],
    ['pwm 1 50 101', 7],
    ['pwm 1 50 -1', 7],
    ['pwm 1 x 50', 7],
    ['pwm 1 50 1.5', 7],
    ['pwm 0 stop', 7],
    ['pwm stop x', 7],
    ['pwm', 4],
    ['pwm 1', 4],
    ['pwm 1 50', 4],
    ['pwm 1 stop 2', 5],
    ['pwm 1 2 3 4', 5],
  ])('%s is refused with code %d', async (line, code) => {
    expect(await (await moduleRig()).run(line)).toMatch(new RegExp(`^${code} `));
  });

  test('fails on a pin that is used for something else', async () => {
    const { logged, run } = await moduleRig();
    await run('gdi 1 out');
    logged();
    expect(await run('pwm 1 50 50')).toBe('1 Command failed');
    expect(await run('pwm 1 stop')).toBe('1 Command failed');
    expect(logged()).toEqual(['GPIO 1 in use by gpio_dir', 'GPIO 1 in use by gpio_dir']);
  });
});
