// Programs and libraries that are not ours at the module's serial port. What is not there is skipped.
import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { realClock, unwrap } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { nodeNet } from '@moorage/net/node';
import { SerialPort } from 'serialport';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../src/module.ts';
import { offlinePersonality } from '../src/testing/offline.ts';
import { openSerial } from '../src/transports/open.ts';
import { defaultAir } from '../src/wlan/air.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });

async function servedModule(serial: string, ...settings: string[]): Promise<{ module: Module; address: string }> {
  const module = await createModule({
    clock: realClock,
    store: new MemoryStore(),
    net,
    seed: 1,
    personality: offlinePersonality,
  });
  await module.boot();
  cleanups.push(() => module.close());
  for (const setting of settings) expect(await module.execute(`set ${setting}`)).toMatchObject({ code: 0 });
  const port = unwrap(await openSerial(serial, module));
  cleanups.push(() => port.close());
  return { module, address: port.address ?? '' };
}

describe('the serialport package on the pseudo-terminal', () => {
  const all = Buffer.from(Array.from({ length: 4096 }, (_, at) => at & 0xff));

  async function opened(baudRate: number) {
    const { module, address } = await servedModule('pty', 'system.cmd.mode machine');
    // Settings of the terminal are the host's own: any rate is the right one.
    const port = new SerialPort({ path: address, baudRate, parity: 'even', autoOpen: false });
    await new Promise<void>((resolve, reject) => port.open((error) => (error ? reject(error) : resolve())));
    cleanups.push(() => new Promise<void>((resolve) => port.close(() => resolve())));
    const received = { bytes: Buffer.alloc(0) };
    port.on('data', (bytes: Buffer) => {
      received.bytes = Buffer.concat([received.bytes, bytes]);
    });
    return { port, received, module };
  }

  test.each([9600, 115_200, 921_600])('opened at %i it carries commands and any bytes', async (baudRate) => {
    const { port, received } = await opened(baudRate);
    port.write(`file_create a ${all.length}\n`);
    port.write(all);
    port.write('file_open a\n');
    const ready = 'R000014\r\nFile created\r\nR000003\r\n0\r\n';
    await expect.poll(() => received.bytes.toString('latin1')).toBe(ready);
    port.write('stream_read 0 4096\n');
    const expected = `${ready}R004098\r\n${all.toString('latin1')}\r\n`;
    await expect.poll(() => received.bytes.toString('latin1')).toBe(expected);
  });

  test('its calls for modem lines and draining do no harm', async () => {
    const { port, received } = await opened(115_200);
    // A pseudo-terminal has no such lines; whether the call fails is the system's affair.
    await new Promise<void>((resolve) => port.set({ dtr: true, rts: true }, () => resolve()));
    await new Promise<void>((resolve) => port.flush(() => resolve()));
    port.write('get bus.mode\n');
    await new Promise<void>((resolve) => port.drain(() => resolve()));
    await expect.poll(() => received.bytes.toString('latin1')).toBe('R000009\r\ncommand\r\n');
  });
});

/** Python that has pyserial: of the environment, or the system's. */
const python = [process.env.TEST_PYTHON ?? 'python3', 'python3'].find(
  (command) => spawnSync(command, ['-c', 'import serial.rfc2217']).status === 0,
);

const program = `
import serial, sys
port = serial.serial_for_url(sys.argv[1], baudrate=9600, parity='E', bytesize=7, timeout=0.3, rtscts=False)
port.write(b'get bus.mode\\n')
print('wrong', b'command' in port.read(200))
port.baudrate = 115200
port.parity = 'N'
port.bytesize = 8
port.stopbits = 2
port.timeout = 5
port.write(b'\\n')
port.read(9)
port.reset_input_buffer()
port.write(b'get bus.mode\\n')
while True:
    line = port.readline()
    if line in (b'', b'command\\r\\n'): break
print('right', line)
port.rts = False
port.dtr = False
print('lines', port.cts, port.dsr, port.cd, port.ri)
port.rts = True
port.rtscts = True
port.send_break(0.01)
port.write(b'get bus.data_bus\\n')
while True:
    line = port.readline()
    if line in (b'', b'uart0\\r\\n'): break
print('after', line)
port.close()
`;

test.skipIf(python === undefined)(
  'pyserial sets rate, frame, lines and break by RFC 2217 (needs python3 with pyserial)',
  async () => {
    const { address } = await servedModule('rfc2217:127.0.0.1:0', 'system.cmd.mode machine');
    const url = address.replace('rfc2217:', 'rfc2217://');
    const child = spawn(python ?? '', ['-c', program, url], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
    });
    child.stderr.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(printed.trim().split('\n')).toEqual([
      'wrong False',
      "right b'command\\r\\n'",
      'lines True True True False',
      "after b'uart0\\r\\n'",
    ]);
  },
);

// MOD-VAR-bus.mode
test('stream mode carries a MiB each way between two sockets, and a slow reader loses nothing', async () => {
  const content = Buffer.from(Array.from({ length: 1 << 20 }, (_, at) => (at * 7 + (at >> 8)) & 0xff));
  const far = Promise.withResolvers<Duplex>();
  const server = unwrap(await net.listen(0, ({ stream }) => far.resolve(stream)));
  cleanups.push(() => server.close());
  const open = defaultAir.accessPoints.find(({ security }) => security === 'open')?.ssid;
  const settings = ['bus.mode stream', `wlan.ssid "${open}"`, 'system.print_level 0'];
  const { module, address } = await servedModule('tcp:127.0.0.1:0', ...settings);
  await module.execute('save');
  await module.reboot();
  expect((await module.execute(`tcp_client 127.0.0.1 ${server.port}`)).code).toBe(0);
  const near = connect({ port: Number(address.split(':').at(-1)), host: '127.0.0.1' });
  cleanups.push(() => near.destroy());
  const peer = await far.promise;
  cleanups.push(() => peer.destroy());
  const gather = (stream: Duplex): Buffer[] => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    return chunks;
  };
  const [up, down] = [gather(peer), gather(near)];
  // What comes from the network before a host is on the line is lost.
  near.write('first');
  await expect.poll(() => Buffer.concat(up.splice(0)).toString()).toBe('first');
  peer.pause();
  near.write(content);
  peer.write(content);
  await expect.poll(() => Buffer.concat(down).equals(content)).toBe(true);
  peer.resume();
  await expect.poll(() => Buffer.concat(up).equals(content)).toBe(true);
});

/** A free port of this machine. */
async function freePort(): Promise<number> {
  const listening = unwrap(await net.listen(0, () => {}));
  await listening.close();
  return listening.port;
}

/** A module with its terminal at a port of this machine. */
async function terminal(): Promise<{ module: Module; port: number }> {
  const port = await freePort();
  const open = defaultAir.accessPoints.find(({ security }) => security === 'open')?.ssid;
  const settings = [`remote_terminal.port ${port}`, 'remote_terminal.enabled 1', `wlan.ssid "${open}"`];
  const { module } = await servedModule('none', ...settings);
  unwrap(await module.wlan.ensureUp('wlan'));
  return { module, port };
}

const hasTelnet = spawnSync('telnet', ['--version']).error === undefined;

test.skipIf(!hasTelnet)('telnet talks to the remote terminal (needs telnet)', async () => {
  const { port } = await terminal();
  const child = spawn('telnet', ['-8', '127.0.0.1', String(port)], { stdio: ['pipe', 'pipe', 'pipe'] });
  cleanups.push(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (bytes: Buffer) => {
    printed += bytes.toString('latin1');
  });
  await expect.poll(() => printed).toMatch(/> $/);
  child.stdin.write('get bus.mode\n');
  await expect.poll(() => printed).toMatch(/command\r?\n> $/);
});

test('a bare socket talks to the remote terminal', async () => {
  const { module, port } = await terminal();
  const socket = connect({ port, host: '127.0.0.1' });
  cleanups.push(() => socket.destroy());
  let printed = '';
  socket.on('data', (bytes: Buffer) => {
    printed += bytes.toString('latin1');
  });
  socket.write('get bus.mode\r\n');
  await expect.poll(() => printed).toBe('> get bus.mode\r\ncommand\r\n> ');
  await module.wlan.down('wlan');
  await expect.poll(() => socket.closed).toBe(true);
});
