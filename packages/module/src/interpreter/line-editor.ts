import type { Completion } from './completion.ts';
import { type ControlKey, controlKeys, type Key, KeyDecoder } from './keys.ts';
import { utf8Length } from './text.ts';

/** What the editor needs to know at each byte. */
export interface EditorContext {
  /** Longest line in bytes; what goes beyond makes the whole line fail. */
  readonly limit: number;
  readonly prompt: string;
  /** Control keys edit; without them they are ignored. */
  readonly controlKeys: boolean;
  complete(before: string): Completion;
}

/** A line as it was when it ended. One character stands for one byte (latin1). */
export interface TypedLine {
  readonly bytes: string;
  readonly overflowed: boolean;
}

/** Bytes that are kept of a line beyond its limit; of a longer one nothing is kept. */
const maxExcessBytes = 4096;

/** Columns that a text takes on a terminal: continuation bytes of UTF-8 take none. */
const columns = (text: string): number => text.replace(/[\x80-\xbf]/g, '').length;

const move = (count: number, one: string, letter: string): string => {
  if (count === 0) return '';
  return count === 1 ? one : `\x1b[${count}${letter}`;
};
const left = (text: string): string => move(columns(text), '\b', 'D');
const right = (text: string): string => move(columns(text), '\x1b[C', 'C');

/**
 * The line being typed, with cursor, history and completion; takes one byte at a time and returns the bytes that the
 * terminal is to be sent for it, as few as will do. Line ends never come here. Spec: MOD-RULE-editing.
 *
 * Assumes that each character takes one column and that the terminal does not wrap the line.
 */
export class LineEditor {
  #line = '';
  #cursor = 0;
  #overflowed = false;
  /** What came beyond the limit: it may say how much data follows the line. */
  #excess = '';
  /** Bytes of a character that is not complete yet. */
  #partial = '';
  #lastWasTab = false;
  readonly #keys = new KeyDecoder();
  readonly #history: string[] = [];
  /** Which line of the history is shown, and what was typed before; at the end of the history it is the new line. */
  #shown = 0;
  #draft = '';

  /** Takes bytes as they are, for a session without echo, which has no editing keys. */
  append(bytes: string, limit: number): void {
    if (this.#line.length + bytes.length > limit) this.#overflowed = true;
    if (this.#overflowed) {
      if (this.#excess.length <= maxExcessBytes) this.#excess += bytes;
      return;
    }
    this.#line = this.#line.slice(0, this.#cursor) + bytes + this.#line.slice(this.#cursor);
    this.#cursor += bytes.length;
  }

  /** Takes one typed byte; returns what to echo (latin1). Spec: MOD-LINE-echo. */
  feed(byte: number, context: EditorContext): string {
    const event = this.#keys.push(byte);
    const control = event.kind === 'byte' && context.controlKeys ? controlKeys[byte] : undefined;
    if (control === 'drop-line') return this.#dropLine(context.prompt);
    if (this.#overflowed && event.kind === 'byte' && byte >= 0x20)
      this.append(String.fromCharCode(byte), context.limit);
    if (event.kind === 'none' || this.#overflowed) return '';
    const wasTab = this.#lastWasTab;
    this.#lastWasTab = false;
    if (event.kind === 'key') return this.#press(event.key);
    if (control !== undefined) return this.#control(control, context.prompt);
    if (byte === 0x08 || byte === 0x7f) return this.#backspace();
    if (byte === 0x09) return this.#complete(context, wasTab);
    return byte < 0x20 ? '' : this.#type(byte, context.limit);
  }

  /** Ends the line and starts an empty one; puts it into a history of `historyLines`, which is left alone when that is 0. */
  take(historyLines: number): TypedLine {
    const isWhole = this.#excess.length <= maxExcessBytes;
    const line = { bytes: isWhole ? this.#line + this.#excess : '', overflowed: this.#overflowed };
    if (historyLines > 0 && !line.overflowed && line.bytes.trim() !== '') this.#remember(line.bytes, historyLines);
    this.#line = '';
    this.#cursor = 0;
    this.#overflowed = false;
    this.#excess = '';
    this.#partial = '';
    this.#lastWasTab = false;
    this.#keys.reset();
    this.#shown = this.#history.length;
    this.#draft = '';
    return line;
  }

  /** What a terminal shows of the line behind its prompt, for one whose row is empty. */
  drawn(prompt: string): string {
    return `${prompt}${this.#line}${left(this.#line.slice(this.#cursor))}`;
  }

  #remember(line: string, historyLines: number): void {
    if (this.#history.at(-1) !== line) this.#history.push(line);
    while (this.#history.length > historyLines) this.#history.shift();
  }

  #type(byte: number, limit: number): string {
    const character = this.#partial + String.fromCharCode(byte);
    this.#partial = '';
    // Within the line a character is drawn when it is whole; at the end its bytes can go out as they come.
    const wanted = utf8Length(character.charCodeAt(0));
    const within = this.#cursor < this.#line.length;
    const continues = character.length === 1 || (byte & 0xc0) === 0x80;
    if (within && continues && character.length < wanted) {
      this.#partial = character;
      return '';
    }
    return this.#insert(character, limit);
  }

  #insert(bytes: string, limit: number): string {
    const tail = this.#line.slice(this.#cursor);
    this.append(bytes, limit);
    return this.#overflowed ? '' : bytes + tail + left(tail);
  }

  #backspace(): string {
    const at = this.#previous();
    if (at === this.#cursor) return '';
    const step = left(this.#line.slice(at, this.#cursor));
    this.#cursor = at;
    return step + this.#erase();
  }

  /** Removes the character under the cursor and draws what follows it anew. */
  #erase(): string {
    const end = this.#next();
    if (end === this.#cursor) return '';
    const tail = this.#line.slice(end);
    this.#line = this.#line.slice(0, this.#cursor) + tail;
    return `${tail} ${left(`${tail} `)}`;
  }

  #press(key: Key): string {
    this.#partial = '';
    switch (key) {
      case 'left':
        return this.#moveTo(this.#previous());
      case 'right':
        return this.#moveTo(this.#next());
      case 'home':
        return this.#moveTo(0);
      case 'end':
        return this.#moveTo(this.#line.length);
      case 'delete':
        return this.#erase();
      case 'up':
        return this.#show(this.#shown - 1);
      case 'down':
        return this.#show(this.#shown + 1);
    }
  }

  #control(key: Exclude<ControlKey, 'drop-line'>, prompt: string): string {
    this.#partial = '';
    switch (key) {
      case 'home':
      case 'end':
        return this.#press(key);
      case 'cut-to-end':
        return this.#cut(this.#cursor, this.#line.length);
      case 'cut-to-start':
        return this.#cut(0, this.#cursor);
      case 'cut-word':
        return this.#cut(this.#line.slice(0, this.#cursor).search(/[^ ]* *$/), this.#cursor);
      case 'clear-screen':
        return `\x1b[H\x1b[2J${this.drawn(prompt)}`;
    }
  }

  /** The line is given up and a new one begins; the history does not get it. */
  #dropLine(prompt: string): string {
    const end = this.#moveTo(this.#line.length);
    this.take(0);
    return `${end}^C\r\n${prompt}`;
  }

  /** Removes a part of the line that begins or ends at the cursor. */
  #cut(from: number, to: number): string {
    if (from === to) return '';
    const start = this.#moveTo(from);
    const tail = this.#line.slice(to);
    this.#line = this.#line.slice(0, from) + tail;
    return `${start}${tail}\x1b[K${left(tail)}`;
  }

  #moveTo(at: number): string {
    const from = this.#cursor;
    this.#cursor = at;
    return at < from ? left(this.#line.slice(at, from)) : right(this.#line.slice(from, at));
  }

  #show(index: number): string {
    if (index < 0 || index > this.#history.length) return '';
    if (this.#shown === this.#history.length) this.#draft = this.#line;
    this.#shown = index;
    const old = this.#line;
    const home = this.#moveTo(0);
    this.#line = this.#history[index] ?? this.#draft;
    this.#cursor = this.#line.length;
    const shorter = columns(this.#line) < columns(old);
    return `${home}${this.#line}${shorter ? '\x1b[K' : ''}`;
  }

  /** Spec: MOD-RULE-completion. One candidate is filled in; of several, what they share; TAB again lists them. */
  #complete(context: EditorContext, again: boolean): string {
    this.#partial = '';
    const { insert, candidates, atOnce = false } = context.complete(this.#line.slice(0, this.#cursor));
    // What several share has been filled in: the next TAB lists them.
    this.#lastWasTab = insert === '' || candidates.length > 1;
    if (insert !== '') return this.#insert(insert, context.limit);
    if (!(again || atOnce) || candidates.length < 2) return '';
    return `\r\n${candidates.join('\r\n')}\r\n${this.drawn(context.prompt)}`;
  }

  /** Where the character before the cursor begins. */
  #previous(): number {
    let at = this.#cursor;
    while (at > 0 && isContinuation(this.#line, at - 1)) at--;
    return Math.max(0, at - 1);
  }

  /** Where the character under the cursor ends. */
  #next(): number {
    let at = Math.min(this.#line.length, this.#cursor + 1);
    while (at < this.#line.length && isContinuation(this.#line, at)) at++;
    return at;
  }
}

const isContinuation = (line: string, at: number): boolean => (line.charCodeAt(at) & 0xc0) === 0x80;
