import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Board } from '../src/commands/board.ts';
import { registryOf } from '../src/commands/registry.ts';
import type { ArgSpec, Command, OptionSpec } from '../src/interpreter/command.ts';
import { tokenise } from '../src/interpreter/tokeniser.ts';
import { neutralPersonality } from '../src/personality/personality.ts';
import { parseTranscript } from './transcript.ts';

/** Groups whose dialogues need a network, and are kept with it. */
const elsewhere: ReadonlySet<string> = new Set(['cloud', 'dms', 'email', 'http', 'network', 'tcp', 'tls', 'udp']);

/** Commands whose success is a boot, a sleep or another mode, and no answer of one response. */
const silent: ReadonlySet<string> = new Set(['exit', 'factory_reset', 'force_safemode', 'reboot', 'sleep']);

/** Commands that fail (code 1) for reasons of their own. */
const mayFail: readonly string[] = [
  'adc_take_sample',
  'dac_set_level',
  'exit',
  'file_create',
  'file_delete',
  'file_open',
  'file_stat',
  'format_flash',
  'gpio_dir',
  'gpio_get',
  'gpio_set',
  'load',
  'pwm_update',
  'set',
  'setup',
  'stream_close',
  'stream_list',
  'stream_poll',
  'stream_read',
  'stream_write',
];

/** Commands that look a name up, and do not find it (code 6). */
const mayMiss: readonly string[] = ['get', 'help', 'set'];

const registry = registryOf(neutralPersonality);
if (!registry.ok) throw new Error(registry.error);
const { value: found } = registry;
const commands = found.commands.filter(({ group }) => !elsewhere.has(group));

const refusals: readonly string[] = [
  'Command failed',
  'Parse error',
  'Unknown command',
  'Too few arguments',
  'Too many arguments',
  'Unknown variable',
  'Invalid argument',
];

interface Line {
  readonly command: string;
  readonly options: readonly string[];
  readonly mode: 'human' | 'machine';
  readonly code: number | undefined;
}

/** The code of one answer; `undefined` when several came, or none. */
function codeOf(answer: string, machine: boolean): number | undefined {
  if (machine) {
    const headers = [...answer.matchAll(/(?:^|\n)[RS](\d)\d{5}\r\n/g)];
    return headers.length === 1 ? Number(headers[0]?.[1]) : undefined;
  }
  const printed = answer.split('\r\n').slice(1);
  // Data comes back before the refusal of its command.
  const refusal = refusals.findIndex((text) => printed.some((line) => line.endsWith(text)));
  return printed.length < 2 ? undefined : refusal + 1;
}

/** Every command line of every dialogue, with the code of its answer. */
function* linesOf(text: string): Generator<Line> {
  const { setup, steps } = parseTranscript(text);
  const machine = setup.includes('set system.cmd.mode machine');
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'send') continue;
    const tokens = tokenise(step.bytes.split(/[\r\n]/, 1)[0] ?? '');
    const [name, ...rest] = tokens.ok ? tokens.value : [];
    const command = name && found.find(name.text);
    const next = steps[at + 1];
    if (!command || next?.kind !== 'receive') continue;
    yield {
      command: command.name,
      options: rest.filter(({ text: word, quoted }) => !quoted && word.startsWith('-')).map((token) => token.text),
      mode: machine ? 'machine' : 'human',
      code: codeOf(next.bytes, machine),
    };
  }
}

const folder = new URL('transcripts/', import.meta.url);
const seen = readdirSync(folder)
  .filter((name) => name.endsWith('.txt'))
  .flatMap((name) => [...linesOf(readFileSync(new URL(name, folder), 'utf8'))]);

const parsed: ReadonlySet<ArgSpec['kind']> = new Set(['int', 'hex', 'bit', 'gpio', 'choice', 'version']);

/** The codes that a command can answer. Spec: MOD-LINE-order. */
function* codesOf(command: Command<Board>): Generator<number> {
  const args = Object.values(command.args);
  if (!silent.has(command.name)) yield 0;
  if (mayFail.includes(command.name)) yield 1;
  if (args.some((arg) => !arg.optional)) yield 4;
  if (args.at(-1)?.kind !== 'words') yield 5;
  if (Object.keys(command.options).length > 0 || mayMiss.includes(command.name)) yield 6;
  if (args.some((arg) => parsed.has(arg.kind))) yield 7;
}

const flagOf = (option: OptionSpec): string => (option.kind === 'letters' ? `-${option.letters}` : option.flag);

describe.each(commands.map((command) => [command.name, command] as const))('dialogues of %s', (name, command) => {
  const own = seen.filter((line) => line.command === name);

  test.each(['human', 'machine'] as const)('have every code for %s', (mode) => {
    const codes = new Set(own.filter((line) => line.mode === mode).map(({ code }) => code));
    expect([...codesOf(command)].filter((code) => !codes.has(code))).toEqual([]);
  });

  test('use every option', () => {
    const given = own.filter(({ code }) => code === 0 || code === undefined).flatMap(({ options }) => options);
    expect(
      Object.values(command.options)
        .map(flagOf)
        .filter((flag) => !given.includes(flag)),
    ).toEqual([]);
  });
});
