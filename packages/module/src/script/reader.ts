import { failure, hourMs, minuteMs, type Result, success } from '@moorage/base';
import type { Level } from '../device/pin-table.ts';

/** What is wrong in a line, and where: the first column is 1. */
export interface Mistake {
  readonly column: number;
  readonly message: string;
}

const timeUnits: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: minuteMs, h: hourMs };
/** Longest time that a script may name, in ms: a leap year. */
const maxTimeMs = 31_622_400_000;
const levels: Readonly<Record<string, Level | null>> = { low: 0, high: 1, float: null };
const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/**
 * Reads one line from left to right. The first mistake is kept, and what is read behind it is of no account: `done`
 * returns one or the other.
 */
export class Reader {
  readonly #line: string;
  #at = 0;
  #mistake: Mistake | undefined;

  constructor(line: string) {
    this.#line = line;
    this.#skip();
  }

  /** Nothing is left but a comment. */
  get isAtEnd(): boolean {
    return this.#at >= this.#line.length || this.#line[this.#at] === '#';
  }

  /** Result of the line: what was read, or the first mistake; what is left over is one. */
  done<T>(value: T): Result<T, Mistake> {
    if (!this.isAtEnd) this.refuse(`"${this.#line.slice(this.#at).trim()}" is too much here`);
    return this.#mistake ? failure(this.#mistake) : success(value);
  }

  /** Keeps a mistake at the place that is read next. */
  refuse(message: string): void {
    this.#mistake ??= { column: this.#at + 1, message };
  }

  /** Takes what fits here, if it does. */
  match(expression: RegExp): RegExpExecArray | undefined {
    const match = new RegExp(expression.source, 'y');
    match.lastIndex = this.#at;
    const found = match.exec(this.#line);
    if (!found) return undefined;
    this.#at += found[0].length;
    this.#skip();
    return found;
  }

  /** Takes a word if it is the next one. */
  maybe(word: string): boolean {
    return this.match(new RegExp(`${word}(?![^\\s#])`)) !== undefined;
  }

  must(word: string): void {
    if (!this.maybe(word)) this.refuse(`"${word}" is expected here`);
  }

  /** The rest of the line as it stands, a `#` in it too. */
  rest(what: string): string {
    const text = this.#line.slice(this.#at).trimEnd();
    if (text === '') this.refuse(`${what} is expected here`);
    this.#at = this.#line.length;
    return text;
  }

  /** A text in quotes, with the escapes `\n`, `\r`, `\t`, `\"`, `\\`, and `\xHH` for one byte. */
  bytes(): Buffer {
    const found = this.match(/"((?:[^"\\]|\\(?:[nrt"\\]|x[\dA-Fa-f]{2}))*)"/);
    if (!found) this.refuse('A text in quotes is expected here');
    const pieces = (found?.[1] ?? '').matchAll(/\\x(..)|\\(.)|([^\\]+)/g);
    return Buffer.concat(
      Array.from(pieces, ([, hex, letter, text]) =>
        hex === undefined ? Buffer.from(text ?? escapes[letter ?? ''] ?? '') : Buffer.from(hex, 'hex'),
      ),
    );
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  /** `"text"` or `/expression/flags`. In an expression `^` and `$` are the ends of a line. */
  pattern(): string | RegExp {
    if (this.#line[this.#at] === '"') return this.text();
    const from = this.#at;
    const found = this.match(/\/((?:[^/\\]|\\.)+)\/([isu]*)/);
    if (!found) {
      this.refuse('A "text" or an /expression/ is expected here');
      return '';
    }
    try {
      return new RegExp(found[1] ?? '', `m${found[2]}`);
    } catch (error) {
      this.#at = from;
      this.refuse((error as Error).message);
      return '';
    }
  }

  /** `250 ms`, `1.5 s`, `2 min`, `1 h`; in ms. */
  time(): number {
    const from = this.#at;
    const found = this.match(/(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|min|h)(?![^\s#])/);
    if (!found) {
      this.refuse('A time such as 250 ms or 1.5 s is expected here');
      return 0;
    }
    const ms = Number(found[1]) * (timeUnits[found[2] ?? ''] ?? 0);
    if (ms > maxTimeMs) {
      this.#at = from;
      this.refuse('A time of a year at most is expected here');
    }
    return ms;
  }

  /** The number of a pin. */
  pin(): number {
    const found = this.match(/(\d{1,3})(?![^\s#])/);
    if (!found) this.refuse('The number of a pin is expected here');
    return Number(found?.[1] ?? 0);
  }

  /** `high`, `low` or `float`. */
  level(): Level | null {
    const found = this.match(/(high|low|float)(?![^\s#])/);
    if (!found) this.refuse('One of high, low, float is expected here');
    return levels[found?.[1] ?? ''] ?? null;
  }

  /** `up` or `down`. */
  upOrDown(): 'up' | 'down' {
    if (this.maybe('down')) return 'down';
    this.must('up');
    return 'up';
  }

  #skip(): void {
    while (/\s/.test(this.#line[this.#at] ?? '')) this.#at++;
  }
}
