import type { Writable } from 'node:stream';

/** How far something long has come. */
export interface Progress {
  /** Moves to `done` of the total, in the unit of the total. */
  at(done: number): void;
  end(text: string): void;
}

/** What a command prints for its user: prose, or one JSON object per line. */
export interface Reporter {
  /** Something that happened: an object of its own in JSON; in prose the text, or nothing. */
  event(name: string, data?: Readonly<Record<string, unknown>>, prose?: string): void;
  /** Prose only. */
  say(prose: string): void;
  progress(label: string, total: number): Progress;
  /** On a terminal, a bar that stays below what is said until it is another one or, without a share, goes. */
  status(label: string, share?: number): void;
}

/** One JSON object per line; prose is left out. */
const jsonReporter = (out: Writable): Reporter => ({
  event: (name, data = {}) => void out.write(`${JSON.stringify({ event: name, ...data })}\n`),
  say: () => {},
  progress: () => ({ at: () => {}, end: () => {} }),
  status: () => {},
});

const barWidth = 32;

function bar(label: string, done: number, total: number): string {
  const filled = Math.round((barWidth * done) / Math.max(1, total));
  const percent = Math.floor((100 * done) / Math.max(1, total));
  return `  ${label} ${'█'.repeat(filled)}${'░'.repeat(barWidth - filled)} ${String(percent).padStart(3)} %`;
}

const eraseLine = '\r\u001b[K';

/** What others say of themselves may hold codes that a terminal obeys. */
export const printable = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, '\ufffd');

/** Text for people; on a terminal the progress bar stays below it, elsewhere each quarter is a line. */
function proseReporter(out: Writable & { isTTY?: boolean }): Reporter {
  let shownBar = '';
  const say = (prose: string): void => void out.write(`${shownBar && eraseLine}${printable(prose)}\n${shownBar}`);
  return {
    event: (_name, _data, prose) => void (prose !== undefined && say(prose)),
    say,
    status(label, share) {
      if (!out.isTTY) return;
      const erase = shownBar && eraseLine;
      shownBar = share === undefined ? '' : bar(label, share, 1);
      out.write(`${erase}${shownBar}`);
    },
    progress(label, total) {
      let quarter = -1;
      return {
        at(done) {
          const text = bar(label, done, total);
          const reached = Math.floor((4 * done) / Math.max(1, total));
          if (out.isTTY) {
            shownBar = text;
            out.write(`\r${text}`);
          } else if (reached > quarter) say(text);
          quarter = Math.max(quarter, reached);
        },
        end(text) {
          const erase = shownBar && eraseLine;
          shownBar = '';
          out.write(`${erase}${printable(text)}\n`);
        },
      };
    },
  };
}

/** The reporter that `--json` asks for. */
export const openReporter = (json: boolean, out: Writable & { isTTY?: boolean } = process.stdout): Reporter =>
  json ? jsonReporter(out) : proseReporter(out);
