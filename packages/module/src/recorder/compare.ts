import type { Exchange } from './recording.ts';

/** What differs: words, what stands around them, or how long it took. */
export const differenceKinds = ['text', 'framing', 'timing'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export interface Difference {
  readonly kind: DifferenceKind;
  /** Number of the exchange, from 1. */
  readonly exchange: number;
  readonly host: string;
  readonly recorded: string;
  readonly virtual: string;
}

/** What the virtual module made of one exchange. */
export interface Answered {
  readonly module: string;
  readonly waitMs: number | undefined;
}

/** Times that differ by less than this, or by less than this share, are the same. */
const sameMs = 200;
const sameShare = 0.5;

/** Lines without headers, prompts and line ends. */
const wordsOf = (text: string): readonly string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/^(> )+/, ''))
    .filter((line) => line !== '' && !/^[RLS]\d{6}$/.test(line));

/** How one exchange of a recording differs from what the virtual module has answered. */
export function differencesOf(exchange: Exchange, number: number, answered: Answered): readonly Difference[] {
  const differences: Difference[] = [];
  const add = (kind: DifferenceKind, recorded: string, virtual: string): void =>
    void differences.push({ kind, exchange: number, host: exchange.host, recorded, virtual });
  const [recorded, virtual] = [wordsOf(exchange.module), wordsOf(answered.module)];
  for (let at = 0; at < Math.max(recorded.length, virtual.length); at++) {
    const [here = '', there = ''] = [recorded[at], virtual[at]];
    if (here !== there) add('text', here, there);
  }
  if (differences.length === 0 && exchange.module !== answered.module) add('framing', exchange.module, answered.module);
  const { waitMs } = exchange;
  if (waitMs !== undefined && answered.waitMs !== undefined && !isAbout(waitMs, answered.waitMs))
    add('timing', `${Math.round(waitMs)} ms`, `${Math.round(answered.waitMs)} ms`);
  return differences;
}

const isAbout = (one: number, other: number): boolean => {
  const apart = Math.abs(one - other);
  return apart <= sameMs || apart <= sameShare * Math.max(one, other);
};
