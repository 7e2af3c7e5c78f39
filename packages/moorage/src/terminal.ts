import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Whether somebody types. */
export const isTerminal = (): boolean => process.stdin.isTTY;

/** Asks for a text that is not shown while it is typed; without a terminal it is the first line of the standard input. */
export function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (stdin.isTTY) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY });
  return new Promise((resolve) => {
    let text = '';
    lines.once('line', (line) => {
      text = line;
      lines.close();
    });
    lines.once('SIGINT', () => process.exit(130));
    lines.once('close', () => {
      if (stdin.isTTY) stderr.write('\n');
      resolve(text);
    });
  });
}
