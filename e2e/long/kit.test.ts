import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const command = `${process.execPath} ${join(root, 'bin', 'moorage')}`;
const folder = mkdtempSync(join(tmpdir(), 'moorage-kit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly output: string;
}

/** Runs a program to its end, whatever that is. */
function ran(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd: folder, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output: stdout + stderr });
    });
  });
}

/** Where pytest is: with the first Python that has it. */
const pythons = ['python3', '/usr/bin/python3'];
let python: string | undefined;
for (const name of pythons) if ((await ran(name, ['-c', 'import pytest'])).code === 0) python ??= name;

test.skipIf(python === undefined)('pytest-moorage passes its tests (Debian: python3-pytest)', async () => {
  const client = join(root, 'clients', 'python');
  // Where the package is installed as well, pytest would load it twice.
  const alone = { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' };
  const env = { PYTHONPATH: join(client, 'src'), PYTHONDONTWRITEBYTECODE: '1', MOORAGE_COMMAND: command, ...alone };
  const pytest = (...args: readonly string[]) =>
    ran(python ?? '', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'pytest_moorage.plugin', ...args], env);

  // The example of its README stands beside them.
  const readme = readFileSync(join(client, 'README.md'), 'utf8');
  writeFileSync(join(folder, 'test_readme.py'), /```python\n(.*?)```/s.exec(readme)?.[1] ?? '');
  cpSync(join(client, 'tests'), join(folder, 'tests'), { recursive: true });
  expect(await pytest('tests', 'test_readme.py')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/\d+ passed/),
  });

  // What fails has the transcript, and settings of the module come from the configuration.
  writeFileSync(
    join(folder, 'test_failing.py'),
    'def test_quay(module):\n    module.send("version")\n    module.expect("Quay")\n',
  );
  const failed = await pytest('-o', 'moorage_module_args=--seed 7', 'test_failing.py');
  expect(failed.code).toBe(1);
  expect(failed.output).toContain('Transcript of the module');
  expect(failed.output).toContain('     0.000 > version');
});

const hasMypy = (await ran('mypy', ['--version'])).code === 0;

test.skipIf(!hasMypy)('pytest-moorage and its tests have types (Debian: mypy, python3-pytest)', async () => {
  const client = join(root, 'clients', 'python');
  // The decorators of older releases of pytest have no types.
  const args = [
    '--strict',
    '--allow-untyped-decorators',
    '--cache-dir',
    join(folder, 'mypy'),
    join(client, 'src'),
    join(client, 'tests'),
  ];
  expect(await ran('mypy', args)).toMatchObject({ code: 0, output: expect.stringContaining('no issues found') });
});

test('the action runs scripts, marks what fails and reports all', async () => {
  const action = join(root, 'actions', 'module-test');
  const passing = join(folder, 'passing.script');
  const failing = join(folder, 'failing.script');
  writeFileSync(passing, 'expect "[Ready]"\n');
  writeFileSync(failing, 'case a\nsend version\nexpect "Quay" within 1 s\ncase b\nreset\n');
  const files = { GITHUB_OUTPUT: join(folder, 'output'), GITHUB_STEP_SUMMARY: join(folder, 'summary') };
  const run = (inputs: Readonly<Record<string, string>>) =>
    ran('bash', [join(action, 'run.sh')], { INPUT_COMMAND: command, ...files, ...inputs });

  const one = await run({ INPUT_SCRIPTS: '*.script', INPUT_REPORTS: 'reports', INPUT_ARGS: '--seed 7' });
  expect(one.code).toBe(1);
  expect(one.output).toContain('::error file=failing.script,line=3::"Quay" did not come within 1000 ms');
  expect(readFileSync(files.GITHUB_OUTPUT, 'utf8')).toBe('reports=reports\nfailed=1\n');
  expect(readFileSync(files.GITHUB_STEP_SUMMARY, 'utf8')).toContain(
    '| `failing.script` | failed |\n| `passing.script` | passed |',
  );
  for (const name of ['failing.script.xml', 'passing.script.xml'])
    expect(existsSync(join(folder, 'reports', name))).toBe(true);

  expect((await run({ INPUT_SCRIPTS: 'passing.script' })).code).toBe(0);
  expect(await run({ INPUT_SCRIPTS: 'none/*.script' })).toMatchObject({
    code: 2,
    output: expect.stringContaining('No script fits'),
  });

  // Each input reaches the script under the name that it reads.
  const description = readFileSync(join(action, 'action.yml'), 'utf8');
  const script = readFileSync(join(action, 'run.sh'), 'utf8');
  const inputs = [...description.matchAll(/^ {2}(\w+):\n {4}description/gm)].map(([, name = '']) => name).slice(0, 5);
  for (const name of inputs) {
    expect(description).toContain(`INPUT_${name.toUpperCase()}: \${{ inputs.${name} }}`);
    expect(script).toContain(`INPUT_${name.toUpperCase()}`);
  }
});
