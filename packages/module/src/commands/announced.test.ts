import { describe, expect, test } from 'vitest';
import { lineUser } from '../testing/line-user.ts';
import { type NetworkRig, networkRig } from '../testing/network-rig.ts';
import { allCommands } from './index.ts';

/** Data that would answer if it ran as commands. */
const data = '\nversion\nversion\n';

interface Taker {
  readonly name: string;
  /** Takes `size` bytes. */
  readonly line: (size: number) => string;
  /** Commands before it. */
  readonly after?: readonly string[];
}

/** Every command that takes data. Spec: MOD-LINE-data. */
const takers: readonly Taker[] = [
  { name: 'file_create', line: (size) => `file_create f ${size}` },
  { name: 'stream_write', line: (size) => `stream_write 0 ${size}`, after: ['file_create -o part 100'] },
  { name: 'udp_server', line: (size) => `udp_server write ${size} 10.5.6.9 7`, after: ['udp_server start 3000'] },
  { name: 'http_download', line: (size) => `http_download -m ${size}` },
  { name: 'smtp_send', line: (size) => `smtp_send a@b.example hello ${size}` },
];

/** What can be wrong with a line whose count can be read. */
const wrongs: readonly { readonly what: string; readonly spoil: (line: string) => string }[] = [
  { what: 'an unknown option', spoil: (line) => line.replace(' ', ' -z ') },
  { what: 'too many words', spoil: (line) => `${line} 1 2 3 4 5 6 7` },
  { what: 'a quote too few', spoil: (line) => `${line} "` },
  { what: 'more than the line holds', spoil: (line) => `${line} ${'x'.repeat(300)}` },
];

async function programOn(rig: NetworkRig, after: readonly string[] = []) {
  await rig.join();
  await rig.runAll('set system.cmd.mode machine', ...after);
  return lineUser(rig.module, rig.pass);
}

test('every command that takes data is tried here', () => {
  const takes = allCommands.filter(({ announces }) => announces).map(({ name }) => name);
  expect(new Set(takers.map(({ name }) => name))).toEqual(new Set(takes));
});

describe.each(takers)('$name', ({ line, after }) => {
  test.each(wrongs)('takes its data with $what', async ({ spoil }) => {
    const { type } = await programOn(await networkRig(), after);
    const spoilt = spoil(line(data.length));
    expect(await type(`${spoilt}\n`)).toBe('');
    expect(await type(data)).toMatch(/^R[1-9]\d{5}\r\n[^\r]+\r\n$/);
    expect(await type('get bus.mode\n')).toBe('R000009\r\ncommand\r\n');
  });

  test('takes its data in safe mode, where there is no such command', async () => {
    const rig = await networkRig();
    const { type } = await programOn(rig, after);
    const { mac } = rig.module.identity;
    await rig.run(`force_safemode ${mac}`);
    await rig.pass(10_000);
    await rig.run('set system.cmd.mode machine');
    await type('');
    expect(await type(`${line(data.length)}\n${data}`)).toMatch(/^S3\d{5}\r\n[^\r]+\r\n$/);
  });

  test('takes data for which it has no room, or says at once that it takes none', async () => {
    const { type } = await programOn(await networkRig(), after);
    const size = 2_000_000;
    const answer = await type(`${line(size)}\n`);
    expect(await type(answer === '' ? 'x'.repeat(size) : '')).toMatch(answer === '' ? /^R[1-9]\d{5}\r\n/ : /^$/);
    expect(await type('get bus.mode\n')).toBe('R000009\r\ncommand\r\n');
  });

  test.each(['serial', 'terminal-login'] as const)(
    'answers a host on the %s line that sends again, and keeps nothing of what was cut',
    async (origin) => {
      const rig = await networkRig();
      await programOn(rig, ['set bus.command.write_timeout 1500', ...(after ?? [])]);
      const { type, said } = lineUser(rig.module, rig.pass, origin);
      const before = (await rig.run('ls')) + (await rig.run('stream_list'));
      await type(`${line(50)}\nab`);
      for (let second = 0; second < 3; second++) {
        await rig.pass(1_000);
        await type('get bus.mode\n');
      }
      expect(said() + (await type('get bus.mode\n'))).toContain('command\r\n');
      expect((await rig.run('ls')) + (await rig.run('stream_list'))).toBe(before);
    },
  );

  test('keeps nothing of what is too short over HTTP', async () => {
    const rig = await networkRig();
    await programOn(rig, after);
    const before = (await rig.run('ls')) + (await rig.run('stream_list'));
    expect(await rig.run(line(50), 'ab')).toMatch(/^1/);
    expect((await rig.run('ls')) + (await rig.run('stream_list'))).toBe(before);
  });
});

test('a count is found behind words too many in front of it', async () => {
  const { type } = await programOn(await networkRig());
  expect(await type(`smtp_send a@b.example Hello world ${data.length}\n${data}`)).toMatch(/^R7/);
  expect(await type('')).toBe('');
});

test('what is longer than can wait is written as it comes, and the log says how much that was', async () => {
  const rig = await networkRig();
  const { type } = await programOn(rig, ['set system.print_level all', 'file_create -o part 40000']);
  await type(`stream_write 0 40000\n${'x'.repeat(10)}`);
  await rig.pass(30_000);
  expect(await type('')).toBe('L000027\r\n10 of 40000 bytes written\r\nR100016\r\nCommand failed\r\n');
});
