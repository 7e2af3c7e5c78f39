import { expect, test } from 'vitest';
import { allCommands } from './commands/index.ts';
import { type Door, doors, failingRig, faultsOf, flashProblems } from './testing/failing-rig.ts';

/** The module of the examples. */
const exampleMac = '4C:55:CC:10:78:9B';

/** Lines that reach more of the store than the examples of their commands. */
const more = [
  'save',
  'load',
  'file_create new.txt 5',
  'file_create -o parts.txt 5',
  'stream_read 0 5',
  `format_flash extended ${exampleMac}`,
  'http_download http://files.example/new.html new.html',
  'http_download http://files.example/%s boot.script',
  'cloud_activate ada secret caps.json',
  'cloud_write temp 21.5',
  'cloud_write led1 1',
  'cloud_sync both',
  'cloud_message post',
  'dms provision',
  'dms claim ada secret',
  'dms file upload device hello.txt',
  'setup cmd',
];

/** Every command as its example has it, and those lines. One that takes data gets some. */
const lines: readonly string[] = [...allCommands.map(({ example = '' }) => example), ...more];

async function rigFor(example: string) {
  const rig = await failingRig({ active: !example.startsWith('cloud_activate') });
  await rig.run('file_open hello.txt');
  const line = example.replace(exampleMac, rig.module.identity.mac);
  return { ...rig, act: (door: Door) => rig.send(door, line, 'hello') };
}

/** Every line with the calls of the store that it makes while that works. */
const rows: { line: string; calls: number }[] = [];
for (const line of lines) {
  const { store, act } = await rigFor(line);
  store.fail();
  await act('whole');
  if (store.calls > 0) rows.push({ line, calls: store.calls });
}

test.each(rows)('$line survives a store that fails', async ({ line, calls }) => {
  for (const [index, fault] of faultsOf(calls).entries()) {
    for (const door of calls > 8 ? [doors[index % 2] ?? 'line'] : doors) {
      const where = `${door} ${JSON.stringify(fault)}`;
      const { module, store, act, run, clock, mistakes } = await rigFor(line);
      store.fail(fault);
      await act(door);
      store.fail();
      // A boot waits for its store.
      await clock.advance(5_000);
      if (module.power.state === 'asleep') await module.reset();
      expect(mistakes, where).toEqual([]);
      expect(await run('version'), where).toMatch(/^0 /);
      expect(await flashProblems(module.flash, store), where).toEqual([]);
      expect(await run('save'), where).toMatch(/^0 /);
      if (!module.safeMode) expect(await run('file_create after.txt 5', 'after'), where).toBe('0 File created');
      await module.close();
    }
  }
});
