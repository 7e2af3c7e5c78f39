import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type EditorContext, LineEditor } from './line-editor.ts';

const names = ['file_create', 'file_stat', 'get'];
const context: EditorContext = {
  limit: 60,
  prompt: '> ',
  controlKeys: false,
  complete: (before) => {
    const candidates = names.filter((name) => name.startsWith(before));
    return { insert: candidates.length === 1 ? (candidates[0] ?? '').slice(before.length) : '', candidates };
  },
};

/** A terminal of one line: what it shows after the bytes that it was sent, and where its cursor stands. */
class Terminal {
  cells: string[] = [];
  column = 0;

  feed(text: string): void {
    const characters = Buffer.from(text, 'latin1').toString('utf8');
    for (const [, control, count, letter, character] of characters.matchAll(
      /([\b\r\n])|\x1b\[(\d*)([CDKHJ])|([^\x00-\x1f])/gu,
    )) {
      const by = Number(count || 1);
      if (control === '\b') this.column -= 1;
      else if (control === '\n') this.cells = [];
      else if (control === '\r') this.column = 0;
      else if (letter === 'C') this.column += by;
      else if (letter === 'D') this.column -= by;
      else if (letter === 'H') this.column = 0;
      else if (letter === 'J') this.cells = [];
      else if (letter === 'K') this.cells.length = Math.min(this.cells.length, this.column);
      else this.cells[this.column++] = character ?? '';
      expect(this.column).toBeGreaterThanOrEqual(0);
    }
  }
}

const feed = (editor: LineEditor, bytes: string, to = context): string =>
  Array.from(bytes, (byte) => editor.feed(byte.charCodeAt(0), to)).join('');

const shell = { ...context, controlKeys: true };

const keys = [
  '\x1b[A',
  '\x1b[B',
  '\x1b[C',
  '\x1b[D',
  '\x1b[H',
  '\x1b[F',
  '\x1bOC',
  '\x1bOD',
  '\x1b[1~',
  '\x1b[3~',
  '\x1b[4~',
];

// Spec: MOD-RULE-editing, MOD-RULE-history, MOD-RULE-completion.
test('LineEditor shows on the terminal what it holds, whatever keys are pressed', () => {
  const key = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'file', ' ', 'é', '☕').map(utf8) },
    { weight: 6, arbitrary: fc.constantFrom('\x7f', '\b', '\t', ...keys) },
    { weight: 4, arbitrary: fc.constantFrom('\x01', '\x03', '\x05', '\x0b', '\x0c', '\x15', '\x17') },
    { weight: 1, arbitrary: fc.constant('\r') },
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (pressed) => {
      const editor = new LineEditor();
      let terminal = new Terminal();
      terminal.feed('> ');
      for (const each of [...pressed, '\r']) {
        if (each !== '\r') {
          terminal.feed(feed(editor, each, shell));
          continue;
        }
        const { bytes, overflowed } = editor.take(5);
        const shown = terminal.cells.join('').trimEnd();
        if (!overflowed) expect(shown).toBe(`> ${Buffer.from(bytes, 'latin1').toString('utf8')}`.trimEnd());
        terminal = new Terminal();
        terminal.feed('> ');
      }
    }),
    { numRuns: 400 },
  );
});

test('LineEditor takes any bytes and never grows beyond its limit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const editor = new LineEditor();
      for (const byte of bytes) editor.feed(byte, context);
      expect(editor.take(5).bytes.length).toBeLessThanOrEqual(context.limit);
    }),
  );
});

test.each([
  ['abc\x1b[D\x1b[DX', 'aXbc'],
  ['abc\x1b[HX\x1b[FY', 'XabcY'],
  ['abc\x1bOHX\x1bOFY', 'XabcY'],
  ['abc\x1b[1~\x1b[3~', 'bc'],
  ['abc\x1b[7~\x1b[3~\x1b[8~d', 'bcd'],
  ['abc\x7f\bX', 'aX'],
  [`${utf8('né')}\x7fx`, 'nx'],
  [`${utf8('né')}\x1b[Dx`, utf8('nxé')],
  [`${utf8('ab')}\x1b[D${utf8('☕')}`, utf8('a☕b')],
  // Sequences that mean nothing, broken ones and control bytes leave nothing behind.
  ['a\x1b[99;5Hb\x1b[2Jc\x01\x02d', 'abcd'],
  ['a\x1bxb', 'axb'],
  ['a\x1b[\x1b[Db', 'ba'],
  ['fi\t', 'fi'],
  ['ge\t', 'get'],
])('LineEditor makes a line of %j', (typed, line) => {
  const editor = new LineEditor();
  feed(editor, typed);
  expect(editor.take(5)).toEqual({ bytes: line, overflowed: false });
});

test.each([
  ['Ctrl-A', 'abc\x01X', 'Xabc', 'abc\x1b[3DXabc\x1b[3D'],
  ['Ctrl-E', 'abc\x01\x05X', 'abcX', 'abc\x1b[3D\x1b[3CX'],
  ['Ctrl-K', 'abc\x1b[D\x1b[D\x0b', 'a', 'abc\b\b\x1b[K'],
  ['Ctrl-K at the end', 'abc\x0b', 'abc', 'abc'],
  ['Ctrl-U', 'abc\x1b[D\x15', 'c', 'abc\b\x1b[2Dc\x1b[K\b'],
  ['Ctrl-U at the start', 'a\x01\x15', 'a', 'a\b'],
  ['Ctrl-W', 'set wlan.ssid  \x17x', 'set x', 'set wlan.ssid  \x1b[11D\x1b[Kx'],
  ['Ctrl-W within a word', 'a bcd\x1b[D\x17', 'a d', 'a bcd\b\x1b[2Dd\x1b[K\b'],
  [`Ctrl-W of a character of three bytes`, `a ${utf8('☕')}\x17`, 'a ', `a ${utf8('☕')}\b\x1b[K`],
  ['Ctrl-C', 'abc\x1b[D\x03x', 'x', 'abc\b\x1b[C^C\r\n> x'],
  ['Ctrl-L', 'abc\x1b[D\x0c', 'abc', 'abc\b\x1b[H\x1b[2J> abc\b'],
  ['Ctrl-B, which is none', 'abc\x02', 'abc', 'abc'],
])('LineEditor has the control key %s', (_, typed, line, echo) => {
  const editor = new LineEditor();
  expect(feed(editor, typed, shell)).toBe(echo);
  expect(editor.take(5)).toEqual({ bytes: line, overflowed: false });
});

test('LineEditor ignores control keys where they are switched off', () => {
  const editor = new LineEditor();
  expect(feed(editor, 'abc\x01\x03\x05\x0b\x0c\x15\x17')).toBe('abc');
});

test('LineEditor drops a line that is too long at Ctrl-C, and the history does not get a dropped one', () => {
  const editor = new LineEditor();
  feed(editor, `${'x'.repeat(61)}\x03`, shell);
  feed(editor, 'dropped\x03\x1b[Aget', shell);
  expect(editor.take(5)).toEqual({ bytes: 'get', overflowed: false });
});

// Spec: MOD-LIMIT-history, MOD-RULE-history.
test('LineEditor keeps five lines, none twice in a row, and no answers', () => {
  const editor = new LineEditor();
  for (const line of ['1', '2', '3', '4', '5', '6', '6']) {
    feed(editor, line);
    editor.take(5);
  }
  feed(editor, 'secret');
  editor.take(0);
  feed(editor, '\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A');
  expect(editor.take(5).bytes).toBe('2');
});

// MOD-LIMIT-history
test.each([
  [0, ''],
  [1, 'c'],
  [2, 'b'],
  [9, 'a'],
])('LineEditor keeps a history of %i lines', (historyLines, oldest) => {
  const editor = new LineEditor();
  for (const line of ['a', 'b', 'c']) {
    feed(editor, line);
    editor.take(historyLines);
  }
  feed(editor, '\x1b[A\x1b[A\x1b[A\x1b[A');
  expect(editor.take(historyLines).bytes).toBe(oldest);
});

test('LineEditor gives back what was typed when the history is left', () => {
  const editor = new LineEditor();
  feed(editor, 'old');
  editor.take(5);
  feed(editor, 'new\x1b[A\x1b[B');
  expect(editor.take(5).bytes).toBe('new');
});

test('LineEditor lists candidates on the second TAB only', () => {
  const editor = new LineEditor();
  expect(feed(editor, 'fi\t')).toBe('fi');
  expect(feed(editor, '\t')).toBe('\r\nfile_create\r\nfile_stat\r\n> fi');
  expect(feed(editor, 'x\b\t')).toBe('x\b \b');
});

test('LineEditor marks a line that is too long and starts the next one clean', () => {
  const editor = new LineEditor();
  feed(editor, 'x'.repeat(61));
  expect(editor.take(5).overflowed).toBe(true);
  feed(editor, 'x'.repeat(60));
  expect(editor.take(5)).toEqual({ bytes: 'x'.repeat(60), overflowed: false });
});

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
