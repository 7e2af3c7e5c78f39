/** Most lines that are known as such. */
const maxKnown = 100;

/** Times, handles and counters differ each time. */
const formOf = (line: string): string => line.trim().replaceAll(/\d+/g, '0');

const isNotice = (line: string): boolean => /^\[[^\]]*\]$/.test(line.trim());

/** What a module says without being asked: its notices, lines of its log, what other sessions have it print. */
export class Noise {
  readonly #known = new Set<string>();
  #isHeard = false;

  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Takes lines that came while nothing was asked that they could answer. */
  hear(lines: readonly string[]): void {
    for (const line of lines) {
      if (line.trim() === '') continue;
      this.#isHeard = true;
      if (!isNotice(line) && this.#known.size < maxKnown) this.#known.add(formOf(line));
    }
  }

  /** Without headers such lines stand among those of an answer. Reference: line 4.1. */
  without(text: string): string {
    const own = text.split('\n').filter((line) => !isNotice(line) && !this.#known.has(formOf(line)));
    return own.join('\n').replace(/\r$/, '');
  }
}
