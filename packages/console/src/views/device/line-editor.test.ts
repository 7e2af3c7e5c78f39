import { describe, expect, it } from 'vitest';
import { historyLimit, LineEditor } from './line-editor.ts';

/** A row of a terminal, as far as the editor uses one: what is drawn last, and where the cursor is. */
function rig(columns = 80, history: string[] = []) {
  const lines: string[] = [];
  const done: (() => void)[] = [];
  let written = '';
  let interrupts = 0;
  const editor = new LineEditor({
    prompt: '> ',
    screen: {
      write: (text) => {
        written += text;
      },
      columns: () => columns,
    },
    history,
    limit: 40,
    interrupt: () => {
      interrupts += 1;
      done.shift()?.();
    },
    run(line) {
      lines.push(line);
      return new Promise((resolve) => done.push(resolve));
    },
  });
  return {
    editor,
    lines,
    history,
    get interrupts() {
      return interrupts;
    },
    /** Text and column of the row that was drawn last. */
    row() {
      const drawn = written.slice(written.lastIndexOf('\x1b[K') + 3);
      const [text = '', move = ''] = drawn.split('\r');
      return { text, column: Number(/\x1b\[(\d+)C/.exec(move)?.[1] ?? 0) };
    },
    get written() {
      return written;
    },
    /** Lets the command that runs come to its end. */
    async answer() {
      done.shift()?.();
      await Promise.resolve();
      await Promise.resolve();
    },
  };
}

const up = '\x1b[A';
const down = '\x1b[B';
const left = '\x1b[D';

describe('the line editor', () => {
  it.each([
    ['writes', 'get all', 'get all', 9],
    ['deletes backwards', 'abc\x7f\x7fx', 'ax', 4],
    ['inserts in the middle', `ac${left}b`, 'abc', 4],
    ['deletes forwards', `abc${left}${left}\x1b[3~`, 'ac', 3],
    ['goes to both ends', 'bc\x01a\x05d', 'abcd', 6],
    ['cuts to the left', `abcd${left}\x15`, 'd', 2],
    ['cuts to the right', `abcd${left}${left}\x0b`, 'ab', 4],
    ['cuts a word', 'get wlan.ssid\x17', 'get ', 6],
    ['leaves unknown keys out', 'a\x1b[15~\x00\tb', 'ab', 4],
    ['stops at the ends', `${left}\x7fa\x1b[C\x1b[C`, 'a', 3],
  ])('%s', (_, keys, text, column) => {
    const { editor, row } = rig();
    editor.feed(keys);
    expect(row()).toEqual({ text: `> ${text}`, column });
  });

  it('takes keys in pieces as it does at once', () => {
    const { editor, row } = rig();
    for (const key of ['a', 'b', left, 'c']) editor.feed(key);
    expect(row()).toEqual({ text: '> acb', column: 4 });
  });

  it('runs a line, and waits for its answer before the next', async () => {
    const { editor, lines, answer } = rig();
    editor.feed('ver\rget a\r\nget b\n');
    expect(lines).toEqual(['ver']);
    expect(editor.busy).toBe(true);
    await answer();
    expect(lines).toEqual(['ver', 'get a']);
    await answer();
    await answer();
    expect(lines).toEqual(['ver', 'get a', 'get b']);
    expect(editor.busy).toBe(false);
  });

  it('runs nothing for an empty line', () => {
    const { editor, lines, history } = rig();
    editor.feed('  \r');
    expect([lines, history, editor.busy]).toEqual([[], [], false]);
  });

  it('walks through the history and back to what was being written', () => {
    const { editor, row } = rig(80, ['one', 'two']);
    editor.feed(`dra${up}`);
    expect(row().text).toBe('> two');
    editor.feed(up);
    expect(row().text).toBe('> one');
    editor.feed(up);
    expect(row().text).toBe('> one');
    editor.feed(down + down);
    expect(row().text).toBe('> dra');
    editor.feed(down);
    expect(row().text).toBe('> dra');
  });

  it('keeps a line in the history once, and no more lines than its limit', async () => {
    const { editor, history, answer } = rig(
      80,
      Array.from({ length: historyLimit }, (_, i) => `line ${i}`),
    );
    for (const line of ['ver\r', 'ver\r']) {
      editor.feed(line);
      await answer();
    }
    expect(history.length).toBe(historyLimit);
    expect(history.slice(-2)).toEqual([`line ${historyLimit - 1}`, 'ver']);
  });

  it('ends a wait with Ctrl+C, and forgets what was typed meanwhile', async () => {
    const rigged = rig();
    rigged.editor.feed('ver\rget a\r\x03');
    await rigged.answer();
    expect(rigged.interrupts).toBe(1);
    expect(rigged.lines).toEqual(['ver']);
    expect(rigged.editor.busy).toBe(false);
  });

  it('abandons a line with Ctrl+C', () => {
    const rigged = rig();
    rigged.editor.feed('oops\x03');
    expect(rigged.written).toContain('^C\r\n');
    expect(rigged.row()).toEqual({ text: '> ', column: 2 });
    expect(rigged.history).toEqual([]);
  });

  it('refuses letters over the limit', () => {
    const { editor, row } = rig();
    editor.feed('x'.repeat(50));
    expect(row().text).toBe(`> ${'x'.repeat(40)}`);
  });

  it('scrolls a line sideways that is wider than the terminal', () => {
    const { editor, row } = rig(10);
    editor.feed('abcdefghij');
    expect(row()).toEqual({ text: '> defghij', column: 9 });
    editor.feed('\x01');
    expect(row()).toEqual({ text: '> abcdefg', column: 2 });
  });
});
