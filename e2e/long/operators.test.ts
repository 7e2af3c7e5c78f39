import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { dataFolder } from '../data-folder.ts';

const folder = dataFolder('operators');
const entry = fileURLToPath(new URL('../../bin/moorage', import.meta.url));
const admin = { MOORAGE_ADMIN_EMAIL: 'owner@example.com', MOORAGE_ADMIN_PASSWORD: 'a long password' };
afterEach(killAll);

/** Runs a program to its end. */
function ran(file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, input = '') {
  return new Promise<{ readonly code: unknown; readonly out: string }>((resolve) => {
    const options = { cwd: folder.path, env: { ...process.env, XDG_CONFIG_HOME: folder.path, ...env } };
    const child = execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, out: stdout + stderr }),
    );
    // A shell that has ended reads no more.
    child.stdin?.on('error', () => {}).end(input);
  });
}

const cli = (args: readonly string[], env?: Readonly<Record<string, string>>, input?: string) =>
  ran(process.execPath, [entry, ...args], env, input);

test("a maker's CI publishes a bundle with one line, logs follow it, and the console reaches the device", async () => {
  const up = ['up', '--data', join(folder.path, 'data'), '--port', '0', '--device-port', '0', '--json'];
  const running = moorage(up, admin);
  const { api } = await eventOf(running, 'ready');
  await eventOf(running, 'updated');
  const at = ['--api', String(api)];
  expect(await cli(['login', 'owner@example.com', ...at], {}, 'a long password\n')).toMatchObject({ code: 0 });
  // Its own token, as CI has one.
  const { services } = JSON.parse(readFileSync(join(folder.path, 'moorage', 'logins.json'), 'utf8'));
  const ci = { MOORAGE_API: String(api), MOORAGE_TOKEN: services[String(api)].token, XDG_CONFIG_HOME: '/nowhere' };

  const follow = spawn(process.execPath, [entry, 'logs', '--follow', '--type', 'bundle.state'], {
    env: { ...process.env, ...ci },
  });
  let followed = '';
  follow.stdout.setEncoding('utf8').on('data', (text: string) => {
    followed += text;
  });

  // That of the example: what comes from here on is followed.
  await expect.poll(() => followed).toMatch(/ bundle\.state .*\n$/);
  mkdirSync(join(folder.path, 'build'));
  writeFileSync(join(folder.path, 'build', 'page.html'), '<h1>Quay</h1>');
  const guide = readFileSync(new URL('../../docs/guide/operators.md', import.meta.url), 'utf8');
  const line = /^moorage (bundles create .*)$/m.exec(guide)?.[1]?.split(' ') ?? [];
  const published = await cli(line, ci);
  expect(published).toMatchObject({ code: 0, out: expect.stringContaining('is published, tagged beta') });
  await expect.poll(() => followed.match(/ bundle\.state /g)).toHaveLength(2);
  follow.kill('SIGINT');
  expect((await once(follow, 'close'))[0]).toBe(0);

  const devices = await cli(['devices', '--json'], ci);
  const { id } = JSON.parse(devices.out.split('\n')[0] ?? '') as { id: string };
  const piped = await cli(['console', id], ci, 'version\nget wlan.ssid\n');
  expect(piped).toMatchObject({ code: 0, out: expect.stringMatching(/^Moorage-.*\nharbour\n$/) });
  expect(await cli(['console', id], ci, 'get no.such\nversion\n')).toMatchObject({
    code: 1,
    out: expect.not.stringContaining('Moorage-'),
  });
  running.process.kill('SIGTERM');
  expect(await running.ended).toBe(0);
});

/** What a shell offers behind a line, where the shell is installed. */
const offers: Readonly<
  Record<string, (script: string, words: readonly string[]) => Promise<{ readonly out: string }>>
> = {
  bash: (script, words) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const lines = `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _moorage; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return ran('bash', ['--norc', '-c', lines]);
  },
  zsh: (script, words) => {
    const list = words.map((word) => `'${word}'`).join(' ');
    // Completion runs in an editor; the two commands of it that the function uses are stood in for.
    const stands = `compdef() { : }; _files() { echo FILES }; compadd() { [[ $1 == -- ]] && shift; local w; for w; do [[ $w == "$words[CURRENT]"* ]] && echo $w; done; return 0 }`;
    return ran('zsh', ['-f', '-c', `${stands}; source ${script}; words=(${list}); CURRENT=${words.length}; _moorage`]);
  },
  fish: (script, words) => ran('fish', ['--no-config', '-c', `source ${script}; complete -C '${words.join(' ')}'`]),
};

test.each(Object.keys(offers))('%s completes commands, groups, options and values', async (shell) => {
  const installed = (await ran(shell, ['--version'])).code === 0;
  if (!installed) return expect(installed, `${shell} is not installed (Debian: ${shell})`).toBe(false);
  const script = join(folder.path, `moorage.${shell}`);
  const made = await cli(['completion', shell]);
  expect(made.code).toBe(0);
  writeFileSync(script, made.out);
  const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { out } = (await offers[shell]?.(script, words)) ?? { out: '' };
    return out
      .split('\n')
      .filter(Boolean)
      .map((word) => word.split('\t')[0] ?? '');
  };
  expect(await offered('moorage', 'bu')).toEqual(['bundles']);
  expect([...(await offered('moorage', 'bundles', ''))].sort()).toEqual([
    'archive',
    'create',
    'list',
    'publish',
    'tag',
  ]);
  expect(await offered('moorage', 'bundles', 'create', '--pub')).toEqual(['--publish']);
  expect(await offered('moorage', 'module', '--jun')).toEqual(['--junit']);
  expect(await offered('moorage', 'module', '--timing', 'r')).toEqual(['real']);
  expect([...(await offered('moorage', 'completion', ''))].sort()).toEqual(
    expect.arrayContaining(['bash', 'fish', 'zsh']),
  );
  writeFileSync(join(folder.path, 'quay.script'), '');
  const files = await offered('moorage', 'module', '--script', 'qua');
  expect(files).toEqual([shell === 'zsh' ? 'FILES' : 'quay.script']);
});
