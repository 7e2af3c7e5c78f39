import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';

/** Whether a program of that name can be run. */
export const hasProgram = (name: string): boolean => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

/** The first of the programs that is not there, as a reason to skip a test; empty when all are. */
export const missingProgram = (...names: readonly string[]): string => {
  const missing = names.find((name) => !hasProgram(name));
  return missing === undefined ? '' : `${missing} is not there`;
};

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

/** A program that runs until it is stopped. */
export interface Background {
  /** Everything that it has said. */
  readonly said: () => string;
  readonly child: ChildProcess;
  /** Resolves when it has gone. */
  stop(): Promise<void>;
}

/** Words before a command by which the system ends the program when the test is killed. */
const endsWithTest = hasProgram('setpriv') ? ['setpriv', '--pdeathsig', 'TERM', '--'] : [];

/** Starts a program; resolves when it has said `ready`, and rejects when it ends or `timeoutMs` pass before that. */
export function background(
  command: string,
  args: readonly string[],
  ready: RegExp,
  timeoutMs = 20_000,
): Promise<Background> {
  const [first, ...rest] = [...endsWithTest, command, ...args];
  const child = spawn(first ?? command, rest);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let text = '';
  const started: Background = {
    said: () => text,
    child,
    stop: () => {
      // Its standard output is closed with it, so that a grandchild is waited for as well.
      child.kill('SIGTERM');
      return closed;
    },
  };
  return new Promise((resolve, reject) => {
    const give = (): void => {
      child.kill('SIGKILL');
      reject(new Error(`${command} ${args.join(' ')} was not ready: ${text}`));
    };
    const timer = setTimeout(give, timeoutMs);
    child.once('error', reject);
    child.once('close', give);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (!ready.test(text)) return;
        clearTimeout(timer);
        child.off('close', give);
        resolve(started);
      });
    }
  });
}

/** A port of an address that nothing has just now, for a program that cannot say which it has chosen. */
export function freePort(address: string, kind: 'tcp' | 'udp'): Promise<number> {
  return new Promise((resolve, reject) => {
    if (kind === 'udp') {
      const socket = createSocket('udp4').once('error', reject);
      socket.bind(0, address, () => {
        const { port } = socket.address();
        socket.close(() => resolve(port));
      });
      return;
    }
    const server = createServer().once('error', reject);
    server.listen(0, address, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
