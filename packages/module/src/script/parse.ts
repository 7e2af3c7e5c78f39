import { failure, type Result, success } from '@moorage/base';
import { type Mistake, Reader } from './reader.ts';
import { type Act, stepKinds } from './steps.ts';

export interface Step {
  /** Counted from 1. */
  readonly line: number;
  /** As it is written. */
  readonly text: string;
  readonly act: Act;
}

/** One module's life: the steps before the first `case` come first in each. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** Most lines of a script. */
const maxLines = 10_000;

const verbs = [...stepKinds.map(({ verb }) => verb), 'case'].join(', ');

/** Reads a scenario script. The refusal names line and column, both from 1: `3:8: A time such as …`. */
export function parseScript(text: string): Result<readonly Case[], string> {
  const lines = text.split(/\r?\n/);
  if (lines.length > maxLines) return failure(`${maxLines + 1}:1: A script has ${maxLines} lines at most`);
  const setup: Step[] = [];
  const cases: { readonly name: string; readonly steps: Step[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const reader = new Reader(line);
    if (reader.isAtEnd) continue;
    const place = `${index + 1}:`;
    if (reader.maybe('case')) {
      const name = reader.rest('The name of the case');
      const read = reader.done(name);
      if (!read.ok) return failure(`${place}${read.error.column}: ${read.error.message}`);
      if (cases.some((one) => one.name === name)) return failure(`${place}1: There is a case "${name}" already`);
      cases.push({ name, steps: [...setup] });
      continue;
    }
    const read = readStep(reader);
    if (!read.ok) return failure(`${place}${read.error.column}: ${read.error.message}`);
    (cases.at(-1)?.steps ?? setup).push({ line: index + 1, text: line.trim(), act: read.value });
  }
  if (cases.length > 0) return success(cases);
  return setup.length > 0 ? success([{ name: 'script', steps: setup }]) : failure('1:1: The script has no steps');
}

/** Reads one step other than `case`. The refusal begins with its column, from 1. */
export function parseStep(line: string): Result<Act, string> {
  const read = readStep(new Reader(line));
  return read.ok ? read : failure(`${read.error.column}: ${read.error.message}`);
}

function readStep(reader: Reader): Result<Act, Mistake> {
  const kind = stepKinds.find(({ verb }) => reader.maybe(verb));
  if (kind) return kind.read(reader);
  reader.refuse(`One of ${verbs} is expected here`);
  return reader.done((): void => {});
}
