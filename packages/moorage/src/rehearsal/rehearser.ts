import { type ChildProcess, spawn } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import type { RehearsalReport } from '@moorage/api';
import { type Clock, failure, minuteMs, realClock, success } from '@moorage/base';
import type { RehearsalInput, Rehearser } from '@moorage/service/extensions/rehearsals/rehearser';

/** What a rehearsal may take. */
const heapMebibytes = 1_024;
const longestMs = 15 * minuteMs;
/** Kept of what a process says of its failure. */
const troubleLimit = 4_096;

interface Settings {
  /** Starts the command line, without the program that runs it. */
  readonly program?: readonly string[];
  readonly clock?: Clock;
}

/** Writes what is rehearsed into a folder. Returns the flags that name it. */
async function writeInput(folder: string, input: RehearsalInput): Promise<string[]> {
  const { compare, devices, files, rollout, scenario, seeds, shape, version } = input;
  const write = async (name: string, bytes: string | Uint8Array): Promise<string> => {
    const path = join(folder, name);
    if (relative(folder, path).startsWith('..')) throw new Error(`File "${name}" lies outside of its bundle`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    return path;
  };
  for (const { bytes, filename } of files) await write(join('files', filename), bytes);
  const fleet =
    scenario === undefined
      ? ['--shape', await write('shape.json', JSON.stringify(shape))]
      : ['--scenario', await write('scenario.json', JSON.stringify(scenario))];
  return [
    ...['--rollout', await write('rollout.json', JSON.stringify(rollout)), '--bundle-version', version],
    ...fleet,
    // Without files of its own a bundle has those of the example.
    ...(files.length > 0 ? ['--bundle', join(folder, 'files')] : []),
    ...['--devices', String(devices), '--seeds', String(seeds), ...(compare ? ['--compare'] : [])],
    ...['--html', join(folder, 'report.html'), '--json'],
  ];
}

/** The settings of this process are not those of the rehearsal. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MOORAGE_')));

/** Starts one, which gives way to everything else and ends with this process. */
function launch(program: readonly string[], args: readonly string[]): ChildProcess {
  const command = [`--max-old-space-size=${heapMebibytes}`, ...program, 'rehearse', ...args];
  const child = spawn(process.execPath, command, {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // A system that does not let it shares the machine as it likes.
  }
  return child;
}

type Event =
  | { readonly event: 'progress'; readonly percent: number }
  | ({ readonly event: 'run' } & RehearsalReport['runs'][number])
  | ({ readonly event: 'report' } & Omit<RehearsalReport, 'runs'>);

/** What a line reports; nothing when its process was killed while it wrote it. */
function eventIn(line: string): Event | undefined {
  try {
    // Safe: this program wrote it.
    return JSON.parse(line) as Event;
  } catch {
    return undefined;
  }
}

/** Reads what a process reports until it has ended. */
async function follow(child: ChildProcess, onPercent: (percent: number) => void) {
  const runs: RehearsalReport['runs'] = [];
  let summary: Omit<RehearsalReport, 'runs'> | undefined;
  let trouble = '';
  // First of all: where no process can be started there is no output either.
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(exit ?? signal));
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    trouble = (trouble + text).slice(-troubleLimit);
  });
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { event, ...data } = eventIn(line) ?? {};
      if (event === 'progress' && 'percent' in data) onPercent(data.percent);
      if (event === 'run' && 'seed' in data) runs.push(data);
      if (event === 'report' && 'spread' in data) summary = data;
    });
  const code = await ended;
  return { code, trouble, report: summary && { ...summary, runs } };
}

const folderPrefix = 'moorage-rehearsal-';

/** Removes the files of rehearsals whose service was killed; those of others that run are younger. */
async function removeLeftovers(nowMs: number): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const path = join(tmpdir(), name);
    const found = await lstat(path).catch(() => undefined);
    // What cannot be removed is another user's.
    if (found && found.mtimeMs < nowMs - 2 * longestMs)
      await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Rehearses in a process of its own, with little priority, bounded memory and time. */
export const processRehearser = ({
  clock = realClock,
  program = [...process.execArgv, process.argv[1] ?? ''],
}: Settings = {}): Rehearser => ({
  async mistakeIn(scenario) {
    const { parseScenario } = await import('@moorage/fleet/scenario');
    const parsed = parseScenario(JSON.stringify(scenario));
    return parsed.ok ? undefined : parsed.error;
  },
  async rehearse(input, { onPercent, signal }) {
    await removeLeftovers(clock.now());
    const folder = await mkdtemp(join(tmpdir(), folderPrefix));
    try {
      const args = await writeInput(folder, input);
      if (signal.aborted) return failure('It was stopped');
      const child = launch(program, args);
      const kill = (): void => void child.kill('SIGKILL');
      let isLate = false;
      const cancel = clock.after(longestMs, () => {
        isLate = true;
        kill();
      });
      signal.addEventListener('abort', kill, { once: true });
      const { code, report, trouble } = await follow(child, onPercent).finally(() => {
        cancel();
        signal.removeEventListener('abort', kill);
      });
      if (isLate) return failure(`It was not over after ${longestMs / minuteMs} minutes`);
      if (code === 0 && report) return success({ report, page: await readFile(join(folder, 'report.html'), 'utf8') });
      const said = /^moorage: (.*)$/m.exec(trouble)?.[1]?.replaceAll(`${folder}/`, '');
      return failure(said ?? `Its process ended with ${code}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
