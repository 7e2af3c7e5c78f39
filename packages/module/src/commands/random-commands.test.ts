import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ArgSpec, Command, OptionSpec } from '../interpreter/command.ts';
import { blocksOf } from '../testing/blocks.ts';
import { sessionRig } from '../testing/session-rig.ts';
import { allVariables } from '../variables/index.ts';
import type { Board } from './board.ts';
import { allCommands } from './index.ts';

/** Commands after which the module does not answer: they are tested on their own. */
const silent: readonly string[] = ['sleep'];

/** Variables that change how answers look, or whether there are any after a restart. */
const framing = /^(system\.cmd|system\.print_level|bus\.mode|bus\.stream|system\.msg)/;

const names = allVariables.map(({ name }) => name).filter((name) => !framing.test(name));
const shortcuts = allVariables.filter(({ name }) => !framing.test(name)).map(({ shortcut }) => shortcut);

/** Words that mean something somewhere, and some that mean nothing anywhere. */
const word = fc.oneof(
  fc.constantFrom(
    'a',
    'b.txt',
    'main_app.exe',
    '""',
    '"two words"',
    '-v',
    '-o',
    '*',
    '0',
    '1',
    '-1',
    '8',
    '1.0.0',
    'FE',
  ),
  fc.constantFrom('all', 'on', 'off', 'wlan', 'softap', 'web', 'stop', 'status', '99999999999', '0x1F', '1e3'),
  fc.constantFrom(...names, ...shortcuts),
  fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => text.replace(/[\0\r\n"]/g, '')),
);

function wordOf(spec: ArgSpec): fc.Arbitrary<string> {
  switch (spec.kind) {
    case 'int':
      // Small numbers are handles and sizes; what announces more data than will come has its own test.
      return fc.oneof(fc.integer({ min: spec.min, max: Math.min(spec.max, 40) }).map(String), word);
    case 'choice':
      return fc.oneof(fc.constantFrom(...spec.choices), word);
    case 'words':
      return fc.array(word, { maxLength: 3 }).map((words) => words.join(' '));
    default:
      return word;
  }
}

function optionOf(spec: OptionSpec): fc.Arbitrary<string> {
  if (spec.kind === 'letters') return fc.subarray([...spec.letters]).map((letters) => `-${letters.join('')}`);
  return spec.kind === 'switch' ? fc.constant(spec.flag) : wordOf(spec.value).map((value) => `${spec.flag} ${value}`);
}

/** A line that calls this command, more or less as it is declared, and bytes that may be its data. */
function lineOf(command: Command<Board>): fc.Arbitrary<string> {
  const options = Object.values(command.options).map((spec) => fc.option(optionOf(spec), { nil: '' }));
  const args = Object.values(command.args).map((spec) => fc.option(wordOf(spec), { nil: '', freq: 8 }));
  return fc
    .tuple(
      fc.constantFrom(command.name, command.shortcut),
      fc.tuple(...options),
      fc.tuple(...args),
      fc.option(word, { nil: '', freq: 1 }),
      fc.string({ maxLength: 30 }),
    )
    .map(([name, before, after, more, data]) => {
      const line = [name, ...before, ...after, more].filter((part) => part !== '').join(' ');
      return `${line}\n${data.replace(/[\r\n]/g, '.')}`;
    });
}

const lines = fc.array(
  fc.oneof(...allCommands.filter(({ name }) => !silent.includes(name)).map((command) => lineOf(command))),
  { maxLength: 12 },
);

// MOD-OUT-2, MOD-OUT-3, MOD-RULE-serial
test('every command answers any arguments, in blocks of the announced length, and the session stays', async () => {
  await fc.assert(
    fc.asyncProperty(lines, async (all) => {
      const { module, clock, send, printed, mistakes } = await sessionRig();
      await module.execute('set system.print_level all');
      // So that a restart and `load` come back with headers.
      await module.execute('save');
      for (const line of all) {
        send(Buffer.from(line, 'utf8').toString('latin1'));
        await clock.advance(0);
      }
      // Data that is still awaited is given up; the end of a line gets an answer in any case.
      await clock.advance(60_000);
      send('\n');
      await clock.advance(200_000);
      const blocks = blocksOf(printed());
      expect(blocks.filter(({ head }) => head !== 'L0').length).toBeGreaterThan(0);
      send('get wlan.mac\n');
      await clock.advance(0);
      expect(blocksOf(printed()).at(-1)).toEqual({ head: 'R0', payload: `${module.identity.mac}\r\n` });
      expect(mistakes).toEqual([]);
      await module.close();
    }),
    { numRuns: 150 },
  );
});
