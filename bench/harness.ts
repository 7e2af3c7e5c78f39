import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** How one thing is measured. What is asked of its findings is in `goals.ts`. */
export type Benchmark = () => Promise<readonly Finding[]>;

/** One compared pair: `ours` and `theirs` in the same unit, one value for each round. */
export interface Finding {
  readonly label: string;
  readonly beside: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
};

/** Rounds of both sides in turn, so that a machine that slows down slows both. */
export async function interleave(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<{ ours: number[]; theirs: number[] }> {
  const result = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    const pair = [await ours(), await theirs()] as const;
    // The first round warms both up and is not counted.
    if (round === 0) continue;
    result.ours.push(pair[0]);
    result.theirs.push(pair[1]);
  }
  return result;
}

/** A server of a benchmark, in a process of its own. */
export interface Peer {
  readonly ready: Record<string, unknown>;
  readonly process: ChildProcess;
  /** Kills it. */
  stop(): Promise<void>;
  /** Closes its input, at which some clean up and go. */
  end(): Promise<void>;
}

/** Starts a file of this folder (or any script) and waits for its first line, a JSON object. */
export async function startPeer(script: string, args: readonly string[] = []): Promise<Peer> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  // The service of a unit or an image has the second flag, too.
  const flags = ['--expose-gc', '--max-semi-space-size=16'];
  const child = spawn(process.execPath, [...flags, path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const first = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${script} ended with code ${code} before it was ready`)));
  });
  return {
    ready: JSON.parse(first) as Record<string, unknown>,
    process: child,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

/** Resident memory of a process in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const pages = Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]);
  return pages * 4096;
}
