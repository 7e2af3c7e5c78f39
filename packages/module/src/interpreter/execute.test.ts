import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { createModule } from '../module.ts';

async function rig() {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
  const run = async (line: string, data?: string): Promise<string> => {
    const { code, payload, text } = await module.execute(line, data === undefined ? undefined : Buffer.from(data));
    expect(Buffer.from(payload).toString()).toBe(payload.length === 0 ? '' : `${text}\r\n`);
    return `${code} ${text}`;
  };
  return { module, clock, run };
}

// The payload with its line end, never header, prompt, echo or notice. Reference: http-server 1.5.
test.each([
  ['get system.safemode', '0 0'],
  ['get wlan.ssid', '0 '],
  ['', '0 '],
  ['   ', '0 '],
  ['nonsense', '3 Unknown command'],
  ['get "', '2 Parse error'],
  ['file_stat', '4 Too few arguments'],
  ['file_stat a b', '5 Too many arguments'],
  ['get nonsense', '6 Unknown variable'],
  ['set system.cmd.echo perhaps', '7 Invalid argument'],
  [`get ${'x'.repeat(4093)}`, '8 Overflow'],
  ['close 7', '1 Command failed'],
])('execute answers %j with %j', async (line, expected) => {
  expect(await (await rig()).run(line)).toBe(expected);
});

test('execute takes inline data from its argument, no more than was announced', async () => {
  const { run } = await rig();
  expect(await run('file_create a 5', 'hello and more')).toBe('0 File created');
  expect(await run('file_stat a')).toBe('0 5,42D3,1.0.0.0,e,FE,0021');
});

test('execute fails a command whose data is too short or absent', async () => {
  const { run } = await rig();
  expect(await run('file_create a 5', 'hell')).toBe('1 Command failed');
  expect(await run('file_create a 5')).toBe('1 Command failed');
  expect(await run('file_create a 5', 'hello')).toBe('0 File created');
});

test('execute accepts a line longer than the serial buffer', async () => {
  const { run } = await rig();
  expect(await run(`file_stat ${'x'.repeat(300)}`)).toMatch(/^7 |^1 /);
});

test('execute answers reboot before the module restarts', async () => {
  const { module, clock, run } = await rig();
  await module.boot();
  await run('set wlan.ssid unsaved');
  expect(await run('reboot')).toBe('0 Rebooting');
  await clock.advance(10_000);
  expect(await run('get wlan.ssid')).toBe('0 ');
  expect(module.log.entries().at(-1)).toBe('[Ready]');
});

test('execute runs in turn with other commands', async () => {
  const { run } = await rig();
  const answers = await Promise.all([run('file_create a 2', 'hi'), run('file_stat a'), run('get system.safemode')]);
  expect(answers).toEqual(['0 File created', '0 2,57A5,1.0.0.0,e,FE,0021', '0 0']);
});
