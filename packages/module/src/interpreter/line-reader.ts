import { type EditorContext, LineEditor, type TypedLine } from './line-editor.ts';

const nul = 0x00;
const lf = 0x0a;
const cr = 0x0d;

/** Outcome of reading: how many bytes were taken, what to echo, and the line if one has ended. */
interface LineStep {
  readonly taken: number;
  /** Latin1. */
  readonly echo: string;
  readonly line: TypedLine | undefined;
}

/** What decides how the bytes are taken, read from the settings at each step. */
export interface ReaderContext extends EditorContext {
  /** A person types: echo and editing keys work. Otherwise bytes are taken as they are. */
  readonly interactive: boolean;
  /** Lines of history. Lines that are not to be remembered have none. Spec: MOD-RULE-history, MOD-LIMIT-history. */
  readonly historyLines: number;
}

/**
 * Splits incoming bytes into lines. CR, LF, CR LF and LF CR each end one line; NUL bytes are skipped. A line beyond
 * the limit is thrown away up to its end. Spec: MOD-LINE-endings.
 */
export class LineReader {
  readonly #editor = new LineEditor();
  /** The line end just seen, whose other half may follow. */
  #ending: number | undefined;
  /** The last line that ended in LF had a CR after it. */
  #pairsLfCr = false;

  /** Reads from `chunk`, at most to the end of one line. */
  read(chunk: Buffer, context: ReaderContext): LineStep {
    const from = chunk.length > 0 && this.#completesEnding(chunk[0], false) ? 1 : 0;
    return context.interactive ? this.#readTyped(chunk, from, context) : this.#readRaw(chunk, from, context);
  }

  /** The prompt and what has been typed behind it, as a terminal is to show them in an empty row. */
  drawn(prompt: string): string {
    return this.#editor.drawn(prompt);
  }

  /** Forgets the line being typed: the board has started anew. */
  reset(): void {
    this.#editor.take(0);
  }

  /** Whether the first byte after a line, where data begins, still belongs to the line's end. */
  skipsBeforeData(byte: number | undefined): boolean {
    return this.#completesEnding(byte, true);
  }

  /**
   * LF CR is accepted as one line end but hardly any client sends it, and data that begins with CR is common. So before
   * data a CR belongs to the LF only if this sender's last line ended like that too.
   */
  #completesEnding(byte: number | undefined, beforeData: boolean): boolean {
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending === cr) return byte === lf;
    if (ending !== lf) return false;
    const paired = byte === cr && (!beforeData || this.#pairsLfCr);
    this.#pairsLfCr = paired;
    return paired;
  }

  #readTyped(chunk: Buffer, from: number, context: ReaderContext): LineStep {
    let echo = '';
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? nul;
      if (byte === cr || byte === lf) return this.#end(byte, at + 1, `${echo}\r\n`, context);
      if (byte !== nul) echo += this.#editor.feed(byte, context);
    }
    return { taken: chunk.length, echo, line: undefined };
  }

  #readRaw(chunk: Buffer, from: number, context: ReaderContext): LineStep {
    let end = from;
    while (end < chunk.length && chunk[end] !== cr && chunk[end] !== lf) end++;
    const bytes = chunk.toString('latin1', from, end);
    this.#editor.append(bytes.includes('\0') ? bytes.replaceAll('\0', '') : bytes, context.limit);
    if (end === chunk.length) return { taken: end, echo: '', line: undefined };
    return this.#end(chunk[end] ?? lf, end + 1, '', context);
  }

  #end(byte: number, taken: number, echo: string, context: ReaderContext): LineStep {
    this.#ending = byte;
    return { taken, echo, line: this.#editor.take(context.historyLines) };
  }
}
