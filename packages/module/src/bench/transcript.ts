import type { Clock } from '@moorage/base';

/** `>` went to the module, `<` came from it, `!` was done to it. */
export type Mark = '>' | '<' | '!';

/** Most lines that are kept; older ones go. */
const maxLines = 2_000;

/** What has happened on a bench, line by line, with the time of the module. */
export class Transcript {
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #lines: string[] = [];
  #lost = 0;
  /** Lines that `fresh` has returned, those that have gone too. */
  #seen = 0;
  /** A line that has not ended yet, and when it began. */
  #partial = { text: '', ms: 0 };
  /** What was sent last: its echo is no line of its own. */
  #echo: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonic();
  }

  /** Time since the bench was made, in ms. */
  get ms(): number {
    return this.#clock.monotonic() - this.#startMs;
  }

  add(mark: Mark, text: string): void {
    this.#endPartial();
    if (mark === '>') this.#echo = text;
    this.#keep(this.ms, mark, text);
  }

  /** Output in pieces of any size. */
  received(text: string): void {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      if (this.#partial.text === '') this.#partial.ms = this.ms;
      this.#partial.text += line;
      if (index + 1 < lines.length) this.#endPartial();
    }
  }

  /** The lines since the last look. */
  fresh(): readonly string[] {
    this.#endPartial();
    const seen = Math.max(0, this.#seen - this.#lost);
    this.#seen = this.#lost + this.#lines.length;
    return this.#lines.slice(seen);
  }

  toString(): string {
    this.#endPartial();
    const lost = this.#lost > 0 ? [`(${this.#lost} earlier lines)`] : [];
    return [...lost, ...this.#lines].join('\n');
  }

  #endPartial(): void {
    const { text, ms } = this.#partial;
    this.#partial.text = '';
    // A prompt says nothing.
    const said = text.replace(/^> ?/, '');
    if (said === this.#echo) this.#echo = undefined;
    else if (said.trim() !== '') this.#keep(ms, '<', said);
  }

  #keep(ms: number, mark: Mark, text: string): void {
    this.#lines.push(`${(ms / 1000).toFixed(3).padStart(10)} ${mark} ${printable(text)}`);
    if (this.#lines.length > maxLines) {
      this.#lines.shift();
      this.#lost++;
    }
  }
}

/** Control characters as escapes, so that a report shows them and no terminal obeys them. */
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]/gu, (character) =>
    character === '\t' ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
