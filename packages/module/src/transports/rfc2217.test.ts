import { connect, type Socket } from 'node:net';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import { subnegotiationBytes, type TelnetEvent, TelnetReader } from '@moorage/net/telnet/telnet';
import { afterEach, describe, expect, test } from 'vitest';
import { createModule, type Module } from '../module.ts';
import { openSerial } from './open.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A client of RFC 2217, packet by packet. */
class Client {
  readonly socket: Socket;
  /** What has come since the last look: data as text, options and subnegotiations spelt out. */
  received: string[] = [];
  readonly #reader = new TelnetReader();

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes: Buffer) => this.received.push(...this.#reader.read(bytes).map(spelt)));
  }

  option(verb: number, option: number): void {
    this.socket.write(Uint8Array.of(255, verb, option));
  }

  port(...payload: number[]): void {
    this.socket.write(subnegotiationBytes(44, Uint8Array.from(payload)));
  }

  type(text: string): void {
    this.socket.write(text);
  }

  /** Waits until exactly this has come. */
  async receives(...expected: string[]): Promise<void> {
    const shown = (): string => this.received.join(' ');
    await expect.poll(shown).toBe(expected.join(' '));
    this.received = [];
  }
}

function spelt(event: TelnetEvent): string {
  if (event.kind === 'data') return Buffer.from(event.bytes).toString('latin1');
  if (event.kind === 'option') return `${event.verb}:${event.option}`;
  return event.kind === 'command' ? `C${event.code}` : [...event.payload].join(',');
}

async function rig(): Promise<{ module: Module; address: string; dial: () => Promise<Client> }> {
  const clock = new VirtualClock();
  const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
  await module.execute('set system.cmd.mode machine');
  const port = unwrap(await openSerial('rfc2217:127.0.0.1:0', module));
  cleanups.push(() => port.close());
  const address = port.address ?? '';
  const dial = async (): Promise<Client> => {
    const socket = connect({ port: Number(address.split(':').at(-1)), host: '127.0.0.1', noDelay: true });
    cleanups.push(() => socket.destroy());
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Client(socket);
  };
  return { module, address, dial };
}

const [will, wont, doIt, dont] = [251, 252, 253, 254];

async function agreed(): Promise<Client & { module: Module }> {
  const { dial, module } = await rig();
  const client = await dial();
  client.option(will, 44);
  await client.receives('DO:44', '107,176');
  return Object.assign(client, { module });
}

test('openSerial rfc2217 returns its real port, and carries bytes of a client that agrees to nothing', async () => {
  const { address, dial } = await rig();
  expect(address).toMatch(/^rfc2217:127\.0\.0\.1:[1-9]\d+$/);
  const client = await dial();
  client.type('get bus.mode\n');
  await client.receives('R000009\r\ncommand\r\n');
});

test('options are answered once, and what is not there is refused', async () => {
  const { dial } = await rig();
  const client = await dial();
  client.option(doIt, 0);
  client.option(will, 0);
  client.option(doIt, 3);
  client.option(doIt, 1);
  await client.receives('WILL:0', 'DO:0', 'WILL:3', 'WILL:1');
  client.option(doIt, 0);
  client.option(will, 0);
  client.option(doIt, 24);
  client.option(will, 31);
  await client.receives('WONT:24', 'DONT:31');
  client.option(dont, 3);
  client.option(wont, 0);
  client.option(dont, 3);
  client.option(wont, 24);
  await client.receives('WONT:3', 'DONT:0');
});

describe('the serial port option', () => {
  test.each([
    ['signature', [0], '100,77,111,111,114,97,103,101'],
    ['its own signature', [0, 65], '100'],
    ['rate asked for', [1, 0, 0, 0, 0], '101,0,1,194,0'],
    ['rate', [1, 0, 0, 0x25, 0x80], '101,0,0,37,128'],
    ['data bits asked for', [2, 0], '102,8'],
    ['data bits', [2, 7], '102,7'],
    ['data bits that are not there', [2, 9], '102,8'],
    ['parity asked for', [3, 0], '103,1'],
    ['parity', [3, 3], '103,3'],
    ['parity that is not there', [3, 9], '103,1'],
    ['stop bits asked for', [4, 0], '104,1'],
    ['stop bits', [4, 2], '104,2'],
    ['one and a half stop bits', [4, 3], '104,3'],
    ['flow control asked for', [5, 0], '105,1'],
    ['flow control by XON', [5, 2], '105,1'],
    ['flow control by lines', [5, 3], '105,3'],
    ['break asked for', [5, 4], '105,6'],
    ['break', [5, 5], '105,5'],
    ['DTR asked for', [5, 7], '105,8'],
    ['DTR off', [5, 9], '105,9'],
    ['RTS asked for', [5, 10], '105,11'],
    ['RTS off', [5, 12], '105,12'],
    ['inbound flow control', [5, 16], '105,14'],
    ['line state mask', [10, 12], '110,12'],
    ['modem state mask', [11, 16], '111,16'],
    ['purge', [12, 3], '112,3'],
  ])('answers %s', async (_, payload, reply) => {
    const client = await agreed();
    client.port(...payload);
    await client.receives(reply);
  });

  test('ignores what it does not know, and what is too short or too long', async () => {
    const client = await agreed();
    for (const payload of [[], [1], [1, 0, 0], [1, 7, 7, 7, 7, 7], [2], [5], [5, 99], [99, 1], [200]])
      client.port(...payload);
    client.port(0, 1);
    await client.receives('100');
  });

  // MOD-VAR-uart.baud
  test('a rate that differs makes garbage, and the module answers none of it', async () => {
    const client = await agreed();
    client.port(1, 0, 0, 0x25, 0x80);
    await client.receives('101,0,0,37,128');
    client.type('get bus.mode\n');
    client.port(1, 0, 1, 0xc2, 0);
    await client.receives('101,0,1,194,0');
    client.type('\nget bus.mode\n');
    await expect.poll(() => client.received.join('')).toMatch(/R000009\r\ncommand\r\n$/);
  });

  test('suspends and resumes what the module sends', async () => {
    const client = await agreed();
    client.port(8);
    client.type('get bus.mode\n');
    client.port(12, 1);
    await client.receives('112,1');
    client.port(9);
    await client.receives('R000009\r\ncommand\r\n');
  });

  test('reports modem lines that change, and errors that are wanted', async () => {
    const client = await agreed();
    const { module } = client;
    await module.execute('set system.print_level all');
    client.port(10, 0xff);
    client.port(3, 2);
    await client.receives('110,255', '103,2');
    module.log.line('xx');
    await expect.poll(() => client.received.join(' ')).toMatch(/106,\d/);
    client.received = [];
    client.port(3, 1);
    await client.receives('103,1');
    await module.execute('set system.print_level 0');
    await module.sleep();
    // CTS stays; DSR and carrier go, with the bits for the change.
    await client.receives(`107,${16 + 2 + 8}`);
  });

  // MOD-VAR-uart.flow
  test('RTS of the client stops a module that heeds it', async () => {
    const client = await agreed();
    await client.module.execute('set uart.flow 0 1');
    await client.module.bus.applyUart(0);
    client.port(5, 12);
    await client.receives('105,12');
    client.type('get bus.mode\n');
    client.port(12, 1);
    await client.receives('112,1');
    client.port(5, 11);
    await client.receives('105,11', 'R000009\r\ncommand\r\n');
  });
});

test('a byte 255 passes both ways', async () => {
  const { dial } = await rig();
  const client = await dial();
  client.socket.write('file_create -o a 3\nstream_write 0 3\n');
  client.socket.write(Uint8Array.of(255, 255, 65, 255, 255));
  client.type('file_open a\nstream_read 0 3\n');
  await expect
    .poll(() => client.received.join(''))
    .toBe('R000003\r\n0\r\nR000009\r\nSuccess\r\nR000003\r\n0\r\nR000005\r\n\xffA\xff\r\n');
});
