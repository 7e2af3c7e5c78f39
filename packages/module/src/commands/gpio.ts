import { unwrap } from '@moorage/base';
import type { Direction, Level } from '../device/pin-table.ts';
import { electrics } from '../device/pin-table.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Response } from '../interpreter/reply.ts';
import { directionNamed } from '../variables/directions.ts';
import { wordsOf } from '../variables/kinds.ts';
import { type Board, defineCommand } from './board.ts';

const pinArgument = { kind: 'gpio', help: 'number of the pin' } as const;

/** A pin that belongs to something else. */
export function refuseTaken(board: Board, pin: number, owner: string): Response {
  board.log.say('pinTaken', { pin, owner });
  return fail(codes.FAILED);
}

const setOk = (board: Board): Response => ok(board.personality.text('setOk'));

const notAnOutput = (board: Board): Response => {
  // Spec: MOD-ERR-gpio-output.
  board.log.say('gpioNotOutput');
  return fail(codes.FAILED);
};

const gpioDir = defineCommand({
  name: 'gpio_dir',
  shortcut: 'gdi',
  group: 'gpio',
  spec: 'MOD-CMD-gpio_dir',
  evidence: 'spec',
  summary: 'Set the direction of a pin until the next boot',
  example: 'gpio_dir 12 output_push_pull',
  args: {
    pin: pinArgument,
    direction: {
      kind: 'word',
      offers: wordsOf({ type: 'direction' }),
      help: 'name or number of the direction; none or -1 takes the pin away',
    },
  },
  run: (board, { pin, direction: text }) => {
    const named = directionNamed(text);
    if (pin >= board.pins.count || named === undefined) return fail(codes.INVALID);
    if (named === 'none') {
      board.pins.deregister(pin);
      return setOk(board);
    }
    const registered = board.pins.register(pin, named.direction);
    return registered.ok ? setOk(board) : refuseTaken(board, pin, registered.error.owner);
  },
});

const gpioGet = defineCommand({
  name: 'gpio_get',
  shortcut: 'gge',
  group: 'gpio',
  spec: 'MOD-CMD-gpio_get',
  evidence: 'spec',
  summary: 'Show the value of a pin',
  example: 'gpio_get 12',
  args: { pin: pinArgument },
  run: ({ log, pins }, { pin }) => {
    if (pin >= pins.count) return fail(codes.INVALID);
    if (pins.stateOf(pin) === 'gpio') return ok(String(pins.level(pin)));
    const taken = pins.refusal(pin, 'register');
    if (taken) log.say('pinTaken', { pin, owner: taken.owner });
    else log.say('gpioNotConfigured');
    return fail(codes.FAILED);
  },
});

const gpioSet = defineCommand({
  name: 'gpio_set',
  shortcut: 'gse',
  group: 'gpio',
  spec: 'MOD-CMD-gpio_set',
  evidence: 'spec',
  summary: 'Set the value of an output',
  example: 'gpio_set 12 1',
  args: { pin: pinArgument, value: { kind: 'bit', help: '0 or 1' } },
  run: (board, { pin, value }) => {
    if (pin >= board.pins.count) return fail(codes.INVALID);
    return board.pins.write(pin, value) ? setOk(board) : notAnOutput(board);
  },
});

/** One character for each pin, GPIO 0 leftmost; the refusal when there are not as many as pins, or other ones. */
function readArray(board: Board, text: string, form: RegExp): readonly string[] | Response {
  const { count } = board.pins;
  if (text.length !== count) {
    // Spec: MOD-ERR-gpio-count.
    board.log.say('gpioCount', { count });
    return fail(codes.INVALID);
  }
  return form.test(text) ? [...text] : fail(codes.INVALID);
}

const isRefusal = (read: readonly string[] | Response): read is Response => !Array.isArray(read);

const gpiosDir = defineCommand({
  name: 'gpios_dir',
  shortcut: 'gdis',
  group: 'gpio',
  spec: 'MOD-CMD-gpios_dir',
  evidence: 'spec',
  summary: 'Set the directions of all pins until the next boot',
  example: 'gpios_dir 3322',
  args: {
    directions: { kind: 'word', help: 'a digit 0 to 5 for each pin, GPIO 0 leftmost; 6 takes GPIO access away' },
  },
  run: (board, { directions }) => {
    const digits = readArray(board, directions, /^[0-6]*$/);
    if (isRefusal(digits)) return digits;
    const { pins } = board;
    // All or none: a taken pin refuses the whole line.
    for (const [pin, digit] of digits.entries()) {
      const taken = digit === '6' ? undefined : pins.refusal(pin, 'register');
      if (taken) return refuseTaken(board, pin, taken.owner);
    }
    for (const [pin, digit] of digits.entries()) {
      if (digit !== '6') unwrap(pins.register(pin, Number(digit) as Direction));
      // What has another use keeps it: a host cannot leave a pin out of the array.
      else if (pins.stateOf(pin) === 'gpio') pins.deregister(pin);
    }
    return setOk(board);
  },
});

const gpiosGet = defineCommand({
  name: 'gpios_get',
  shortcut: 'gges',
  group: 'gpio',
  spec: 'MOD-CMD-gpios_get',
  evidence: 'spec',
  summary: 'Show the values of all pins; X for those that are no GPIO',
  example: 'gpios_get',
  run: ({ pins }) =>
    ok(
      Array.from({ length: pins.count }, (_, pin) =>
        pins.uses.get(pin)?.kind === 'gpio' ? pins.level(pin) : 'X',
      ).join(''),
    ),
});

const gpiosSet = defineCommand({
  name: 'gpios_set',
  shortcut: 'gses',
  group: 'gpio',
  spec: 'MOD-CMD-gpios_set',
  evidence: 'spec',
  summary: 'Set the values of all outputs',
  example: 'gpios_set 10XX',
  args: { values: { kind: 'word', help: '0 or 1 for each pin, GPIO 0 leftmost; X leaves a pin as it is' } },
  run: (board, { values }) => {
    const digits = readArray(board, values, /^[01Xx]*$/);
    if (isRefusal(digits)) return digits;
    for (const [pin, digit] of digits.entries()) {
      const use = board.pins.uses.get(pin);
      // Every pin has its place in the array; a value for one that is no output is of no effect.
      if (use?.kind !== 'gpio' || !electrics[use.direction].output || !/[01]/.test(digit)) continue;
      board.pins.write(pin, Number(digit) as Level);
    }
    return setOk(board);
  },
});

export const gpioCommands: readonly Command<Board>[] = [gpioDir, gpioGet, gpioSet, gpiosDir, gpiosGet, gpiosSet];
