import type { Duplex } from 'node:stream';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { attachSession } from '../bus/attach-session.ts';
import { createModule } from '../module.ts';
import { HostLine, PeerStream } from '../testing/bus-rig.ts';
import { defaultAir } from '../wlan/air.ts';
import { maxRefused } from './remote-terminal.ts';

/** A module that has joined with its terminal on, and a host in the same network. */
async function rig(settings: readonly string[] = []) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const host = network.attach('host', '10.5.6.1');
  const net = network.attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
  await module.boot();
  const run = async (line: string): Promise<string> => {
    const done = module.execute(line);
    await clock.advance(10);
    const { code, text } = await done;
    return `${code} ${text}`;
  };
  const lines: string[] = [];
  module.log.attach((line) => lines.push(line));
  const open = defaultAir.accessPoints.find(({ security }) => security === 'open')?.ssid;
  for (const setting of [`wlan.ssid "${open}"`, 'remote_terminal.enabled 1', ...settings]) await run(`set ${setting}`);
  await run('network_up');
  await clock.advance(1_000);
  const dial = async (port = 2000): Promise<Client | string> => {
    const dialled = host.dial({ host: '10.5.6.108', port, timeoutMs: 1000 });
    await clock.advance(10);
    const connection = await dialled;
    return connection.ok ? new Client(connection.value.stream, clock) : connection.error.error;
  };
  const connect = async (): Promise<Client> => {
    const client = await dial();
    if (typeof client === 'string') throw new Error(client);
    return client;
  };
  return { clock, module, run, dial, connect, lines };
}

class Client {
  readonly stream: Duplex;
  readonly #clock: VirtualClock;
  #received = '';
  ended = false;

  constructor(stream: Duplex, clock: VirtualClock) {
    this.stream = stream;
    this.#clock = clock;
    stream.on('data', (bytes: Buffer) => {
      this.#received += bytes.toString('latin1');
    });
    stream.on('end', () => {
      this.ended = true;
    });
    stream.on('error', () => {});
  }

  async says(text: string | Uint8Array): Promise<string> {
    this.stream.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
    return this.receive();
  }

  async receive(): Promise<string> {
    await this.#clock.advance(10);
    const received = this.#received;
    this.#received = '';
    return received;
  }
}

const iac = (...bytes: number[]): string => String.fromCharCode(255, ...bytes);

// MOD-NET-terminal, MOD-VAR-remote_terminal.enabled
test('a client gets a prompt, its echo and its answers, as on the serial line', async () => {
  const { connect } = await rig();
  const client = await connect();
  expect(await client.receive()).toBe('> ');
  expect(await client.says('\r\n')).toBe('\r\n> ');
  expect(await client.says('get bus.mode\r\n')).toBe('get bus.mode\r\ncommand\r\n> ');
  expect(await client.says('get bus.mode\r\0get bus.mode\n')).toBe('get bus.mode\r\ncommand\r\n> '.repeat(2));
});

// MOD-SET-hidden
test.each([
  ['', 'without login shows no passwords', '\r\n> '],
  ['x', 'after login shows passwords', 'hush hush\r\n> '],
])('the password %j: a client %s', async (password, _, shown) => {
  const { connect } = await rig([`remote_terminal.password "${password}"`, 'softap.passkey "hush hush"']);
  const client = await connect();
  await client.says(password === '' ? '' : `${password}\r\n`);
  const line = 'get softap.passkey\r\n';
  expect(await client.says(line)).toBe(`${line}${shown}`);
});

// MOD-NET-telnet
test('negotiation is taken out of the line, is not answered, and an escaped byte is data', async () => {
  const { connect } = await rig();
  const client = await connect();
  await client.receive();
  const noise = [iac(251, 31), iac(250, 31, 0, 80, 255, 255, 24, 255, 240), iac(253, 3), iac(241)].join('');
  const line = Array.from('get bus.mode', (character) => character + noise).join('');
  expect(await client.says(line)).toBe('get bus.mode');
  expect(await client.says('\r')).toBe('\r\ncommand\r\n> ');
  await client.says('file_create -o a 2\r');
  expect(await client.says(`stream_write 0 2\r${iac(255)}a`)).toContain('Success');
  await client.says('file_open a\r');
  // The client has shown that it speaks telnet, so what is sent to it is escaped.
  expect(await client.says('stream_read 0 2\r')).toContain('\xff\xffa');
});

test('what is sent to a client that never spoke telnet is as it is', async () => {
  const { connect, run } = await rig();
  await run('set stream.auto_close 0');
  const client = await connect();
  await client.says('set wlan.ssid "\\xFF"\r');
  expect(await client.says('get wlan.ssid\r')).not.toContain('\xff\xff');
});

// MOD-NET-terminal-one
test('a second client reads that the terminal is taken, and the first goes on', async () => {
  const { connect } = await rig();
  const first = await connect();
  await first.receive();
  const second = await connect();
  expect(await second.receive()).toBe('Remote terminal in use\r\n');
  expect(second.ended).toBe(true);
  expect(await first.says('\r')).toBe('\r\n> ');
  first.stream.end();
  await first.receive();
  expect(await (await connect()).receive()).toBe('> ');
});

test('a client that has ended is gone when the next one comes, whatever its command still does', async () => {
  const { connect, module } = await rig();
  const first = await connect();
  await first.receive();
  const gate = Promise.withResolvers<void>();
  void module.queue.run(() => gate.promise);
  await first.says('get bus.mode\r');
  first.stream.end();
  await first.receive();
  expect(first.ended).toBe(false);
  const second = await connect();
  expect(await second.receive()).toBe('> ');
  expect(await first.receive()).toBe('');
  expect(first.ended).toBe(true);
  expect(module.bus.useOf(0)).toBe('nothing');
  gate.resolve();
  expect(await second.says('\r')).toBe('\r\n> ');
  expect(module.bus.useOf(0)).toBe('nothing');
});

test('a client that ends at the password is hung up, and leaves the terminal free', async () => {
  const { connect } = await rig(['remote_terminal.password x']);
  const first = await connect();
  await first.receive();
  first.stream.end('half');
  await first.receive();
  expect(first.ended).toBe(true);
  expect(await (await connect()).receive()).toBe('Password: ');
});

test('of many clients that are sent away at most 16 stay open, all hear why, and the next client is let in', async () => {
  const { connect, run, module } = await rig();
  const first = await connect();
  const flood: Client[] = [];
  for (let count = 0; count < 3 * maxRefused; count++) flood.push(await connect());
  const received = await Promise.all(flood.map((client) => client.receive()));
  expect(new Set(received)).toEqual(new Set(['Remote terminal in use\r\n']));
  // Only a write tells those that are cut off.
  const stillOpen = async (): Promise<number> => {
    await Promise.all(flood.map((client) => client.stream.destroyed || client.says('x')));
    return flood.filter(({ stream }) => !stream.destroyed).length;
  };
  expect(await stillOpen()).toBe(maxRefused);
  first.stream.end();
  await first.receive();
  expect(await (await connect()).receive()).toBe('> ');
  expect(module.bus.useOf(0)).toBe('nothing');
  await run('network_down');
  expect(await stillOpen()).toBe(0);
});

// MOD-NET-terminal
test('while a client is there the serial port has no command line', async () => {
  const { connect, module, clock } = await rig();
  const host = new HostLine();
  attachSession(module, 'serial', host.stream);
  const client = await connect();
  host.type('get bus.mode\r');
  await clock.advance(0);
  expect(host.received()).toBe('');
  module.log.line('still heard');
  expect(host.received()).toBe('still heard\r\n');
  client.stream.destroy();
  await clock.advance(10);
  host.type('get bus.mode\r');
  await clock.advance(0);
  expect(host.received()).toBe('get bus.mode\r\ncommand\r\n> ');
});

test('a client does not disturb stream mode', async () => {
  const { connect, module, clock, run } = await rig(['bus.mode stream', 'wlan.auto_join.enabled 1']);
  await run('save');
  const host = new HostLine();
  attachSession(module, 'serial', host.stream);
  const booted = module.reboot();
  await clock.advance(100);
  await booted;
  await clock.advance(1_000);
  const client = await connect();
  expect(await client.receive()).toBe('> ');
  host.received();
  const peer = new PeerStream();
  unwrap(module.streams.open(peer));
  host.type('up');
  peer.send('down');
  await clock.advance(10);
  expect([peer.sent(), host.received()]).toEqual(['up', '[Opened: 0]\r\ndown']);
  expect(await client.receive()).toBe('[Opened: 0]\r\n');
});

// MOD-VAR-remote_terminal.password
test('a password is asked for without echo, and three wrong ones end it', async () => {
  const { connect } = await rig(['remote_terminal.password "sea mark"']);
  const client = await connect();
  expect(await client.receive()).toBe('Password: ');
  expect(await client.says('wrong\r\n')).toBe('\r\nPassword: ');
  expect(await client.says('sea mark\r\nget bus.mode\r\n')).toBe('\r\n> get bus.mode\r\ncommand\r\n> ');
  client.stream.destroy();
  const other = await connect();
  await other.receive();
  for (const byte of `a\r\0b\n${iac(241)}c\r\n`) await other.says(byte);
  await other.receive();
  expect(other.ended).toBe(true);
  expect(await (await connect()).receive()).toBe('Password: ');
});

test('a client that has not logged in leaves the serial port its command line', async () => {
  const { connect, module, clock } = await rig(['remote_terminal.password x']);
  const host = new HostLine();
  attachSession(module, 'serial', host.stream);
  const client = await connect();
  host.type('get bus.mode\r');
  await clock.advance(0);
  expect(host.received()).toContain('command\r\n');
  await client.says('x\r');
  host.received();
  host.type('get bus.mode\r');
  await clock.advance(0);
  expect(host.received()).toBe('');
});

// MOD-VAR-remote_terminal.timeout
test('an idle client is dropped, one that types is not, and 0 waits for ever', async () => {
  const { connect, clock, run } = await rig(['remote_terminal.timeout 30']);
  const client = await connect();
  await clock.advance(29_000);
  await client.says('\r');
  await clock.advance(29_900);
  expect(client.ended).toBe(false);
  await clock.advance(200);
  expect(client.ended).toBe(true);
  const patient = await connect();
  await run('set remote_terminal.timeout 0');
  await clock.advance(10_000_000);
  expect(patient.ended).toBe(false);
  await run('set remote_terminal.timeout 1');
  await clock.advance(100);
  expect(patient.ended).toBe(true);
});

test('a client whose command runs longer than the timeout is not dropped', async () => {
  const { connect, clock, module } = await rig(['remote_terminal.timeout 5']);
  const client = await connect();
  await client.receive();
  const gate = Promise.withResolvers<void>();
  void module.queue.run(() => gate.promise);
  await client.says('get bus.mode\r');
  await client.says('x');
  await clock.advance(12_000);
  gate.resolve();
  expect(await client.receive()).toContain('command\r\n> ');
});

test('a client whose command only waits is not dropped meanwhile, although Ctrl-C is listened for', async () => {
  const { connect, clock } = await rig(['remote_terminal.timeout 5']);
  const client = await connect();
  await client.says('tcpc 10.5.6.77 80\r');
  await clock.advance(9_000);
  expect(client.ended).toBe(false);
  expect(await client.says('\x03')).toMatch(/Command failed\r\n> $/);
  await clock.advance(6_000);
  expect(client.ended).toBe(true);
});

test('a client that idles at the password is dropped, too', async () => {
  const { connect, clock } = await rig(['remote_terminal.password x', 'remote_terminal.timeout 5']);
  const client = await connect();
  await clock.advance(5_100);
  expect(client.ended).toBe(true);
});

test('streams that were opened in the terminal outlive it', async () => {
  const { connect, module, run } = await rig();
  const client = await connect();
  await client.says('file_create a 1\rx');
  await client.says('file_open a\r');
  client.stream.destroy();
  await client.receive();
  expect(module.streams.list()).toHaveLength(1);
  expect(await run('stream_read 0 1')).toBe('0 x');
});

// MOD-VAR-remote_terminal.port, MOD-VAR-remote_terminal.interface
test('the port acts when the interface restarts, and the terminal is on its interface alone', async () => {
  const { dial, run, clock } = await rig();
  await run('set remote_terminal.port 2323');
  expect(typeof (await dial(2323))).toBe('string');
  await run('network_restart');
  await clock.advance(1_000);
  expect(await dial()).toBe('refused');
  expect(await dial(2323)).toBeInstanceOf(Client);
  await run('set remote_terminal.interface softap');
  await run('network_restart');
  await clock.advance(1_000);
  expect(await dial(2323)).toBe('refused');
});

test('the terminal is off unless it is enabled', async () => {
  const { dial } = await rig(['remote_terminal.enabled 0']);
  expect(await dial()).toBe('refused');
});

test('network_down and a reboot end the session and free the serial port', async () => {
  const { connect, run, module, clock } = await rig();
  const client = await connect();
  await run('network_down');
  await clock.advance(1_100);
  expect(client.ended).toBe(true);
  expect(module.bus.useOf(0)).toBe('commands');
});

test('a port that is taken is reported in the log, and the join goes on', async () => {
  const { module, run, clock, lines } = await rig(['remote_terminal.enabled 0']);
  await run('network_down');
  const taken = unwrap(await module.net.listen(2000, () => {}));
  await run('set remote_terminal.enabled 1');
  await run('network_up');
  await clock.advance(1_000);
  expect(lines).toContain('Remote terminal cannot listen on port 2000');
  expect(lines.at(-1)).toBe('[Associated]');
  await taken.close();
});
