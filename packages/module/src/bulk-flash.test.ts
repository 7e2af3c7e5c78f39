import { expect, test } from 'vitest';
import { defaultModel } from './model/model.ts';
import { moduleRig } from './testing/module-rig.ts';

const flash = { ...defaultModel.flash, areaBytes: { ...defaultModel.flash.areaBytes, b: 65_536 } };
const model = { ...defaultModel, flash };

async function rigWithPin(pin: number) {
  const rig = await moduleRig({ model });
  const restart = async (chipSelect: number) => {
    await rig.run(`set system.bflash.cs_gpio ${chipSelect}`);
    await rig.run('save');
    await rig.module.reboot();
  };
  await restart(pin);
  return { ...rig, restart };
}

const put = async ({ module }: Awaited<ReturnType<typeof rigWithPin>>, name: string) => {
  const file = { name, size: 2, version: [1, 0, 0, 0], type: 0xfe, flags: 0x20, area: 'b' } as const;
  const writer = await module.flash.create(file);
  if (!writer.ok) return writer.error;
  await writer.value.append(Buffer.from('ab'));
  return (await writer.value.finish()).ok;
};

// MOD-VAR-system.bflash.cs_gpio
test('bulk flash is there when its chip has a pin', async () => {
  const rig = await rigWithPin(5);
  expect(rig.module.flash.free('b')).toBe(65_536);
  expect(await put(rig, 'a')).toBe(true);
  expect(await rig.run('ls -b')).toMatch(/\r\n# .* a$/);
  expect(await rig.run(`format bulk ${rig.module.identity.mac}`)).toBe('0 Success');
  expect(await put(rig, 'a')).toBe(true);
});

test('bulk flash without a pin keeps its files, which are hidden', async () => {
  const rig = await rigWithPin(5);
  expect(await put(rig, 'a')).toBe(true);
  await rig.restart(-1);
  expect(rig.module.flash.free('b')).toBe(0);
  expect(await rig.run('file_stat a')).toBe('1 Command failed');
  expect(await rig.run('file_delete a')).toBe('1 Command failed');
  expect(await put(rig, 'b')).toBe('no-space');
  expect(await put(rig, 'a')).toBe('exists');
  expect(await rig.run(`format bulk ${rig.module.identity.mac}`)).toBe('1 Command failed');
  await rig.restart(6);
  expect(await rig.run('file_stat a')).toMatch(/^0 2,/);
});

test('the pin counts from the boot on', async () => {
  const rig = await rigWithPin(-1);
  expect(await rig.run('set system.bflash.cs_gpio 5')).toBe('0 Set OK');
  expect(rig.module.flash.free('b')).toBe(0);
});
