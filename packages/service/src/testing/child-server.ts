import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Why tests with this program are left out; empty where it is installed. */
export const missingProgram = (program: string, debianPackage: string): string =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
    ? ''
    : `${program} of Debian's ${debianPackage} is missing`;

/** A server of another maker in a process of its own. */
export class ChildServer {
  readonly #program: string;
  readonly #args: readonly string[];
  /** What it logs when it accepts connections; the first group is handed on. */
  readonly #ready: RegExp;
  #process: ChildProcess | undefined;

  constructor(program: string, args: readonly string[], ready: RegExp) {
    this.#program = program;
    this.#args = args;
    this.#ready = ready;
  }

  /** Starts it; resolves with the first group of what says that it is ready. */
  async start(): Promise<string> {
    const child = spawn(this.#program, this.#args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    let output = '';
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`${this.#program} has ended: ${output}`)));
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = this.#ready.exec(output);
        if (found) resolve(found[1] ?? '');
      });
    });
  }

  /** Stops it where it is: its connections stay open, and nothing is answered. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  /** Lets it go on. */
  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
