import { existsSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, PassThrough } from 'node:stream';
import { failure, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { afterEach, expect, test } from 'vitest';
import { openSlave } from '../../test/wires.ts';
import { attachSession } from '../bus/attach-session.ts';
import { createModule, type Module, type ModuleOptions } from '../module.ts';
import { loadPersonality } from '../personality/personality.ts';
import { openSerial, parseSerial, serialForms } from './open.ts';
import { openPty } from './pty.ts';
import { interruptSelf, openStdio } from './stdio.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function machineModule(options: Partial<ModuleOptions> = {}): Promise<Module> {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1, ...options });
  await module.execute('set system.cmd.mode machine');
  return module;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'serial-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Gathers what a stream delivers. */
function listen(stream: Duplex): { text: string } {
  const received = { text: '' };
  stream.on('data', (bytes: Buffer) => {
    received.text += bytes.toString('latin1');
  });
  return received;
}

async function dial(address: string | undefined): Promise<Socket> {
  const port = Number(address?.split(':').at(-1));
  const socket = connect({ port, host: '127.0.0.1' });
  cleanups.push(() => socket.destroy());
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

const answer = 'R000003\r\n0\r\n';
const question = 'get system.safemode\n';

test.each([
  ['pty', { kind: 'pty', link: undefined }],
  ['pty:/tmp/a:b', { kind: 'pty', link: '/tmp/a:b' }],
  ['tcp:127.0.0.1:0', { kind: 'tcp', host: '127.0.0.1', port: 0 }],
  ['tcp:localhost:65535', { kind: 'tcp', host: 'localhost', port: 65_535 }],
  ['rfc2217:127.0.0.1:2217', { kind: 'rfc2217', host: '127.0.0.1', port: 2217 }],
  ['tcp:[::1]:99', { kind: 'tcp', host: '::1', port: 99 }],
  ['tcp-connect:board.test:4444', { kind: 'tcp-connect', host: 'board.test', port: 4444 }],
  ['tty:/dev/ttyUSB0', { kind: 'tty', path: '/dev/ttyUSB0', baud: 115_200 }],
  ['tty:/dev/ttyUSB0,9600', { kind: 'tty', path: '/dev/ttyUSB0', baud: 9600 }],
  ['stdio', { kind: 'stdio' }],
  ['none', { kind: 'none' }],
])('parseSerial reads %j', (text, spec) => {
  expect(parseSerial(text)).toEqual({ ok: true, value: spec });
});

test.each([
  '',
  'pty:',
  'tty:',
  'tty:/dev/ttyS0,fast',
  'tcp-connect:4444',
  'tcp',
  'tcp:',
  'tcp:127.0.0.1',
  'tcp:127.0.0.1:',
  'tcp:127.0.0.1:65536',
  'tcp:127.0.0.1:-1',
  'tcp::80',
  'rfc2217:127.0.0.1',
  'rfc2217',
  'stdio:',
  'none:x',
  'usb',
  'PTY',
])('parseSerial refuses %j and names the forms', (text) => {
  expect(parseSerial(text)).toEqual({
    ok: false,
    error: `Serial port "${text}" is not one of ${serialForms.replaceAll('|', ', ')}`,
  });
});

test('openSerial none opens nothing', async () => {
  const port = unwrap(await openSerial('none', await machineModule()));
  expect(port.address).toBeUndefined();
  await port.close();
});

test('openSerial tcp serves several sessions of one board at its real port', async () => {
  const module = await machineModule();
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', module));
  cleanups.push(() => port.close());
  expect(port.address).toMatch(/^tcp:127\.0\.0\.1:[1-9]\d+$/);
  const [first, second] = [await dial(port.address), await dial(port.address)];
  const received = [listen(first), listen(second)];
  first.write(question);
  second.write('set wlan.ssid shared\n');
  await expect.poll(() => received.map(({ text }) => text)).toEqual([answer, 'R000008\r\nSet OK\r\n']);
  expect(module.variables.get('wlan.ssid')).toBe('shared');
});

test('openSerial tcp-connect calls until it is answered, and again when the other side has gone', async () => {
  const module = await machineModule();
  const heard: string[] = [];
  const calls: Socket[] = [];
  const server = createServer((socket) => {
    calls.push(socket);
    socket.on('error', () => {});
    socket.on('data', (bytes) => heard.push(bytes.toString('latin1')));
    socket.write(question);
  });
  const listening = (port: number) =>
    new Promise<number>((resolve) =>
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
  const free = await listening(0);
  await new Promise((resolve) => server.close(resolve));
  const port = unwrap(await openSerial(`tcp-connect:127.0.0.1:${free}`, module));
  cleanups.push(() => port.close());
  expect(port.address).toBe(`tcp-connect:127.0.0.1:${free}`);
  await listening(free);
  cleanups.push(() => server.close());
  await expect.poll(() => heard.join(''), { timeout: 5_000 }).toBe(answer);
  calls[0]?.resetAndDestroy();
  await expect.poll(() => heard.join(''), { timeout: 5_000 }).toBe(answer + answer);
  await port.close();
  await expect.poll(() => calls[1]?.destroyed).toBe(true);
});

test('openSerial tty puts the UART on a serial port of this machine', async () => {
  const wire = unwrap(await openPty(undefined));
  cleanups.push(() => wire.close());
  const received = listen(wire.stream);
  const port = unwrap(await openSerial(`tty:${wire.path},115200`, await machineModule()));
  cleanups.push(() => port.close());
  wire.stream.write(question);
  await expect.poll(() => received.text).toBe(answer);
});

test('openSerial tcp goes on after a connection that is reset in the middle of data', async () => {
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', await machineModule()));
  cleanups.push(() => port.close());
  const broken = await dial(port.address);
  broken.on('error', () => {});
  broken.write('file_create a 100\nhalf');
  broken.resetAndDestroy();
  const next = await dial(port.address);
  const received = listen(next);
  next.write(`file_create a 2\nhi${question}`);
  await expect.poll(() => received.text).toBe(`R000014\r\nFile created\r\n${answer}`);
});

test.each([
  ['tcp', {}, 'Too many connections: 16 are open'],
  ['rfc2217', { texts: { tooManyConnections: 'Full: {count}' } }, 'Full: 16'],
])('openSerial %s says why to the seventeenth client, in the words of the personality', async (kind, words, said) => {
  const personality = unwrap(loadPersonality(JSON.stringify(words)));
  const port = unwrap(await openSerial(`${kind}:127.0.0.1:0`, await machineModule({ personality })));
  cleanups.push(() => port.close());
  const clients: Socket[] = [];
  for (let count = 0; count < 16; count++) clients.push(await dial(port.address));
  const refused = await dial(port.address);
  refused.write(question.repeat(100));
  const received = listen(refused);
  const ended = new Promise((resolve) => refused.once('end', resolve));
  await ended;
  expect(received.text).toBe(`${said}\r\n`);
  clients[0]?.destroy();
  await expect
    .poll(async () => {
      const next = await dial(port.address);
      const answered = listen(next);
      next.write(question);
      await expect.poll(() => answered.text).not.toBe('');
      return answered.text.includes(answer);
    })
    .toBe(true);
});

test('openSerial tcp closes its connections and frees its port', async () => {
  const module = await machineModule();
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', module));
  const socket = await dial(port.address);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await port.close();
  await closed;
  const again = unwrap(await openSerial(port.address ?? '', module));
  expect(again.address).toBe(port.address);
  await again.close();
});

test('openSerial tcp sends a long answer whole to a reader that is slow', async () => {
  const module = await machineModule();
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', module));
  cleanups.push(() => port.close());
  const bytes = Buffer.alloc(900_000, 'abcdefg');
  await module.execute(`file_create -o big ${bytes.length}`);
  expect((await module.execute(`write 0 ${bytes.length}`, bytes)).code).toBe(0);
  await module.execute('file_open big');
  const socket = await dial(port.address);
  socket.pause();
  let received = '';
  const expected = Math.ceil(bytes.length / 64_000);
  socket.write(`${'read 0 64000\n'.repeat(expected)}${question}`);
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
  });
  // Time for the board to fill everything that lies between.
  for (let turns = 0; turns < 200; turns++) await new Promise(setImmediate);
  socket.resume();
  await expect.poll(() => received.endsWith(answer)).toBe(true);
  expect(received.length).toBe(bytes.length + expected * 11 + answer.length);
});

test.each([
  ['tcp:0.0.0.0:0', 'Address "0.0.0.0" is outside the loopback range; --listen-lan allows that'],
  ['tcp:no.such.host.invalid:0', 'Cannot find the address of "no.such.host.invalid"'],
  ['tcp:127.0.0.1:x', 'Serial port "tcp:127.0.0.1:x" is not one of pty[:LINK], tcp:HOST:PORT'],
  ['tty:/dev/no-such-port', '"/dev/no-such-port" cannot be opened: '],
])('openSerial refuses %j with a reason', async (text, error) => {
  expect(await openSerial(text, await machineModule())).toEqual({ ok: false, error: expect.stringContaining(error) });
});

test('openSerial listens beyond the loopback range only when that is asked for', async () => {
  const port = unwrap(await openSerial('tcp:0.0.0.0:0', await machineModule(), { listenLan: true }));
  cleanups.push(() => port.close());
  const socket = await dial(port.address);
  const received = listen(socket);
  socket.write(question);
  await expect.poll(() => received.text).toBe(answer);
});

test('openSerial names a port that is taken', async () => {
  const module = await machineModule();
  const port = unwrap(await openSerial('tcp:127.0.0.1:0', module));
  cleanups.push(() => port.close());
  const number = port.address?.split(':').at(-1);
  expect(await openSerial(port.address ?? '', module)).toEqual({
    ok: false,
    error: `Port ${number} on 127.0.0.1 is taken`,
  });
});

test('openSerial pty has a stable link, which replaces an older one and goes away at the end', async () => {
  const link = join(temporaryFolder(), 'serial');
  symlinkSync('/dev/pts/999999', link);
  const port = unwrap(await openSerial(`pty:${link}`, await machineModule()));
  expect(port.address).toBe(link);
  expect(readlinkSync(link)).toMatch(/^\/dev\/pts\/\d+$/);
  const slave = openSlave(link);
  const received = listen(slave);
  slave.write(question);
  await expect.poll(() => received.text).toBe(answer);
  slave.destroy();
  await port.close();
  expect(existsSync(link)).toBe(false);
});

test('openSerial pty does not remove a link that another module has taken over', async () => {
  const link = join(temporaryFolder(), 'serial');
  const module = await machineModule();
  const first = unwrap(await openSerial(`pty:${link}`, module));
  const second = unwrap(await openSerial(`pty:${link}`, module));
  await first.close();
  expect(existsSync(link)).toBe(true);
  await second.close();
});

test('openSerial pty refuses to replace a file that is no link, and a folder that is not there', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'precious');
  const module = await machineModule();
  expect(await openSerial(`pty:${file}`, module)).toEqual({
    ok: false,
    error: `Cannot make the link "${file}" to the pseudo-terminal: there is a file of that name`,
  });
  const missing = await openSerial(`pty:${folder}/none/link`, module);
  expect(missing.ok ? '' : missing.error).toContain('ENOENT');
});

test.each(['darwin', 'win32'] as const)('openPty says in one line that %s has none', async (platform) => {
  expect(await openPty(undefined, undefined, platform)).toEqual(
    failure('Pseudo-terminals are made on Linux alone; a TCP port works everywhere: --serial tcp:127.0.0.1:0'),
  );
});

test.each([
  ['win32', 'is told to its listeners'],
  ['linux', 'is a signal'],
] as const)('an interrupt of the terminal on %s %s', async (platform, _form) => {
  const interrupted = new Promise((resolve) => void process.once('SIGINT', resolve));
  interruptSelf(platform);
  expect(await interrupted).toBe('SIGINT');
});

test('openPty keeps its session while programs open and close the terminal', async () => {
  const port = unwrap(await openPty(undefined));
  cleanups.push(() => port.close());
  attachSession(await machineModule(), 'serial', port.stream);
  for (const part of ['get system.', 'safemode\n']) {
    const slave = openSlave(port.path);
    const received = listen(slave);
    slave.write(part);
    if (part.endsWith('\n')) await expect.poll(() => received.text).toBe(answer);
    else await new Promise((resolve) => port.stream.once('data', resolve));
    slave.destroy();
  }
});

test('openPty passes all byte values both ways', async () => {
  const port = unwrap(await openPty(undefined));
  cleanups.push(() => port.close());
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const slave = openSlave(port.path);
  cleanups.push(() => slave.destroy());
  const [up, down] = [listen(port.stream), listen(slave)];
  slave.write(all);
  port.stream.write(all);
  await expect.poll(() => [up.text, down.text]).toEqual([all.toString('latin1'), all.toString('latin1')]);
});

test('openPty holds back output that a present program does not read yet, and never blocks the process', async () => {
  const port = unwrap(await openPty(undefined, { retryMs: 1, unreadMs: 10, presentMs: 60_000 }));
  cleanups.push(() => port.close());
  const bytes = Buffer.alloc(300_000, 'abcdefg');
  const slave = openSlave(port.path);
  cleanups.push(() => slave.destroy());
  port.stream.resume();
  slave.write('present');
  await new Promise((resolve) => port.stream.once('data', resolve));
  const written = new Promise((resolve) => port.stream.write(bytes, resolve));
  // Longer than unread output would be kept.
  for (const start = performance.now(); performance.now() - start < 50; ) await new Promise(setImmediate);
  const received = listen(slave);
  await written;
  await expect.poll(() => received.text.length).toBe(bytes.length);
  expect(received.text).toBe(bytes.toString('latin1'));
});

test('openPty loses output that no program reads, so that a later one finds a clean line', async () => {
  const port = unwrap(await openPty(undefined, { retryMs: 1, unreadMs: 5, presentMs: 5 }));
  cleanups.push(() => port.close());
  await new Promise((resolve) => port.stream.write(Buffer.alloc(100_000, 'x'), resolve));
  for (const start = performance.now(); performance.now() - start < 50; ) await new Promise(setImmediate);
  const slave = openSlave(port.path);
  cleanups.push(() => slave.destroy());
  const received = listen(slave);
  port.stream.write('fresh');
  await expect.poll(() => received.text).toBe('fresh');
});

test('openStdio runs a session on the terminal of the process, and ends that when all has been answered', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let ends = 0;
  const stdio = openStdio(input, output, () => ends++);
  attachSession(await machineModule(), 'serial', stdio.stream);
  const received = listen(output);
  input.write(`${question}\x03`);
  await expect.poll(() => received.text).toBe(answer);
  expect(ends).toBe(0);
  const finished = new Promise((resolve) => stdio.stream.once('finish', resolve));
  input.end();
  await finished;
  expect(ends).toBe(1);
  expect(output.writableEnded).toBe(false);
  await stdio.close();
});

test('openStdio interrupts the process at Ctrl-C and leaves the terminal as it was', async () => {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  let interrupts = 0;
  const stdio = openStdio(input, new PassThrough(), () => interrupts++);
  const received = listen(stdio.stream);
  input.write('ls\x03dropped');
  await expect.poll(() => interrupts).toBe(1);
  await expect.poll(() => received.text).toBe('ls');
  await stdio.close();
  expect(raw).toEqual([true, false]);
});
