import type { Blanks, TextKey, Texts } from '../texts/texts.ts';

/** What `system.print_level` can be. */
export type PrintLevel = '0' | '1' | '2' | '3' | 'all';

/** A bracketed notice (`[Ready]`), or a line of progress text. */
export type LogKind = 'notice' | 'progress';

/** Which lines each level lets through. Spec: MOD-VAR-system.print_level; the split of 1 and 2 is our choice. */
const printLevels: Readonly<Record<PrintLevel, readonly LogKind[]>> = {
  0: [],
  1: ['notice'],
  2: ['progress'],
  3: ['notice', 'progress'],
  all: ['notice', 'progress'],
};

/** Takes one finished line, without its line end. */
type LogSink = (line: string, kind: LogKind) => void;

/** What the log needs to know; the module reads it from the variables and the clock. */
export interface LogSettings {
  printLevel(): PrintLevel;
  /** Template of a notice with its `@` tags; `undefined` when there is no such notice. */
  template(notice: string): string | undefined;
  /** `YYYY-MM-DD | hh:mm:ss: `, or nothing while the clock is not set or time stamps are off. */
  timePrefix(): string;
}

/** Values for the tags of a notice's template. */
interface NoticeTags {
  /** `@s`, a network name. */
  readonly ssid?: string;
  /** `@c`, host and port of a connection. */
  readonly connection?: string;
  /** `@h`, a stream handle. */
  readonly handle?: number;
  /** `@m`, a MAC address. */
  readonly mac?: string;
}

/** Text kept for `GET /log`, in bytes. */
const ringBytes = 2048;

/**
 * What the module says of its own accord: progress lines and bracketed notices. Each goes to the attached sinks, if the
 * print level lets it through, and always into a ring of 2,048 bytes. Spec: MOD-EVENT-1, MOD-LIMIT-log.
 */
export class Log {
  readonly #settings: LogSettings;
  readonly #texts: Texts;
  // Made when first needed: most modules of a fleet have no sink.
  #sinks: LogSink[] | undefined;
  #ring: string[] = [];
  #ringLength = 0;
  #muted = false;

  constructor(settings: LogSettings, texts: Texts) {
    this.#settings = settings;
    this.#texts = texts;
  }

  /** Progress text, printed at level 2 and above. */
  line(text: string): void {
    this.#put(text, 'progress');
  }

  /** A progress line out of the personality's texts; one that it has emptied is not printed. */
  say(key: TextKey, blanks?: Blanks): void {
    const text = this.#texts.text(key, blanks);
    if (text !== '') this.line(text);
  }

  /**
   * A bracketed notice made from its `system.msg` template, printed at level 1 and above level 2.
   * A template that has been emptied prints nothing; an unknown name is a mistake and throws.
   */
  notice(name: string, tags: NoticeTags = {}): void {
    const template = this.#settings.template(name);
    if (template === undefined) throw new Error(`There is no notice "${name}"`);
    if (template === '') return;
    const values: Readonly<Record<string, string | undefined>> = {
      '@t': this.#settings.timePrefix(),
      '@s': tags.ssid,
      '@c': tags.connection,
      '@h': tags.handle === undefined ? undefined : String(tags.handle),
      '@m': tags.mac,
    };
    this.#put(
      template.replace(/@[tschm]/g, (tag) => values[tag] ?? ''),
      'notice',
    );
  }

  /** Adds a sink for every line from now on; the answer takes it away again. */
  attach(sink: LogSink): () => void {
    this.#sinks = [...(this.#sinks ?? []), sink];
    return () => {
      this.#sinks = this.#sinks?.filter((other) => other !== sink);
    };
  }

  /** Runs a task whose notices are not logged, such as the end of a connection by a reset. */
  muted(task: () => void): void {
    this.#muted = true;
    try {
      task();
    } finally {
      this.#muted = false;
    }
  }

  /** How much is kept, in bytes. */
  get keptBytes(): number {
    return this.#ringLength;
  }

  /** The kept lines, oldest first. */
  entries(): readonly string[] {
    return this.#ring;
  }

  #put(text: string, kind: LogKind): void {
    if (this.#muted) return;
    this.#keep(text.slice(0, ringBytes));
    // Spec: MOD-LINE-print-level.
    if (!this.#sinks || !printLevels[this.#settings.printLevel()].includes(kind)) return;
    for (const sink of this.#sinks) sink(text, kind);
  }

  #keep(text: string): void {
    this.#ring.push(text);
    this.#ringLength += Buffer.byteLength(text);
    while (this.#ringLength > ringBytes) this.#ringLength -= Buffer.byteLength(this.#ring.shift() ?? '');
  }
}

/** The time part of a notice, in the local time that the zone makes of it. Spec: MOD-EVENT-2. */
export const noticeTime = (epochMs: number, zoneMinutes: number): string =>
  new Date(epochMs + zoneMinutes * 60_000).toISOString().replace(/^(.*)T(.{8}).*$/, '$1 | $2: ');
