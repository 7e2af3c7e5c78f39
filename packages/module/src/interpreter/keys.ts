/** An editing key, as terminals send it in any of their dialects. */
export type Key = 'left' | 'right' | 'home' | 'end' | 'up' | 'down' | 'delete';

/** What a control key does to the line besides moving in it. */
export type ControlKey = 'home' | 'end' | 'cut-to-end' | 'cut-to-start' | 'cut-word' | 'drop-line' | 'clear-screen';

/** Ctrl-A, C, E, K, L, U and W, as shells have them. */
export const controlKeys: Readonly<Record<number, ControlKey>> = {
  1: 'home',
  3: 'drop-line',
  5: 'end',
  11: 'cut-to-end',
  12: 'clear-screen',
  21: 'cut-to-start',
  23: 'cut-word',
};

/** What a byte turned out to be: part of a sequence still open or of no meaning, an editing key, or itself. */
type KeyEvent = { readonly kind: 'none' } | { readonly kind: 'key'; readonly key: Key } | { readonly kind: 'byte' };

const keys: Readonly<Record<string, Key>> = {
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  '[H': 'home',
  '[F': 'end',
  '[1~': 'home',
  '[3~': 'delete',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  // The same keys while the terminal is in application mode (SS3).
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  OH: 'home',
  OF: 'end',
};

const escapeByte = 0x1b;

/** Telnet clients on a bare TCP line announce options with three bytes; no text has the first of them. */
const telnetByte = 0xff;
const isTelnetVerb = (byte: number): boolean => byte >= 0xfb && byte <= 0xfe;

/** Longest sequence that may still turn into a key, in bytes after the escape. */
const maxSequenceLength = 12;

const none: KeyEvent = { kind: 'none' };
const byteItself: KeyEvent = { kind: 'byte' };

/**
 * Recognises escape sequences byte by byte. A sequence it does not know is dropped; one that is broken off ends. What a
 * telnet client says of itself, as at its command `mode character`, is dropped too.
 */
export class KeyDecoder {
  /** Bytes since the escape; `undefined` outside a sequence. */
  #sequence: string | undefined;
  /** Bytes that a telnet option may still have. */
  #telnetBytes = 0;

  push(byte: number): KeyEvent {
    if (this.#telnetBytes === 1 || (this.#telnetBytes === 2 && isTelnetVerb(byte))) {
      this.#telnetBytes--;
      return none;
    }
    this.#telnetBytes = byte === telnetByte ? 2 : 0;
    if (byte === escapeByte) this.#sequence = '';
    if (byte === escapeByte || byte === telnetByte) return none;
    if (this.#sequence === undefined) return byteItself;
    const sequence = this.#sequence + String.fromCharCode(byte);
    this.#sequence = undefined;
    if (sequence === '[' || sequence === 'O') {
      this.#sequence = sequence;
      return none;
    }
    // An escape before anything else, a control byte or a byte beyond ASCII breaks the sequence off.
    if (sequence.length === 1 || byte < 0x20 || byte > 0x7e) return byteItself;
    const ended = sequence.startsWith('O') || byte >= 0x40;
    if (!ended && sequence.length < maxSequenceLength) {
      this.#sequence = sequence;
      return none;
    }
    const key = keys[sequence];
    return key === undefined ? none : { kind: 'key', key };
  }

  reset(): void {
    this.#sequence = undefined;
    this.#telnetBytes = 0;
  }
}
