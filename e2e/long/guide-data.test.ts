import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';
import { linkClone } from '../guide.ts';

const shells: ChildProcess[] = [];
const lines: Socket[] = [];
afterEach(() => {
  for (const line of lines.splice(0)) line.destroy();
  for (const shell of shells.splice(0)) shell.kill('SIGKILL');
  killAll();
});

/** A shell that keeps its variables from block to block, and ends at the first failure. */
function startShell(cwd: string) {
  const shell = spawn('bash', bashArgs, { cwd, env: guideEnv(), stdio: ['pipe', 'pipe', 'pipe'] });
  shells.push(shell);
  let printed = '';
  let errors = '';
  shell.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  shell.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let ended = false;
  shell.on('close', () => {
    ended = true;
  });
  /** What a block prints. */
  return async (block: string): Promise<string> => {
    printed = '';
    shell.stdin.write(`${block}\necho __done__\n`);
    await expect.poll(() => ended || printed.includes('__done__'), { interval: 5, message: block }).toBe(true);
    expect(ended ? `${block}\n${printed}${errors}` : '').toBe('');
    return printed.replace('__done__\n', '');
  };
}

/** What comes back for a line of the guide: every byte, with anything in place of `<…>`. */
function expected(line: string, data: string, answer: readonly string[], restarts: boolean): RegExp {
  const escaped = (text: string): string =>
    text
      .split(/<[^>]+>/)
      .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
      .join('[^\\r\\n]+?');
  const printed = [line, ...answer].map((each, index) => `${escaped(index === 1 ? data + each : each)}\r\n`);
  // While the module starts again, the prompt and the lines of its join come as they may.
  return new RegExp(`^${printed.join('')}${restarts ? '' : '> $'}`);
}

/** A person at the serial line. */
async function startTyping(serial: string) {
  const [host = '', port = ''] = serial.slice('tcp:'.length).split(':');
  const line = connect(Number(port), host);
  await once(line, 'connect');
  lines.push(line);
  let received = '';
  line.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  return async (dialogue: string): Promise<void> => {
    for (const part of dialogue.split(/^> /m).slice(1)) {
      const [typed = '', ...rest] = part.split('\n').slice(0, -1);
      const size = Number(/^stream_write \d+ (\d+)$/.exec(typed)?.[1] ?? 0);
      const data = (rest[0] ?? '').slice(0, size);
      const answer = rest.map((each, index) => (index === 0 ? each.slice(size) : each));
      received = '';
      line.write(`${typed}\r${data}`);
      const wanted = expected(typed, data, answer, answer.includes('[Ready]'));
      await expect.poll(() => received, { interval: 5 }).toMatch(wanted);
    }
  };
}

test.skipIf(!hasPrograms('curl', 'bash'))('the data guide works as it stands (needs curl and bash)', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const places = ['--data', join(folder, 'data'), '--port', '0', '--device-port', '0', '--serial', 'tcp:127.0.0.1:0'];
  const program = moorage(['up', ...places, '--json'], { MOORAGE_ADMIN_PASSWORD: 'correct horse' });
  const { api, serial } = await eventOf(program, 'ready');
  await eventOf(program, 'updated');
  await linkClone(folder);
  const run = startShell(folder);
  const type = await startTyping(String(serial));
  const guide = await readFile(new URL('../../docs/guide/data.md', import.meta.url), 'utf8');
  const printed: string[] = [];
  for (const [, kind, block = ''] of guide.matchAll(/^```(sh|dialogue)\n(.*?)^```$/gms)) {
    if (kind === 'sh') printed.push(await run(block.replace('http://127.0.0.1:8080', String(api))));
    else await type(block);
  }
  expect(printed).toEqual([
    '',
    'true\n',
    'warm, dry\n1\n',
    '',
    expect.stringMatching(/^event: samples\ndata: \[\{"name":"temp","at":"\d+","value":22\.25\}\]\n$/),
    '23\n',
    '1\n',
    '15\n',
    'It is open\n',
    '0\n',
  ]);
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  await rm(folder, { recursive: true });
});
