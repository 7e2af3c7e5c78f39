import { spawn, spawnSync } from 'node:child_process';

/** Whether a program of that name can be run. */
export const hasProgram = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** Runs a program to its end, and gives back all that it has said. Killed after `timeoutMs`. */
export function output(command: string, args: readonly string[], timeoutMs = 100_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { timeout: timeoutMs, killSignal: 'SIGKILL' });
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}
