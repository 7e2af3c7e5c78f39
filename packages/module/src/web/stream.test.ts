import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { exchange, type WebRig, webRig, webWires } from '../testing/web-rig.ts';
import { unreadTimeoutMs } from './web-stream.ts';

interface Peer {
  readonly socket: WebSocket;
  readonly messages: readonly { readonly text: string; readonly binary: boolean }[];
  /** Code with which it closed. */
  closed(): number | undefined;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Waits, some turns of the event loop long, until something holds. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 2_000; turns++) {
    if (await holds()) return;
    await turn();
  }
  throw new Error('It did not come to pass');
}

/** Opens a websocket as a browser does. */
async function open(rig: WebRig, stream?: Duplex): Promise<Peer> {
  const connection = stream ?? (await rig.dial());
  const socket = new WebSocket('ws://localhost/stream', { createConnection: () => connection as never });
  const messages: { text: string; binary: boolean }[] = [];
  let code: number | undefined;
  socket.on('message', (data: Buffer, binary) => messages.push({ text: data.toString(), binary }));
  socket.on('close', (given) => {
    code = given;
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, messages, closed: () => code };
}

const handshake = (more: Readonly<Record<string, string>> = {}) => ({
  headers: {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...more,
  },
});

// MOD-STREAM-WEBS, MOD-HTTP-stream
describe.each(webWires)('a websocket over %s', (wire) => {
  test('is a stream: read, write, poll, list and close', async () => {
    const rig = await webRig({ wire });
    rig.logged();
    const peer = await open(rig);
    expect(rig.logged()).toEqual(['[Opened: 0]']);
    expect(await rig.run('stream_list 0')).toMatch(/^0 WEBS {2}[\d.]+:\d+ [\d.]+:\d+$/);
    expect(await rig.run('stream_poll 0')).toBe('0 0');
    peer.socket.send('text ');
    peer.socket.send(Buffer.from('bytes'));
    await until(async () => (await rig.run('stream_poll 0 -c')) === '0 0,1,10');
    expect(await rig.run('stream_read 0 7')).toBe('0 text by');
    expect(await rig.run('stream_read 0 3')).toBe('0 tes');
    expect(await rig.run('stream_write 0 5', 'hello')).toBe('0 Success');
    await until(() => peer.messages.length === 1);
    expect(peer.messages).toEqual([{ text: 'hello', binary: true }]);
    rig.logged();
    expect(await rig.run('stream_close 0')).toBe('0 Success');
    expect(rig.logged()).toEqual(['Closing: 0', '[Closed: 0]']);
    await until(() => peer.closed() !== undefined);
    expect(peer.closed()).toBe(1000);
    await rig.close();
  });

  test('long writes are one message, and what comes in pieces is joined', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    const long = 'x'.repeat(200_000);
    expect(await rig.run('stream_write 0 200000', long)).toBe('0 Success');
    await until(() => peer.messages.length === 1);
    expect(peer.messages[0]?.text === long).toBe(true);
    peer.socket.send('a', { fin: false });
    peer.socket.send('b', { fin: true });
    await until(async () => (await rig.run('stream_poll 0 -c')) === '0 0,1,2');
    const pong = new Promise((resolve) => peer.socket.once('pong', resolve));
    peer.socket.ping();
    await pong;
    expect(await rig.run('stream_read 0 2')).toBe('0 ab');
    await rig.close();
  });

  test('what has come can be read after the client has closed', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    peer.socket.send('last words');
    peer.socket.close();
    await until(() => peer.closed() !== undefined);
    expect(await rig.run('stream_poll 0')).toBe('0 1');
    expect(await rig.run('stream_write 0 1', 'x')).toBe('1 Command failed');
    rig.logged();
    expect(await rig.run('stream_read 0 99')).toBe('0 last words');
    expect(rig.logged()).toEqual(['[Closed: 0]']);
    await rig.close();
  });

  test('a client that is faster than its reader is held back, and loses nothing', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    const sent = Array.from({ length: 400 }, (_, index) => String(index).padStart(1_000, '.')).join('');
    for (let at = 0; at < sent.length; at += 1_000) peer.socket.send(sent.slice(at, at + 1_000));
    for (let turns = 0; turns < 50; turns++) await turn();
    const waiting = Number((await rig.run('stream_poll 0 -c')).split(',')[2]);
    expect(waiting).toBeLessThan(200_000);
    let received = '';
    await until(async () => {
      const state = await rig.run('stream_poll 0');
      if (state === '0 1')
        received += (await rig.run(`stream_read 0 ${rig.module.streams.get(0)?.available()}`)).slice(2);
      return received.length >= sent.length;
    });
    expect(received === sent).toBe(true);
    await rig.close();
  });

  test('a client whose data is not read gets the reason after 15 s, and what came can still be read', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    for (let index = 0; index < 400; index++) peer.socket.send('.'.repeat(1_000));
    let waiting = 0;
    await until(() => {
      waiting = rig.module.streams.get(0)?.available() ?? 0;
      return waiting >= 10_000;
    });
    for (let turns = 0; turns < 50; turns++) await turn();
    rig.logged();
    await rig.clock.advance(unreadTimeoutMs - 1);
    for (let turns = 0; turns < 50; turns++) await turn();
    expect([peer.closed(), rig.logged()]).toEqual([undefined, []]);
    waiting = rig.module.streams.get(0)?.available() ?? 0;
    await rig.clock.advance(1);
    await until(() => peer.closed() !== undefined);
    expect(peer.closed()).toBe(1013);
    expect(rig.logged()).toEqual(['Web socket data not read']);
    await until(async () => (await rig.run('stream_poll 0 -c')) === `0 0,1,${waiting}`);
    expect(await rig.run(`stream_read 0 ${waiting}`)).toBe(`0 ${'.'.repeat(waiting)}`);
    expect(rig.module.streams.list()).toEqual([]);
    await rig.close();
  });

  test('reading in time lets a client go on', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    const inAll = 100_000;
    for (let sent = 0; sent < inAll; sent += 1_000) peer.socket.send('.'.repeat(1_000));
    let received = 0;
    for (let time = 0; received < inAll; time++) {
      await until(() => (rig.module.streams.get(0)?.available() ?? 0) > 0);
      await rig.clock.advance(unreadTimeoutMs - 1_000);
      received += (await rig.run(`stream_read 0 ${rig.module.streams.get(0)?.available()}`)).length - 2;
      expect(time).toBeLessThan(1_000);
    }
    expect([received, peer.closed()]).toEqual([inAll, undefined]);
    await rig.close();
  });

  test('the network goes down and takes it along', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    rig.logged();
    const down = rig.run('network_down');
    await until(() => peer.closed() !== undefined);
    expect(await down).toBe('0 Success');
    expect(rig.logged()).toEqual(['[Closed: 0]', '[Disassociated]']);
    expect(rig.module.streams.list()).toEqual([]);
    await rig.close();
  });

  test('a message over 64 KiB is refused with 1009', async () => {
    const rig = await webRig({ wire });
    const peer = await open(rig);
    peer.socket.send(Buffer.alloc(70_000));
    await until(() => peer.closed() !== undefined);
    expect(peer.closed()).toBe(1009);
    await rig.close();
  });

  test('POST opens one as well', async () => {
    const rig = await webRig({ wire });
    const stream = await rig.dial();
    const answer = await exchange(stream, 'POST', '/stream', handshake());
    expect([answer.status, answer.headers['sec-websocket-accept']]).toEqual([101, expect.any(String)]);
    await rig.close();
  });

  // MOD-HTTP-status-404
  test('without a free handle the answer is 404', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 8 } });
    await rig.put('a', 'a');
    for (let handle = 0; handle < 8; handle++) await rig.run('file_open a');
    expect((await rig.call('GET', '/stream', handshake())).status).toBe(404);
    expect((await rig.call('POST', '/stream')).status).toBe(404);
    await rig.run('stream_close 3');
    expect((await rig.call('GET', '/stream', handshake())).status).toBe(101);
    await rig.close();
  });

  // MOD-HTTP-status-400
  test.each([
    ['another protocol', { upgrade: 'h2c' }],
    ['a short key', { 'sec-websocket-key': 'AAAA' }],
    ['a protocol that is none', { 'sec-websocket-protocol': 'a,,b' }],
  ])('a handshake with %s is a bad request', async (_, more) => {
    const rig = await webRig({ wire, variables: { 'http.server.cors_origin': '*' } });
    const answer = await rig.call('GET', '/stream', handshake(more));
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([400, '*']);
    expect(rig.module.streams.list()).toEqual([]);
    await rig.close();
  });

  test.each(['', '0', '7', '8', '12', '14', '13, 8', 'x'])(
    'version %j is refused with 426 and the one that is spoken',
    async (version) => {
      const rig = await webRig({ wire });
      const { status, headers, text } = await rig.call(
        'GET',
        '/stream',
        handshake({ 'sec-websocket-version': version }),
      );
      expect([status, headers['sec-websocket-version'], headers.upgrade]).toEqual([426, '13', 'websocket']);
      expect(text).toBe('Upgrade required: Version 13 is spoken here\r\n');
      expect(rig.module.streams.list()).toEqual([]);
      await rig.close();
    },
  );

  test('an upgrade of anything else is a request like others', async () => {
    const rig = await webRig({ wire });
    const answer = await rig.call('GET', '/command/get%20wlan.ssid', handshake({ upgrade: 'h2c' }));
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('harbour-open')]);
    await rig.close();
  });
});
