// `node scripts/run.mjs TOOL [ARG ...]`: sets the clone up, then runs a tool of node_modules/.bin, or a script of this
// repository, under the right Node. Must run on Node 20.

import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findRuntime, root, runUnder } from './runtime.mjs';
import { ensureConsoleBuilt, ensureInstalled } from './setup.mjs';

ensureInstalled(true);
const [tool = '', ...args] = process.argv.slice(2);
// Once, before the tests that open it start side by side; and for the package that it is a part of.
if (['vitest', 'scripts/package.ts', 'scripts/release.ts'].includes(tool)) ensureConsoleBuilt();
const binary = join(root, 'node_modules', '.bin', tool);
const target = existsSync(binary) ? realpathSync(binary) : join(root, tool);
// What the tool spawns must find the same Node first.
const path = [dirname(findRuntime() ?? process.execPath), join(root, 'node_modules', '.bin'), process.env.PATH].join(
  delimiter,
);
runUnder([target, ...args], { ...process.env, PATH: path });
