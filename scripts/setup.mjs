// Installs the packages of a fresh clone, builds the console when its sources are newer, and says so. Must run on Node 20.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { demandLibrary, findRuntime, root } from './runtime.mjs';

const readJson = (...path) => {
  try {
    return JSON.parse(readFileSync(join(root, ...path), 'utf8'));
  } catch {
    return undefined;
  }
};

/** npm writes its own copy of the lockfile as the last step of an installation; a cut one leaves none or an older one. */
const installedPackages = () => readJson('node_modules', '.package-lock.json')?.packages;

/** Whether packages are those of the lockfile: all of them `withTools`, and otherwise those that a start needs. */
function isComplete(wanted, installed, withTools) {
  return Object.entries(wanted).every(([path, { version, link, dev, optional, devOptional }]) => {
    if (link || !path.startsWith('node_modules/') || (dev && !withTools)) return true;
    const has = installed[path];
    // One for another system is missing for good; of what is there no older version does.
    return has?.version === version || (!has && Boolean(optional || (devOptional && !withTools)));
  });
}

/** What npm has to do; nothing where all is there. Of packages none are known before the first installation has ended. */
export function installation(wanted, installed = {}, withTools = false) {
  if (isComplete(wanted, installed, withTools)) return undefined;
  const hasTools = Object.values(installed).some(({ dev }) => dev);
  if (!withTools && !hasTools) return ['ci', '--omit=dev'];
  // A service that runs meanwhile keeps its packages: `npm ci` would remove them before it installs any.
  return isComplete(wanted, installed, false) ? ['install', '--no-save', '--include=dev'] : ['ci', '--include=dev'];
}

/**
 * Installs what the lockfile names, unless it is there already: all of it `withTools`, and otherwise what a start needs.
 * Tools that are there stay. Ends the process when that fails.
 */
export function ensureInstalled(withTools) {
  const wanted = readJson('package-lock.json')?.packages ?? {};
  const needed = installation(wanted, installedPackages(), withTools);
  if (!needed) return;
  // Scripts of packages run under the Node that comes with them.
  demandLibrary();
  const what = withTools ? 'packages, with the tools of development' : 'packages';
  process.stderr.write(`moorage: installing ${what} (once per clone, under a minute) …\n`);
  const npm = process.env.npm_execpath;
  // Warnings are left out: they are about the older Node that installs, which is not the one that runs.
  const install = [...needed, '--loglevel=error'];
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, ...install]] : ['npm', install];
  // Everything goes to stderr: stdout belongs to the command that was asked for.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write(
      `moorage: npm ${install[0]} failed${error ? `: ${error.message}` : ''}; see the lines above\n`,
    );
    process.exit(status ?? 1);
  }
  process.stderr.write('moorage: packages are in place\n');
}

const consoleDir = join(root, 'packages', 'console');

/** The moment of the newest file in a folder or file, epoch milliseconds; 0 when there is none. */
function newestMs(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newestMs(join(path, name))));
}

/** What the built console is made from: its own sources, and those of the client that it calls the service with. */
const consoleSources = () => [
  ...['src', 'public', 'index.html', 'vite.config.ts', 'package.json'].map((name) => join(consoleDir, name)),
  join(root, 'packages', 'api', 'src'),
  join(root, 'packages', 'base', 'src'),
  join(root, 'package-lock.json'),
];

/**
 * Builds the console unless what is there is newer than all that it is made from. A build that fails leaves the older
 * one in place, and a service without any works all the same: it says so and goes on.
 */
export function ensureConsoleBuilt() {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const runtime = findRuntime();
  if (!runtime || !existsSync(vite) || !existsSync(join(consoleDir, 'index.html'))) return;
  const builtMs = newestMs(join(consoleDir, 'dist', 'index.html'));
  if (builtMs > Math.max(...consoleSources().map(newestMs))) return;
  process.stderr.write('moorage: building the console (after a change of its sources, about 5 s) …\n');
  // Beside the old one first: who is served from that one meanwhile finds it whole.
  const fresh = join(consoleDir, 'node_modules', `.build-${process.pid}`);
  const args = [vite, 'build', '--logLevel', 'warn', '--emptyOutDir', '--outDir', fresh];
  const { status, stdout, stderr } = spawnSync(runtime, args, {
    cwd: consoleDir,
    // On a terminal it would draw over the lines of everybody else.
    stdio: ['ignore', 'pipe', 'pipe'],
    // A test run says "test", and would have the slow variant of the libraries built.
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status === 0) {
    rmSync(join(consoleDir, 'dist'), { recursive: true, force: true });
    try {
      renameSync(fresh, join(consoleDir, 'dist'));
    } catch {
      // Another start was faster; what it has built is the same.
    }
    process.stderr.write('moorage: the console is built\n');
  } else process.stderr.write(`${stdout}${stderr}moorage: the console could not be built; see the lines above\n`);
  rmSync(fresh, { recursive: true, force: true });
}
