// Installs the packages of a fresh clone, once, and says so. Must run on Node 20.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './runtime.mjs';

const readJson = (...path) => {
  try {
    return JSON.parse(readFileSync(join(root, ...path), 'utf8'));
  } catch {
    return undefined;
  }
};

/** npm writes its own copy of the lockfile as the last step of an installation; a cut one leaves none or an older one. */
function isInstalled() {
  const wanted = readJson('package-lock.json')?.packages ?? {};
  const installed = readJson('node_modules', '.package-lock.json')?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      entry.link ||
      !path.startsWith('node_modules/') ||
      installed[path]?.version === entry.version,
  );
}

/** Installs what the lockfile names, unless it is there already. Ends the process when that fails. */
export function ensureInstalled() {
  if (isInstalled()) return;
  process.stderr.write('moorage: installing packages (once per clone, about 20 s) …\n');
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  // Everything goes to stderr: stdout belongs to the command that was asked for.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write(`moorage: npm ci failed${error ? `: ${error.message}` : ''}; see the lines above\n`);
    process.exit(status ?? 1);
  }
  process.stderr.write('moorage: packages are in place\n');
}
