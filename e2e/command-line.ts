import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../bin/moorage', import.meta.url));

/** Nothing of a test may leave the machine: modules do not ask for network time. */
const offline = { MOORAGE_PERSONALITY: fileURLToPath(new URL('offline.json', import.meta.url)) };

/** A running `moorage`, read line by line. */
export interface Moorage {
  readonly process: ChildProcess;
  /** Lines of standard output so far. */
  readonly lines: readonly string[];
  /** All of standard error so far. */
  readonly errors: () => string;
  /** The first line, from now or before, that `wanted` takes; rejects when the process ends without one. */
  line(wanted: (line: string) => boolean): Promise<string>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

const running = new Set<ChildProcess>();

/**
 * Starts `moorage`, that of another version by its `program`, with these arguments; `input` is all that it can read.
 * `killAll` ends what a failing test leaves behind.
 */
export function moorage(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: string = entry,
  input = '',
): Moorage {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...offline, ...env },
  });
  running.add(child);
  // One that reads nothing may be gone before it is written.
  child.stdin.on('error', () => {}).end(input);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const look of waiting) look();
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal ?? 0);
      for (const look of waiting) look();
    });
  });
  return {
    process: child,
    lines,
    errors: () => errors,
    ended,
    line: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find(wanted);
          if (found === undefined && running.has(child)) return;
          waiting.delete(look);
          if (found === undefined) reject(new Error(`moorage ended early\n${lines.join('\n')}\n${errors}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Ends every process that is still there. */
export function killAll(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** The event of this name in `--json` output. */
export async function eventOf(program: Moorage, name: string): Promise<Record<string, unknown>> {
  const line = await program.line((text) => text.startsWith(`{"event":"${name}"`));
  return JSON.parse(line) as Record<string, unknown>;
}
