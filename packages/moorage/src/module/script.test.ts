import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveOptions } from '../command-line/options.ts';
import { openReporter } from '../command-line/output.ts';
import { moduleCommand } from '../commands/module.ts';
import { written } from '../testing/written.ts';
import { runSteps } from './script.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'moorage-script-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `moorage module --script` with these flags in this process; what it prints. */
async function run(script: string, flags: Record<string, string> = {}, json = false) {
  const file = join(folder, 'test.script');
  await writeFile(file, script);
  const sources = { flags: { script: file, ...flags }, env: {}, file: {} };
  const options = resolveOptions(moduleCommand.options, sources);
  if (!options.ok) throw new Error(options.error);
  const out = new PassThrough();
  const call = { options: options.value, sources, args: [], reporter: openReporter(json, out), json };
  const error = await moduleCommand.run(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { file, error, text: written(out) };
}

test('a script that passes says so, and its report is written', async () => {
  const junit = join(folder, 'report.xml');
  const { error, text } = await run('case greets\nexpect "[Ready]"\nwait 90 s\n', { junit });
  expect([error, text]).toEqual([undefined, 'ok      greets (90.000 s)\n1 case passed\n']);
  expect(await readFile(junit, 'utf8')).toContain('name="greets" time="90.000"');
});

test('a case that fails is exit code 1, with its place, reason and transcript, also in the report', async () => {
  const junit = join(folder, 'failed.xml');
  const script = 'case a\nsend version\nexpect "Quay" within 1 s\ncase b\nreset';
  const { error, text, file } = await run(script, { junit });
  expect(error).toMatchObject({ message: '1 of 2 cases failed', exitCode: 1 });
  expect(text).toContain(
    `FAILED  a (1.000 s)\n${file}:3: expect "Quay" within 1 s\n"Quay" did not come within 1000 ms`,
  );
  expect(text).toContain('     0.000 > version\n     0.000 < Moorage-');
  expect(text).toContain('ok      b (');
  expect(await readFile(junit, 'utf8')).toContain('failures="1"');
});

test('--json has an event for each case and one for all', async () => {
  const { text, file } = await run('case a\nwait 1 s\ncase b\nexpect pin 22 high within 2 s', {}, true);
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(events).toMatchObject([
    { event: 'case', name: 'a', ok: true, ms: 1_000 },
    { event: 'case', name: 'b', ok: false, ms: 2_000, line: 4, message: expect.stringContaining('Pin 22') },
    { event: 'script', file, cases: 2, failed: 1 },
  ]);
});

test.each([
  [{ flash: 'dir' }, 'Option --flash has no use with --script'],
  [{ from: 'module.zip' }, 'Option --from has no use with --script'],
  [{ serial: 'stdio' }, 'Option --serial cannot be stdio with --script'],
  [{ serial: 'usb' }, 'Serial port "usb" is not one of'],
  [{ control: '127.0.0.1:0', time: 'virtual' }, '--control runs in real time'],
  [{ script: '-', junit: 'x.xml' }, 'Option --junit has no use with steps'],
  [{ script: 'none.script' }, 'The script "none.script" cannot be read'],
  [{ time: 'virtual', service: 'https://localhost:8443' }, 'a script with --service'],
  [{ time: 'soon' }, 'Option --time is "soon"'],
])('%j is exit code 2', async (flags, message) => {
  const { error } = await run('reset', flags);
  expect(error).toMatchObject({ message: expect.stringContaining(message), exitCode: 2 });
});

test('what is wrong in a script is named by file, line and column', async () => {
  const { error, file } = await run('reset\nwait soon');
  expect(error).toMatchObject({ message: `${file}:2:6: A time such as 250 ms or 1.5 s is expected here`, exitCode: 2 });
});

test('the settings of a module hold: a personality, its own times, real time', async () => {
  const personality = join(folder, 'personality.json');
  await writeFile(personality, '{"timings":{"saveMs":120}}');
  const { error, text } = await run('send save\nexpect "Success" within 10 s', { personality });
  expect([error, text]).toEqual([undefined, 'ok      script (0.120 s)\n1 case passed\n']);
  expect((await run('send version\nexpect "Moorage-"', { time: 'real' })).error).toBeUndefined();
});

test('--junit without --script is refused', async () => {
  const { error } = await run('reset', { junit: 'x.xml', script: '' });
  expect(error).toMatchObject({ exitCode: 2 });
});

const plain = {
  serial: 'none',
  serial1: 'none',
  control: undefined,
  ip: '127.0.0.1',
  portOffset: 8000,
  listenLan: false,
  service: undefined,
  model: undefined,
  air: undefined,
  personality: undefined,
  cloudPrefix: undefined,
  time: 'virtual',
  timing: undefined,
  strict: false,
  seed: undefined,
};

/** Events of steps that come one by one. */
async function steps(lines: readonly string[], settings: Partial<typeof plain> = {}): Promise<readonly object[]> {
  const out = new PassThrough();
  const input = new PassThrough();
  input.end(lines.map((line) => `${line}\n`).join(''));
  await runSteps({ ...plain, ...settings }, input, openReporter(true, out));
  return written(out)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
}

test('each step that comes is replied to by one event, with what it found and what is new in the transcript', async () => {
  expect(
    await steps([
      'run get wlan.mac',
      'expect /\\[(Ready)\\]/',
      'expect "Quay" within 1 s',
      'bad',
      'case b',
      'wait 1 s',
    ]),
  ).toMatchObject([
    { event: 'step', ok: true, value: expect.stringMatching(/^..:/), ms: 0, transcript: { length: 5 } },
    { ok: true, value: ['[Ready]', 'Ready'], transcript: [] },
    { ok: false, message: expect.stringContaining('did not come within 1000 ms'), ms: 1_000 },
    { ok: false, message: expect.stringMatching(/^1: One of send/) },
    { ok: true, ms: 0, transcript: { length: 3 } },
    { ok: true, ms: 1_000 },
  ]);
});

test('with a serial line for others the module is reached by it again after a power cut', async () => {
  const events = await steps(['case a', 'cut power for 1 ms', 'run version'], {
    time: 'real',
    serial: 'tcp:127.0.0.1:0',
  });
  expect(events).toMatchObject([
    { event: 'ready', serial: expect.stringMatching(/^tcp:127\.0\.0\.1:\d+$/), control: null },
    { event: 'step', ok: true },
    { event: 'ready', serial: expect.stringMatching(/^tcp:/) },
    { event: 'step', ok: true },
    { event: 'step', ok: true, value: expect.stringContaining('Moorage-') },
  ]);
});
