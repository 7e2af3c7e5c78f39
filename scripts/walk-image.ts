// Walks the steps of deploy/Dockerfile in folders, where no container engine is at hand, and has the image's program bring a
// module to its update. `npm run walk:image [-- BASE]`: BASE is a folder with the base, which debootstrap makes otherwise.
// As root on Linux, with mount namespaces.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import { type Instruction, readDockerfile, readList, readPairs, type Stage } from './support/dockerfile.ts';
import { root } from './support/project.ts';

/** Suites of Debian by the number of their release. */
const suites: Readonly<Record<string, string>> = { '12': 'bookworm', '13': 'trixie' };

const work = mkdtempSync(join(tmpdir(), 'moorage-image-'));
const seconds = (fromMs: number): string => `${((performance.now() - fromMs) / 1000).toFixed(0)} s`;

// A signal ends the step that runs: what it has made is removed, as after a failure.
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

async function run(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 2, 2], signal: stopped.signal, killSignal: 'SIGKILL' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} has ended with exit code ${code}`);
}

/** The folder of an image of Debian: debootstrap makes it. */
async function makeBase(image: string): Promise<string> {
  const [, release = ''] = /^debian:(\d+)[\d.]*-slim$/.exec(image) ?? [];
  const suite = suites[release];
  if (suite === undefined) throw new Error(`${image} is no release of Debian that is known here`);
  const folder = join(work, 'base');
  await run('debootstrap', ['--variant=minbase', suite, folder]);
  return folder;
}

interface Walked {
  readonly folder: string;
  readonly env: Record<string, string>;
  directory: string;
  user: string;
  /** The last of these that a stage has. */
  readonly settings: Map<string, string>;
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** A certificate authority that this machine's network asks for; it is of the walk and not of the image. */
const extraCa = process.env.NODE_EXTRA_CA_CERTS;
const extraCaInside = '/run/extra-ca.pem';

/**
 * The command that runs another with a folder as its root and processes of its own. With `writable`, it can write to these
 * folders alone.
 */
function inside(
  { folder, env, directory, user }: Walked,
  command: readonly string[],
  writable?: readonly string[],
): string[] {
  const mounts = [
    ...(writable ? [`mount --bind ${folder} ${folder}`] : []),
    `mount --rbind /dev ${folder}/dev`,
    `mount -t proc proc ${folder}/proc`,
    ...(writable ?? []).map((each) => `mount -t tmpfs -o mode=1777 tmpfs ${folder}${each}`),
    ...(writable ? [`mount -o remount,bind,ro ${folder}`] : []),
  ];
  const variables = Object.entries({ PATH: path, HOME: '/tmp', ...env }).map(([name, value]) => `${name}=${value}`);
  // The directory is entered by a shell of the image, which then is the program.
  const entered = ['env', '-i', ...variables, '/bin/sh', '-c', 'cd "$0" && exec "$@"', directory, ...command];
  const script = `${mounts.join(' && ')} && exec chroot --userspec=${user} ${folder} "$@"`;
  return ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', script, 'sh', ...entered];
}

async function copyInto(at: Walked, { flags, text }: Instruction, stages: ReadonlyMap<string, Walked>): Promise<void> {
  const [source = '', target = ''] = text.split(/\s+/);
  const place = join(at.folder, resolve(at.directory, target));
  const from = stages.get(flags.from ?? '');
  if (from) {
    rmSync(place, { recursive: true, force: true });
    await run('cp', ['-a', join(from.folder, source), place]);
    if (flags.chown !== undefined) await run('chown', ['-R', flags.chown, place]);
    return;
  }
  if (source !== '.') throw new Error(`COPY ${text}: only the whole clone is copied here`);
  // What .dockerignore leaves over: the sources.
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const files = listed.toString().split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(root, name))))
    cpSync(join(root, file), join(place, file));
}

async function walkStep(at: Walked, step: Instruction, stages: ReadonlyMap<string, Walked>): Promise<void> {
  const { name, text } = step;
  if (name === 'RUN') {
    const extra = extraCa === undefined ? {} : { NODE_EXTRA_CA_CERTS: extraCaInside };
    const [command = '', ...args] = inside({ ...at, env: { ...at.env, ...extra } }, ['/bin/sh', '-ec', text]);
    await run(command, args);
  } else if (name === 'COPY') await copyInto(at, step, stages);
  else if (name === 'ENV' || name === 'ARG') Object.assign(at.env, readPairs(text));
  else if (name === 'WORKDIR') {
    at.directory = text;
    mkdirSync(join(at.folder, text), { recursive: true });
  } else if (name === 'USER') at.user = text;
  else at.settings.set(name, text);
}

async function walk(stage: Stage, base: string, stages: ReadonlyMap<string, Walked>): Promise<Walked> {
  const folder = join(work, stage.name ?? 'image');
  await run('cp', ['-a', base, folder]);
  cpSync('/etc/resolv.conf', join(folder, 'etc/resolv.conf'));
  if (extraCa !== undefined) cpSync(extraCa, join(folder, extraCaInside));
  const at: Walked = { folder, env: {}, directory: '/', user: '0:0', settings: new Map() };
  for (const step of stage.steps) {
    const fromMs = performance.now();
    await walkStep(at, step, stages);
    console.log(`${step.name} ${step.text.slice(0, 70)} (${seconds(fromMs)})`);
  }
  return at;
}

interface Composed {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly tmpfs: readonly string[];
}

/** What the compose file of one box says of the service, with the defaults of its variables. */
function readComposed(): Composed {
  const text = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8');
  return parse(text.replace(/\$\{\w+:-([^}]*)\}/g, '$1')).services.moorage;
}

/** Runs the program of the image as the compose file has it, with one module beside it, until an event of its output. */
async function reach(image: Walked, wanted: string): Promise<void> {
  const { environment, volumes, tmpfs } = readComposed();
  const entry = readList(image.settings.get('ENTRYPOINT') ?? '');
  // This machine may have others of them.
  const ports = { MOORAGE_PORT: '0', MOORAGE_DEVICE_PORT: '0', MOORAGE_OPS_PORT: '0' };
  const at = { ...image, env: { ...image.env, ...environment, ...ports } };
  const writable = [...volumes.map((volume) => volume.split(':')[1] ?? ''), ...tmpfs];
  const [command = '', ...args] = inside(at, [...entry, 'up', '--json'], writable);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as { readonly event: string; readonly ops?: string };
      if (event.event === 'ready') checkHealth(image, String(event.ops));
      if (event.event === wanted) return;
    }
    throw new Error(`The program ended before "${wanted}"`);
  } finally {
    // The group: its keeper waits through the signal for the program, which a death of the keeper would not reach.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    const [code] = await ended;
    console.log(`the program has ended with exit code ${code}`);
  }
}

/** The health check of the image says yes where the program listens. */
function checkHealth(image: Walked, ops: string): void {
  const check = readList(image.settings.get('HEALTHCHECK') ?? '').map((word) =>
    word.replace('http://127.0.0.1:9090', ops),
  );
  const [command = '', ...args] = inside(image, check, []);
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The health check fails: ${stderr}`);
  console.log('the health check passes');
}

const fromMs = performance.now();
try {
  const stages = readDockerfile(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8'));
  const given = process.argv[2];
  const base = given === undefined ? await makeBase(stages[0]?.from ?? '') : resolve(given);
  const walked = new Map<string, Walked>();
  for (const stage of stages) walked.set(stage.name ?? 'image', await walk(stage, base, walked));
  const image = walked.get('image');
  if (!image) throw new Error('The Dockerfile has no last stage');
  const startMs = performance.now();
  await reach(image, 'updated');
  console.log(
    `the image's program has brought a module to its update (${seconds(startMs)}, ${seconds(fromMs)} in all)`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
