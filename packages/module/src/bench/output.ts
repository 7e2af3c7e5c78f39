/** Sent lines whose echo may still come. */
const maxEchoes = 64;
/** Output that no expectation has taken, in characters; what is older goes. */
const maxUnseen = 1_048_576;
/** How much of it an error shows. */
const shownCharacters = 200;

/** What a module has printed and no expectation has taken yet, without prompts and the echo of sent lines. */
export class Output {
  readonly #print: (text: string) => void;
  #decoder = new TextDecoder();
  readonly #echoes: string[] = [];
  #unseen = '';
  /** The last piece ended in a carriage return, whose line feed may follow. */
  #heldReturn = '';

  /** `print` is given everything, prompts and echo too, with `\n` as line ends. */
  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  /** The echo of this line is no output. */
  sent(line: string): void {
    this.#echoes.push(`${line}\n`);
    if (this.#echoes.length > maxEchoes) this.#echoes.shift();
  }

  received(bytes: Uint8Array): void {
    let text = this.#heldReturn + this.#decoder.decode(bytes, { stream: true });
    this.#heldReturn = text.endsWith('\r') ? '\r' : '';
    text = text.slice(0, text.length - this.#heldReturn.length).replaceAll('\r\n', '\n');
    this.#unseen = (this.#unseen + text).replace(/^> /gm, '');
    for (let [echo] = this.#echoes; echo !== undefined; [echo] = this.#echoes) {
      const at = `\n${this.#unseen}`.indexOf(`\n${echo}`);
      if (at < 0) break;
      this.#unseen = this.#unseen.slice(0, at) + this.#unseen.slice(at + echo.length);
      this.#echoes.shift();
    }
    this.#unseen = this.#unseen.slice(-maxUnseen);
    this.#print(text);
  }

  /** The first match, which is taken with everything before it. */
  take(pattern: string | RegExp): RegExpExecArray | undefined {
    const match = expression(pattern).exec(this.#unseen);
    if (!match) return undefined;
    this.#unseen = this.#unseen.slice(match.index + match[0].length);
    return match;
  }

  /** The end of what no expectation has taken, for an error; empty when there is nothing. */
  get shown(): string {
    const text = this.#unseen.trim();
    return text === '' ? '' : `what came ends in ${JSON.stringify(text.slice(-shownCharacters))}`;
  }

  /** The line is dead: what was under way on it never ends. */
  forget(): void {
    this.#echoes.length = 0;
    this.#heldReturn = '';
    this.#decoder = new TextDecoder();
  }
}

/** Without the flags that make an expression remember where it was. */
const expression = (pattern: string | RegExp): RegExp =>
  typeof pattern === 'string'
    ? new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    : new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
