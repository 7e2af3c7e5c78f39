/** What the editor draws on. */
export interface Screen {
  write(text: string): void;
  /** Characters of a row. */
  columns(): number;
}

interface EditorOptions {
  readonly prompt: string;
  readonly screen: Screen;
  /** Runs a line that has been entered; the next one waits for it. */
  readonly run: (line: string) => Promise<void>;
  /** Ends what `run` is waiting for. */
  readonly interrupt: () => void;
  /** Lines entered before, oldest first; new ones are added. */
  readonly history: string[];
  /** Longest line, in characters. */
  readonly limit: number;
}

/** Lines that the history keeps; the oldest give way. */
export const historyLimit = 200;
/** Keys that may wait while a command runs, as a long text that is pasted in makes them. */
const waitingLimit = 100_000;

const keyPattern = /\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|\r\n|[\s\S]/gu;
const interruptKey = '\x03';
const bell = '\x07';
const clearRow = '\r\x1b[K';

/** Edits one line on a terminal that has no editor of its own, with a history, as shells do. */
export class LineEditor {
  readonly #options: EditorOptions;
  #line = '';
  #cursor = 0;
  /** Where in the history; its length is the line that is being written. */
  #position: number;
  /** What was being written before the history was looked through. */
  #draft = '';
  #busy = false;
  readonly #waiting: string[] = [];

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#position = options.history.length;
  }

  get busy(): boolean {
    return this.#busy;
  }

  /** Draws the prompt and what has been written, after something else has been printed or the width has changed. */
  draw(): void {
    if (this.#busy) return;
    const { prompt, screen } = this.#options;
    // A line wider than the terminal is scrolled sideways: rows that wrap could not be drawn over again.
    const room = Math.max(1, screen.columns() - prompt.length - 1);
    const first = Math.max(0, this.#cursor - room);
    const shown = this.#line.slice(first, first + room);
    const column = prompt.length + this.#cursor - first;
    screen.write(`${clearRow}${prompt}${shown}\r${column > 0 ? `\x1b[${column}C` : ''}`);
  }

  /** Takes what was typed or pasted. */
  feed(data: string): void {
    for (const [key] of data.matchAll(keyPattern)) {
      if (key === interruptKey && this.#busy) {
        this.#waiting.length = 0;
        this.#options.interrupt();
      } else if (this.#busy) {
        if (this.#waiting.length < waitingLimit) this.#waiting.push(key);
      } else {
        this.#press(key);
      }
    }
    if (!this.#busy) this.draw();
  }

  #press(key: string): void {
    const act = actions[key];
    if (act) act(this.#hands);
    else if (!isControl(key)) this.#insert(key);
  }

  #insert(text: string): void {
    const [before, after] = [this.#line.slice(0, this.#cursor), this.#line.slice(this.#cursor)];
    if (this.#line.length + text.length > this.#options.limit) this.#options.screen.write(bell);
    else this.#set(before + text + after, this.#cursor + text.length);
  }

  #set(line: string, cursor = line.length): void {
    this.#line = line;
    this.#cursor = cursor;
  }

  /** What the keys do it with. */
  readonly #hands: Hands = {
    line: () => this.#line,
    cursor: () => this.#cursor,
    set: (line, cursor) => this.#set(line, cursor),
    look: (step) => this.#look(step),
    enter: () => void this.#enter(),
    abandon: () => {
      this.draw();
      this.#options.screen.write('^C\r\n');
      this.#begin();
    },
    clearScreen: () => this.#options.screen.write('\x1b[2J\x1b[H'),
  };

  #begin(): void {
    this.#set('');
    this.#draft = '';
    this.#position = this.#options.history.length;
  }

  #look(step: -1 | 1): void {
    const { history, screen } = this.#options;
    const next = this.#position + step;
    if (next < 0 || next > history.length) {
      screen.write(bell);
      return;
    }
    if (this.#position === history.length) this.#draft = this.#line;
    this.#position = next;
    this.#set(history[next] ?? this.#draft);
  }

  async #enter(): Promise<void> {
    const { history, screen, run } = this.#options;
    const line = this.#line.trim();
    this.#set(this.#line);
    this.draw();
    screen.write('\r\n');
    if (line !== '' && history.at(-1) !== line) history.push(line);
    if (history.length > historyLimit) history.shift();
    this.#begin();
    if (line === '') return;
    this.#busy = true;
    try {
      await run(line);
    } finally {
      this.#busy = false;
    }
    const waiting = this.#waiting.splice(0).join('');
    this.draw();
    if (waiting !== '') this.feed(waiting);
  }
}

const isControl = (key: string): boolean => key < ' ' || key === '\x7f';

interface Hands {
  line(): string;
  cursor(): number;
  set(line: string, cursor?: number): void;
  look(step: -1 | 1): void;
  enter(): void;
  abandon(): void;
  clearScreen(): void;
}

type Action = (hands: Hands) => void;

const remove =
  (from: number, to: number): Action =>
  (hands) => {
    const [line, cursor] = [hands.line(), hands.cursor()];
    const start = Math.max(0, cursor + from);
    hands.set(line.slice(0, start) + line.slice(cursor + to), start);
  };
const back: Action = (hands) => hands.set(hands.line(), Math.max(0, hands.cursor() - 1));
const forth: Action = (hands) => hands.set(hands.line(), Math.min(hands.line().length, hands.cursor() + 1));
const home: Action = (hands) => hands.set(hands.line(), 0);
const end: Action = (hands) => hands.set(hands.line());
const older: Action = (hands) => hands.look(-1);
const newer: Action = (hands) => hands.look(1);
const enter: Action = (hands) => hands.enter();

const dropWord: Action = (hands) => {
  const before = hands.line().slice(0, hands.cursor());
  const kept = before.replace(/\S+\s*$/, '');
  hands.set(kept + hands.line().slice(hands.cursor()), kept.length);
};

/** Keys that do something other than stand for themselves. */
const actions: Readonly<Record<string, Action>> = {
  '\r': enter,
  '\n': enter,
  '\r\n': enter,
  '\x7f': remove(-1, 0),
  '\b': remove(-1, 0),
  '\x1b[3~': remove(0, 1),
  '\x1b[D': back,
  '\x1bOD': back,
  '\x02': back,
  '\x1b[C': forth,
  '\x1bOC': forth,
  '\x06': forth,
  '\x1b[A': older,
  '\x1bOA': older,
  '\x10': older,
  '\x1b[B': newer,
  '\x1bOB': newer,
  '\x0e': newer,
  '\x1b[H': home,
  '\x1bOH': home,
  '\x01': home,
  '\x1b[F': end,
  '\x1bOF': end,
  '\x05': end,
  '\x15': (hands) => hands.set(hands.line().slice(hands.cursor()), 0),
  '\x0b': (hands) => hands.set(hands.line().slice(0, hands.cursor())),
  '\x17': dropWord,
  '\x0c': (hands) => hands.clearScreen(),
  [interruptKey]: (hands) => hands.abandon(),
};
