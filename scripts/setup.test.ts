import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { installation, type Locked } from './setup.mjs';
import { productFiles, targetOf } from './support/import-graph.ts';
import { readProject, root } from './support/project.ts';
import { importsOf, parse } from './support/source.ts';

const runs = { 'node_modules/runs': { version: '1.0.0' } };
const tool = { 'node_modules/tool': { version: '1.0.0', dev: true } };
const both = { 'node_modules/both': { version: '1.0.0', devOptional: true } };
const other = { 'node_modules/other': { version: '1.0.0', optional: true } };
const older = { 'node_modules/other': { version: '0.9.0', optional: true } };
const workspace = { '': {}, 'packages/one': {}, 'node_modules/@moorage/one': { link: true } };
const lock = { ...workspace, ...runs, ...tool, ...both, ...other };

const start = ['ci', '--omit=dev'];
const all = ['ci', '--include=dev'];
const add = ['install', '--no-save', '--include=dev'];

test.each<[string, Readonly<Record<string, Locked>> | undefined, string[] | undefined, string[] | undefined]>([
  ['nothing, as in a fresh clone or after a cut', undefined, start, all],
  ['what a start needs', runs, undefined, add],
  ['that, and what other systems have not', { ...runs, ...both, ...other }, undefined, add],
  ['everything', { ...runs, ...tool, ...both }, undefined, undefined],
  ['an older version', { 'node_modules/runs': { version: '0.9.0' } }, start, all],
  ['an older version, and tools', { 'node_modules/runs': { version: '0.9.0' }, ...tool, ...both }, all, all],
  // Such as the Node that runs it.
  ['an older version of what need not be there', { ...runs, ...older }, start, all],
])('with %s in place, a start and a tool install what they miss', (_, installed, forStart, forTool) => {
  expect(installation(lock, installed)).toEqual(forStart);
  expect(installation(lock, installed, true)).toEqual(forTool);
});

test('what a start installs has all that the programs and the build of the console import', () => {
  const locked: Readonly<Record<string, Locked>> = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ).packages;
  const project = readProject();
  const build = project.filter(({ path }) => path === 'packages/console/vite.config.ts');
  const missing = [...productFiles(project), ...build].flatMap((file) =>
    importsOf(parse(file)).flatMap(({ specifier, typeOnly }) => {
      if (typeOnly || /^node:|\.json$/.test(specifier) || targetOf(file.path, specifier) !== undefined) return [];
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      const workspaceFolder = file.path.split('/', 2).join('/');
      const entry = locked[`${workspaceFolder}/node_modules/${name}`] ?? locked[`node_modules/${name}`];
      return entry && !entry.dev ? [] : [`${dirname(file.path)} imports ${name}`];
    }),
  );
  expect(missing).toEqual([]);
});
