import { refusalTexts, type SessionBoard } from './board-port.ts';
import { frame, framePieces, type HeaderType } from './framing.ts';
import { codes, type Response } from './reply.ts';
import { encodeText } from './text.ts';

/** Log lines are dropped while this many bytes wait for a reader that does not read. */
export const maxWaitingBytes = 65_536;

/** From here on output is not joined into one piece but given to `writeAll` as it is, in bytes. */
const joinedBytes = 8_192;

/** Where the output goes. */
export interface OutputLine {
  /** Sends bytes; false when the other side is slow and `drained` will be called. */
  write(bytes: Uint8Array): boolean;
  /** The same for pieces that belong together and are long; without it they are joined. */
  writeAll?(pieces: readonly Uint8Array[]): boolean;
}

/**
 * Everything that a session prints, framed by the settings of the moment and gathered so that one answer is one
 * write. So the answer to a change of mode has the new one. Spec: MOD-LINE-mode.
 */
export class SessionOutput {
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #congested = false;
  #sinceCongested = 0;
  readonly #board: SessionBoard;
  readonly #line: OutputLine;

  constructor(board: SessionBoard, line: OutputLine) {
    this.#board = board;
    this.#line = line;
  }

  /** The reader is slower than we are: read no more input until `drained`. */
  get congested(): boolean {
    return this.#congested;
  }

  /** Enough is gathered to be written without waiting for the end of the answer. */
  get full(): boolean {
    return this.#partBytes >= maxWaitingBytes;
  }

  bytes(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
  }

  /** What the line editor has made: one character for each byte (latin1). */
  echo(bytes: string): void {
    if (bytes !== '') this.bytes(Buffer.from(bytes, 'latin1'));
  }

  /** A text that is no block: a prompt, a question. */
  text(text: string): void {
    if (text !== '') this.bytes(encodeText(text));
  }

  /** Spec: MOD-ERR-0 to MOD-ERR-9: the text of a refusal comes from the personality. */
  response(response: Response): void {
    const { code } = response;
    const payload = code === codes.SUCCESS ? response.payload : this.#board.personality.text(refusalTexts[code]);
    const header = this.#header(this.#board.safeMode ? 'S' : 'R');
    for (const piece of framePieces(header, code, payload)) this.bytes(piece);
  }

  /** What answers an empty line: a header, or the line end that the echo has not printed already. Spec: MOD-LINE-empty. */
  emptyLine(): void {
    if (this.headers || !this.echoes)
      this.response({ kind: 'response', code: codes.SUCCESS, payload: '', multiline: false });
  }

  /** A line of the board's log. Spec: MOD-EVENT-1. */
  log(text: string): void {
    if (this.#congested && this.#sinceCongested >= maxWaitingBytes) return;
    this.bytes(frame(this.#header('L'), 0, text));
  }

  /** Spec: MOD-LINE-prompt. */
  prompt(): void {
    this.text(this.promptText);
  }

  /** Empty where prompts are switched off. */
  get promptText(): string {
    if (!this.#board.variables.get('system.cmd.prompt_enabled')) return '';
    return this.#board.personality.text(this.#board.safeMode ? 'safeModePrompt' : 'prompt');
  }

  get echoes(): boolean {
    return this.#board.variables.get('system.cmd.echo');
  }

  get headers(): boolean {
    return this.#board.variables.get('system.cmd.header_enabled');
  }

  /** Writes what is gathered, in one go. */
  flush(): void {
    const [first] = this.#parts;
    if (first === undefined) return;
    const parts = this.#parts;
    const length = this.#partBytes;
    this.#parts = [];
    this.#partBytes = 0;
    if (this.#congested) this.#sinceCongested += length;
    const line = this.#line;
    const taken =
      parts.length > 1 && length >= joinedBytes && line.writeAll
        ? line.writeAll(parts)
        : line.write(parts.length === 1 ? first : Buffer.concat(parts, length));
    if (!taken) this.#congested = true;
  }

  drained(): void {
    this.#congested = false;
    this.#sinceCongested = 0;
  }

  #header(type: HeaderType): HeaderType | undefined {
    return this.headers ? type : undefined;
  }
}
