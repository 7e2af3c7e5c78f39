import type { Result } from '@moorage/base';
import { type Bench, defaultWithinMs, ExpectationError } from '../bench/bench.ts';
import { isFaultName } from '../device/faults.ts';
import { codes } from '../interpreter/reply.ts';
import type { Mistake, Reader } from './reader.ts';

/** Does one step on a bench, and returns what a program may want to see; rejects when it fails. */
export type Act = (bench: Bench) => unknown;

/** One kind of step. */
interface StepKind {
  readonly verb: string;
  /** How it is written, each way; the guide has all of them. */
  readonly usage: readonly string[];
  /** Reads what stands behind the verb. */
  readonly read: (line: Reader) => Result<Act, Mistake>;
}

/** The limit behind a step that waits. */
const within = (line: Reader): { readonly withinMs: number } => ({
  withinMs: line.maybe('within') ? line.time() : defaultWithinMs,
});

async function runCommand(bench: Bench, command: string): Promise<string> {
  const { code, text } = await bench.command(command);
  if (code !== codes.SUCCESS) throw new ExpectationError(`"${command}" failed with code ${code}: ${text}`);
  return text;
}

function readExpect(line: Reader): Result<Act, Mistake> {
  if (line.maybe('no')) {
    const pattern = line.pattern();
    line.must('for');
    const forMs = line.time();
    return line.done((bench) => bench.expectNone(pattern, forMs));
  }
  if (line.maybe('pin')) {
    const pin = line.pin();
    const level = line.level();
    const limit = within(line);
    return line.done((bench) => bench.expectPin(pin, level, limit));
  }
  const pattern = line.pattern();
  const limit = within(line);
  return line.done((bench) => bench.expect(pattern, limit));
}

function readPin(line: Reader): Result<Act, Mistake> {
  const pin = line.pin();
  const volts = line.match(/(-?\d{1,3}(?:\.\d{1,4})?) ?V(?![^\s#])/)?.[1];
  if (volts !== undefined) return line.done((bench) => bench.analog(pin, Number(volts)));
  const level = line.level();
  return line.done((bench) => bench.drive(pin, level));
}

/** Every step, in the order of the guide. */
export const stepKinds: readonly StepKind[] = [
  {
    verb: 'send',
    usage: ['send LINE'],
    read(line) {
      const text = line.rest('The line to send');
      return line.done((bench) => bench.send(text));
    },
  },
  {
    verb: 'run',
    usage: ['run COMMAND'],
    read(line) {
      const text = line.rest('The command to run');
      return line.done(async (bench) => runCommand(bench, text));
    },
  },
  {
    verb: 'type',
    usage: ['type "TEXT"'],
    read(line) {
      const bytes = line.bytes();
      return line.done((bench) => bench.type(bytes));
    },
  },
  {
    verb: 'expect',
    usage: ['expect PATTERN [within TIME]', 'expect no PATTERN for TIME', 'expect pin PIN LEVEL [within TIME]'],
    read: readExpect,
  },
  {
    verb: 'wait',
    usage: ['wait TIME'],
    read(line) {
      const ms = line.time();
      return line.done((bench) => bench.wait(ms));
    },
  },
  { verb: 'pin', usage: ['pin PIN LEVEL', 'pin PIN VOLTS V'], read: readPin },
  {
    verb: 'cut',
    usage: ['cut power [for TIME]'],
    read(line) {
      line.must('power');
      const offMs = line.maybe('for') ? line.time() : undefined;
      return line.done((bench) => bench.cutPower(offMs));
    },
  },
  { verb: 'reset', usage: ['reset'], read: (line) => line.done((bench) => bench.reset()) },
  {
    verb: 'link',
    usage: ['link down', 'link up'],
    read(line) {
      const state = line.upOrDown();
      return line.done((bench) => bench.setLink(state));
    },
  },
  {
    verb: 'network',
    usage: ['network down', 'network up'],
    read(line) {
      const state = line.upOrDown();
      return line.done((bench) => bench.setNetwork(state));
    },
  },
  {
    verb: 'fault',
    usage: ['fault NAME'],
    read(line) {
      const name = line.match(/[^#]*[^#\s]/)?.[0] ?? '';
      if (!isFaultName(name)) line.refuse('A name of 2 to 48 printable characters is expected here');
      return line.done((bench) => bench.fault(name));
    },
  },
];
