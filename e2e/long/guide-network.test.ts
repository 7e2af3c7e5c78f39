import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { bashArgs, guideEnv, hasPrograms } from '../bash.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

const helpers: ChildProcess[] = [];
const lines: Socket[] = [];
afterEach(() => {
  for (const line of lines.splice(0)) line.destroy();
  for (const helper of helpers.splice(0)) helper.kill('SIGKILL');
  killAll();
});

/** Addresses that no other test uses just now, in place of those of the guide. */
const network = `127.${30 + (process.pid % 200)}.${1 + ((process.pid >> 8) % 250)}.`;

/** Starts a program of the guide; what it prints is kept. */
function start(script: string): { readonly printed: () => string; readonly ended: Promise<unknown> } {
  const child = spawn('bash', [...bashArgs, '-c', script.replace(/^node /, 'exec node ')], {
    env: guideEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  helpers.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { printed: () => text, ended: once(child, 'exit') };
}

/** Resolves when a server listens there. */
async function listening(host: string, port: number): Promise<void> {
  const probe = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, host, () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
  await expect.poll(probe, { interval: 20 }).toBe(true);
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * What a line of output has to be. Tables are as wide as the addresses, and other tests may be found as well: of those
 * the row has to be there, wherever it is.
 */
function patternOf(line: string): string {
  if (line.startsWith('! ')) return '! .*\\r\\n';
  const exact = escaped(line);
  if (!line.startsWith('# ')) return `${exact}\\r\\n`;
  const cells = line.split(/ +/).slice(2).map(escaped);
  return `(?:#.*\\r\\n)*# +\\d+ +${cells.join(' +')}\\r\\n`;
}

/** A module on its serial line, whose lines of output come in the order of the guide. */
async function startModule(args: readonly string[]) {
  const program = moorage([...args, '--json']);
  const { serial } = await eventOf(program, 'ready');
  const [host = '', port = ''] = String(serial).slice('tcp:'.length).split(':');
  const line = connect(Number(port), host);
  await once(line, 'connect');
  lines.push(line);
  let received = '';
  line.on('data', (chunk: Buffer) => {
    received += chunk.toString();
  });
  /** Waits until these lines have come, and forgets what came up to there. */
  const hear = async (wanted: readonly string[]): Promise<void> => {
    const pattern = new RegExp(wanted.map(patternOf).join(''));
    await expect.poll(() => received, { interval: 5 }).toMatch(pattern);
    const { index, 0: found } = pattern.exec(received) ?? { index: 0, 0: '' };
    received = received.slice(index + found.length);
  };
  /** Plays a dialogue of the guide. */
  const play = async (dialogue: string): Promise<void> => {
    for (const part of dialogue.split(/^> /m).slice(1)) {
      const [typed = '', ...answer] = part.split('\n').slice(0, -1);
      const takesData = /^(stream_write|smtp_send) .*\d$/.test(typed);
      line.write(`${typed}\r${takesData ? answer.shift() : ''}`);
      await hear(answer);
    }
  };
  return { program, hear, play };
}

test.skipIf(!hasPrograms('bash'))('the network guide works as it stands (needs bash)', async () => {
  const guide = await readFile(new URL('../../docs/guide/network.md', import.meta.url), 'utf8');
  const own = guide.replaceAll('127.0.0.', network).replaceAll('quay-7', `quay-${process.pid}`);
  const blocks = [...own.matchAll(/^```(\w+)( second)?\n(.*?)^```$/gms)];
  const modules: Awaited<ReturnType<typeof startModule>>[] = [];
  const programs: ReturnType<typeof start>[] = [];
  const servers = [8099, 2525];
  for (const [, kind, second, text = ''] of blocks) {
    if (kind === 'module') modules.push(await startModule(text.trim().split(' ').slice(1)));
    else if (kind === 'dialogue') await modules[second ? 1 : 0]?.play(text);
    else if (kind === 'server' || kind === 'client') {
      programs.push(start(text));
      if (kind === 'server') await listening(`${network}9`, servers.shift() ?? 0);
      else await modules[0]?.hear(['[Opened: 0]']);
    }
    if (text.includes('network_restart')) await modules[0]?.hear(['[Associated]']);
  }
  expect(modules).toHaveLength(2);
  const [, client, mail] = programs;
  await client?.ended;
  expect(client?.printed()).toBe('hello');
  expect(mail?.printed()).toMatch(/^From: Quay 7 <quay7@home\.test>.*^Subject: Water level.*^-125 cm/ms);
  for (const { program } of modules) {
    program.process.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  }
});
