import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { openSlave } from '../../packages/module/test/wires.ts';
import { eventOf, killAll, moorage } from '../command-line.ts';

/** One typed line of the guide, the data typed behind it, and the answer, line by line. */
interface Exchange {
  readonly line: string;
  readonly data: string;
  readonly answer: readonly string[];
  readonly machine: boolean;
}

/** How many bytes of data a command line announces. */
const dataBytes = (line: string): number =>
  Number(/^(?:file_create (?!-o)\S+|stream_write \d+) (\d+)/.exec(line)?.[1] ?? 0);

/** Everything typed in the blocks marked `dialogue` of a guide. */
async function dialoguesOf(guide: string): Promise<readonly Exchange[]> {
  const text = await readFile(new URL(`../../docs/guide/${guide}`, import.meta.url), 'utf8');
  return [...text.matchAll(/^```dialogue( machine)?\n(.*?)^```$/gms)].flatMap(([, machine, block = '']) =>
    block
      .split(/^> /m)
      .slice(1)
      .map((part) => {
        const [line = '', ...rest] = part.split('\n').slice(0, -1);
        const data = (rest[0] ?? '').slice(0, dataBytes(line));
        const answer = rest.map((each, index) => (index === 0 ? each.slice(data.length) : each));
        return { line, data, answer, machine: machine !== undefined };
      }),
  );
}

/** What comes back for an exchange, to the byte: echo and prompt for people, and neither for programs. */
function expected({ line, data, answer, machine }: Exchange, before: string): string {
  const echo = before === 'human' ? `${line}\r\n${data}` : '';
  const prompt = line.endsWith('mode machine') || (machine && !line.endsWith('mode human')) ? '' : '> ';
  return `${echo}${answer.map((each) => `${each}\r\n`).join('')}${prompt}`;
}

async function openLine(serial: string): Promise<Duplex> {
  if (!serial.startsWith('tcp:')) return openSlave(serial);
  const socket = connect({ port: Number(/\d+$/.exec(serial)?.[0]), host: '127.0.0.1' });
  await once(socket, 'connect');
  return socket;
}

afterEach(killAll);

test.each(['pty', 'tcp'])('the module guide says what a module answers, over %s', async (wire) => {
  const folder = await mkdtemp(join(tmpdir(), 'moorage-guide-'));
  const serial = wire === 'pty' ? `pty:${join(folder, 'serial')}` : 'tcp:127.0.0.1:0';
  const program = moorage(['module', '--seed', '7', '--serial', serial, '--json']);
  const ready = await eventOf(program, 'ready');
  const stream = await openLine(wire === 'pty' ? join(folder, 'serial') : String(ready.serial));
  let received = '';
  stream.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  let mode = 'human';
  const exchanges = await dialoguesOf('module.md');
  expect(exchanges.length).toBeGreaterThan(40);
  for (const exchange of exchanges) {
    const wanted = expected(exchange, mode);
    received = '';
    stream.write(`${exchange.line}\r${exchange.data}`);
    await expect.poll(() => received, { interval: 5, message: exchange.line }).toBe(wanted);
    mode = /mode (human|machine)$/.exec(exchange.line)?.[1] ?? mode;
  }
  stream.destroy();
  program.process.kill('SIGTERM');
  expect(await program.ended).toBe(0);
  await rm(folder, { recursive: true });
});
