import { unwrap } from '@moorage/base';
import { expect, test } from 'vitest';
import { moduleRig } from '../testing/module-rig.ts';
import { outOfBand } from './stream-pins.ts';
import type { Stream } from './streams.ts';

test.each([
  ['', -1, ['']],
  ['12 data', 12, ['data']],
  ['0 data,connected', 0, ['data', 'connected']],
])('outOfBand reads %j', (value, pin, events) => {
  expect(outOfBand(value)).toEqual({ pin, events });
});

/** A connection with so many bytes to read, and how it says that it has changed. */
function connection(type: Stream['type']) {
  let bytes = 0;
  let notify = (): void => {};
  const stream: Stream = {
    type,
    info: () => '',
    available: () => bytes,
    remoteClosed: false,
    read(max) {
      const taken = new Uint8Array(Math.min(max, bytes));
      bytes -= taken.length;
      return taken;
    },
    close: () => {},
    watch: (changed) => {
      notify = changed;
    },
  };
  const receive = (count: number): void => {
    bytes += count;
    notify();
  };
  return { stream, receive };
}

async function withSetting(value: string) {
  const rig = await moduleRig();
  expect(await rig.run(`set system.oob.gpio ${value}`)).toBe('0 Set OK');
  await rig.run('save');
  await rig.module.reboot();
  return { ...rig, level: (pin: number) => rig.module.pins.signal(pin) };
}

// MOD-VAR-tcp.server.data_gpio, MOD-VAR-udp.server.data_gpio
test.each([
  ['tcp.server.data_gpio', ['TCPS', 'TLSS']],
  ['udp.server.data_gpio', ['UDPS']],
] as const)('%s is high for data of %j only', async (name, types) => {
  const { module, run } = await moduleRig();
  await run(`set ${name} 7`);
  const shown: Stream['type'][] = [];
  for (const type of ['TCPC', 'TCPS', 'TLSC', 'TLSS', 'UDPC', 'UDPS', 'WEBS'] as const) {
    const { stream, receive } = connection(type);
    unwrap(module.streams.open(stream));
    receive(1);
    if (module.pins.level(7) === 1) shown.push(type);
    await run('close all');
  }
  expect(shown).toEqual(types);
});

// MOD-VAR-system.oob.gpio
test('the out-of-band pin is high while a connection has data', async () => {
  const { level, module, run } = await withSetting('12 data');
  expect(await run('get gpio.usage')).toBe('0 !  # Description\r\n# 12 system.oob.gpio');
  expect(level(12)).toEqual({ level: 0 });
  const { stream, receive } = connection('TCPC');
  unwrap(module.streams.open(stream));
  expect(level(12)).toEqual({ level: 0 });
  receive(3);
  expect(level(12)).toEqual({ level: 1 });
  await run('read 0 2');
  expect(level(12)).toEqual({ level: 1 });
  await run('read 0 1');
  expect(level(12)).toEqual({ level: 0 });
});

test('the out-of-band pin is high while a connection is open; files are none', async () => {
  const { level, module, run } = await withSetting('12 data,connected');
  await run('file_create -o a 10');
  expect(level(12)).toEqual({ level: 0 });
  unwrap(module.streams.open(connection('WEBS').stream));
  expect(level(12)).toEqual({ level: 1 });
  await run('close 1');
  expect(level(12)).toEqual({ level: 0 });
});

test('the out-of-band pin is that of the boot, and goes with -1', async () => {
  const { level, module, run } = await withSetting('12 connected');
  await run('set system.oob.gpio 13 connected');
  unwrap(module.streams.open(connection('TCPC').stream));
  expect([level(12), level(13)]).toEqual([{ level: null }, { level: null }]);
  await run('save');
  await module.reboot();
  expect(level(13)).toEqual({ level: 0 });
  await run('set system.oob.gpio -1');
  expect(await run('get system.oob.gpio')).toBe('0 ');
  expect(level(13)).toEqual({ level: null });
});
