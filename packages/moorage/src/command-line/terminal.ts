import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { variableOf } from '@moorage/service/engine/settings/options';
import { UserError } from './define.ts';

/** Where questions are shown and answered: the standard streams of the process. */
interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
}

/** Longest line that answers a question, in bytes. */
const longestAnswerBytes = 65_536;

/** Exit code of a program that Ctrl-C has ended, as a shell shows it. */
const interruptedCode = 130;

/** Whether somebody types. */
export const isTerminal = (): boolean => process.stdin.isTTY;

/**
 * Asks a question; without a terminal the answer is the next line of the standard input. `undefined` at its end. What is
 * secret is not shown while it is typed.
 */
export function ask(
  question: string,
  { isSecret = false } = {},
  terminal: Terminal = process,
): Promise<string | undefined> {
  return terminal.stdin.isTTY ? askPerson(question, isSecret, terminal) : nextLine(terminal.stdin);
}

/** Asks for what an option has not given. @throws {UserError} at the end of the input */
export async function askSecret(question: string, option: 'password' | 'code'): Promise<string> {
  const answer = await ask(question, { isSecret: true });
  if (answer !== undefined) return answer;
  throw new UserError(`The input has ended: give the ${option} with --${option} or ${variableOf(option)}`, 2);
}

function askPerson(question: string, isSecret: boolean, { stdin, stderr }: Terminal): Promise<string | undefined> {
  if (isSecret) stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: isSecret ? silent : stderr, prompt: question, terminal: true });
  return new Promise((resolve) => {
    let answer: string | undefined;
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    lines.once('SIGINT', () => {
      // A service that runs meanwhile stops in its own way.
      const isHeard = process.emit('SIGINT', 'SIGINT');
      lines.close();
      if (!isHeard) process.exit(interruptedCode);
    });
    lines.once('close', () => {
      // What was typed and shown has ended its line.
      if (isSecret || answer === undefined) stderr.write('\n');
      resolve(answer);
    });
    lines.prompt();
  });
}

/** Takes one line and leaves what follows: it may answer the next question. */
function nextLine(stdin: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let taken: Buffer = Buffer.alloc(0);
    const finish = (line: string | undefined): void => {
      stdin.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      resolve(line?.replace(/\r$/, ''));
    };
    const onEnd = (): void => finish(taken.length > 0 ? taken.toString() : undefined);
    const onData = (part: Buffer): void => {
      taken = Buffer.concat([taken, part]);
      const end = taken.indexOf('\n');
      if (end < 0 && taken.length <= longestAnswerBytes) return;
      const rest = end < 0 ? taken.subarray(taken.length) : taken.subarray(end + 1);
      finish(taken.subarray(0, end < 0 ? longestAnswerBytes : end).toString());
      if (rest.length > 0) stdin.unshift(rest);
    };
    if (stdin.readableEnded || stdin.destroyed) finish(undefined);
    else stdin.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
  });
}
