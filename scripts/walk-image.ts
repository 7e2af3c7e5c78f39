// Builds deploy/Dockerfile with buildah, where no container engine is at hand, and has the image's program bring a module to its
// update with a root file system that is read-only. `npm run walk:image`; as root on Linux, with debootstrap for the base.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { root } from './support/project.ts';

interface ImageConfig {
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly User: string;
  readonly Healthcheck: { readonly Test: readonly [string, ...string[]] };
}

/** Suites of Debian by the number of their release. */
const suites: Readonly<Record<string, string>> = { '12': 'bookworm', '13': 'trixie' };
const work = mkdtempSync(join(tmpdir(), 'moorage-image-'));
// A signal ends the step that runs: what it has made is removed, as after a failure.
const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());
async function run(command: string, ...args: readonly string[]): Promise<string> {
  const options = { cwd: root, signal: stopped.signal, maxBuffer: 2 ** 28 } as const;
  return (await promisify(execFile)(command, args, options)).stdout.trim();
}
// Every layer is a plain folder, and steps run in a changed root: neither needs rights of a kernel that containers lack.
const store = ['--storage-driver', 'vfs', '--root', join(work, 'store'), '--runroot', join(work, 'run')];
const buildah = (...args: readonly string[]): Promise<string> => run('buildah', ...store, ...args);

/** The image that the Dockerfile begins with, by its own name, so that none is fetched. */
async function makeBase(image: string): Promise<void> {
  const [, release = ''] = /^debian:(\d+)[\d.]*-slim$/.exec(image) ?? [];
  const suite = suites[release];
  if (suite === undefined) throw new Error(`${image} is no release of Debian that is known here`);
  await run('debootstrap', '--variant=minbase', suite, join(work, 'base'));
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, join(work, 'base'), '/');
  // A certificate authority that this machine's network asks for is of the walk and not of the image.
  const extraCa = process.env.NODE_EXTRA_CA_CERTS;
  if (extraCa !== undefined) {
    await buildah('add', '--quiet', container, extraCa, '/run/extra-ca.pem');
    await buildah('config', '--env', 'NODE_EXTRA_CA_CERTS=/run/extra-ca.pem', container);
  }
  await buildah('commit', '--quiet', container, image);
}

/** The command that runs another in the image as its user. It can write to these folders alone. */
function inside(folder: string, { Env, User }: ImageConfig, writable: readonly string[], more: object = {}) {
  const mounts = [
    `mount --bind ${folder} ${folder}`,
    `mount --rbind /dev ${folder}/dev`,
    `mount -t proc proc ${folder}/proc`,
    ...writable.map((each) => `mount -t tmpfs -o mode=1777 tmpfs ${folder}${each}`),
    `mount -o remount,bind,ro ${folder}`,
  ];
  const variables = ['HOME=/tmp', ...Env, ...Object.entries(more).map(([name, value]) => `${name}=${value}`)];
  const script = `${mounts.join(' && ')} && exec chroot --userspec=${User} ${folder} env -i "$@"`;
  return ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', script, 'sh', ...variables];
}

/** Runs the program of the image as the compose file has it, with one module beside it, until its update has landed. */
async function reachUpdate(folder: string, config: ImageConfig): Promise<void> {
  const text = readFileSync(join(root, 'deploy', 'compose.yaml'), 'utf8').replace(/\$\{\w+:-([^}]*)\}/g, '$1');
  const { environment, volumes, tmpfs } = parse(text).services.moorage;
  const writable = [...volumes.map((volume: string) => volume.split(':')[1] ?? ''), ...tmpfs];
  // This machine may have others of them.
  const ports = { MOORAGE_PORT: '0', MOORAGE_DEVICE_PORT: '0', MOORAGE_OPS_PORT: '0' };
  const args = [...inside(folder, config, writable, { ...environment, ...ports }), ...config.Entrypoint];
  const child = spawn('unshare', [...args, 'up', '--json'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  const ended = once(child, 'exit');
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as { readonly event: string; readonly ops?: string };
      if (event.event === 'updated') return console.log("the image's program has brought a module to its update");
      if (event.event !== 'ready') continue;
      const check = config.Healthcheck.Test.slice(1).map((word) =>
        word.replace('http://127.0.0.1:9090', `${event.ops}`),
      );
      const { status, stderr } = spawnSync('unshare', [...inside(folder, config, []), ...check], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`The health check fails: ${stderr}`);
      console.log('the health check passes');
    }
    throw new Error('The program ended before its module was updated');
  } finally {
    // The group: its keeper waits through the signal for the program, which a death of the keeper would not reach.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

try {
  const [, base = ''] = /^FROM (\S+)/m.exec(readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8')) ?? [];
  await makeBase(base);
  const how = ['--pull-never', '--isolation', 'chroot', '--format', 'docker', '--quiet'];
  const image = (await buildah('bud', ...how, '--file', 'deploy/Dockerfile', '.')).split('\n').at(-1) ?? '';
  const config: ImageConfig = JSON.parse(await buildah('inspect', '--type', 'image', image)).Docker.config;
  await reachUpdate(await buildah('mount', await buildah('from', '--pull-never', image)), config);
} finally {
  rmSync(work, { recursive: true, force: true });
}
