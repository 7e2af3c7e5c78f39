import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { realClock, unwrap } from '@moorage/base';
import { Aedes } from 'aedes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutbound } from './outbound.ts';
import type { HttpMessage, MqttMessage } from './ports.ts';
import { TargetNotAllowed, Targets } from './targets.ts';

const loopback = openOutbound(['127.0.0.0/8', '::1/128'], realClock);
const strict = openOutbound([], realClock);

// API-RULE-connector-3
describe('addresses that connectors may call', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '0.1.2.3',
    '::1%lo',
    'fe80::1%eth0',
    // What carries an IPv4 address: mapped, compatible, translated, NAT64.
    '::ffff:10.0.0.1',
    '::127.0.0.1',
    '::a01:203',
    '::169.254.169.254%eth0',
    '::ffff:0:192.168.1.1',
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    // The local NAT64 prefix and tunnels, whatever they carry: 6to4, Teredo.
    '64:ff9b:1::10.0.0.1',
    '64:ff9b:1:a00:0:100::',
    '64:ff9b:1::93.184.216.34',
    '2002:7f00:1::',
    '2002:5db8:d822::1',
    '2001:0:4136:e378:8000:63bf:f5ff:fffe',
    '2001:0:4136:e378:8000:63bf:a247:27dd',
    'nonsense',
  ])('are not %s', (address) => {
    expect(new Targets([]).allows(address)).toBe(false);
  });

  it.each(['93.184.216.34', '2606:2800:220:1::1', '::ffff:93.184.216.34', '64:ff9b::93.184.216.34'])(
    'are public ones, such as %s',
    (address) => {
      expect(new Targets([]).allows(address)).toBe(true);
    },
  );

  it('are those of allowed networks too, however they are spelled', () => {
    const targets = new Targets(['10.0.0.0/8', 'fd00::/8']);
    const inside = ['10.9.9.9', '::ffff:10.1.1.1', '::10.1.1.1', '64:ff9b::10.1.1.1', 'fd12::1'];
    expect(inside.filter((one) => !targets.allows(one))).toEqual([]);
    expect(['11.0.0.1', '192.168.0.1', 'fe80::1'].map((one) => targets.allows(one))).toEqual([true, false, false]);
  });

  it.each([
    ['http://127.0.0.1/x', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://[::1]:80/', '::1'],
    ['http://[::127.0.0.1]/', '::7f00:1'],
    ['mqtt://192.168.0.9', '192.168.0.9'],
    ['https://example.com/', undefined],
  ])('are seen in the URL %s', (url, host) => {
    expect(strict.refusedHost(url)).toBe(host);
  });
});

// API-RULE-connector-3
describe('names that connectors may call', () => {
  const resolved = (addresses: readonly string[], all = false) => {
    const targets = new Targets(['10.0.0.0/8'], (_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: net.isIP(address) })),
      ),
    );
    return new Promise<unknown>((resolve) =>
      targets.lookup('name.example', { all }, (error, address) =>
        resolve(error instanceof TargetNotAllowed ? `refused ${error.host}` : address),
      ),
    );
  };

  it.each([
    [['93.184.216.34'], '93.184.216.34'],
    [['10.1.2.3'], '10.1.2.3'],
    [['127.0.0.1'], 'refused name.example'],
    [['192.168.1.1'], 'refused name.example'],
    [['::ffff:127.0.0.1'], 'refused name.example'],
    // One of them is enough: which is dialled is the system's choice.
    [['93.184.216.34', '169.254.169.254'], 'refused name.example'],
    [['2606:2800:220:1::1', 'fd00::1'], 'refused name.example'],
    [[], 'refused name.example'],
  ])('at %j are %j', async (addresses, outcome) => {
    expect(await resolved(addresses)).toBe(outcome);
  });

  it('are all handed on to a caller that wants all', async () => {
    const both = ['93.184.216.34', '2606:2800:220:1::1'];
    expect(await resolved(both, true)).toEqual(both.map((address) => ({ address, family: net.isIP(address) })));
    expect(await resolved([...both, '10.0.0.1', '::1'], true)).toBe('refused name.example');
  });

  it('are judged each time: one that leads inside the second time is refused then', async () => {
    const answers = ['93.184.216.34', '127.0.0.1'];
    const targets = new Targets([], (_host, _options, done) =>
      done(null, [{ address: answers.shift() ?? '', family: 4 }]),
    );
    const ask = () => new Promise((resolve) => targets.lookup('name.example', {}, (error) => resolve(error === null)));
    expect([await ask(), await ask()]).toEqual([true, false]);
  });
});

describe('HTTP to the outside', () => {
  const seen: { method: string | undefined; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      seen.push({ method: request.method, headers: request.headers, body });
      if (request.url === '/redirect') response.writeHead(302, { location: '/' }).end();
      else if (request.url === '/long') response.end('x'.repeat(300_000));
      else if (request.url === '/cut')
        response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy());
      else if (request.url !== '/slow') response.end('{"ok":true}');
    });
  });
  let origin = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Safe: a TCP server has a TCP address.
    origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const message = (path: string, timeoutMs = 5_000, host = origin): HttpMessage => ({
    url: `http://${host}${path}`,
    method: 'POST',
    headers: { 'X-One': '1' },
    body: '{"ä":1}',
    timeoutMs,
  });

  it('brings body and headers there, and the answer back', async () => {
    expect(await loopback.sendHttp(message('/'))).toEqual({ ok: true, value: { status: 200, body: '{"ok":true}' } });
    expect(seen.at(-1)).toMatchObject({ method: 'POST', body: '{"ä":1}', headers: { 'x-one': '1' } });
  });

  it('does not follow redirects', async () => {
    const before = seen.length;
    expect(await loopback.sendHttp(message('/redirect'))).toMatchObject({ ok: true, value: { status: 302 } });
    expect(seen.length).toBe(before + 1);
  });

  it.each([
    ['/long', { kind: 'failed', detail: 'the answer is longer than 262144 bytes' }],
    ['/cut', { kind: 'failed' }],
  ])('fails at %s', async (path, error) => {
    expect(await loopback.sendHttp(message(path))).toMatchObject({ ok: false, error });
  });

  it('ends when the target takes too long', async () => {
    expect(await loopback.sendHttp(message('/slow', 50))).toEqual({ ok: false, error: { kind: 'timed_out' } });
  });

  it('fails without a listener', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    const error = { kind: 'failed', detail: 'ECONNREFUSED' };
    expect(await loopback.sendHttp(message('/', 5_000, `127.0.0.1:${port}`))).toEqual({ ok: false, error });
  });

  it('reaches nothing inside our network, by address or by name', async () => {
    const before = seen.length;
    const port = origin.split(':')[1];
    const byAddress = await strict.sendHttp(message('/'));
    expect(byAddress).toEqual({ ok: false, error: { kind: 'not_allowed', host: '127.0.0.1' } });
    const byName = await strict.sendHttp(message('/', 5_000, `localhost:${port}`));
    expect(byName).toEqual({ ok: false, error: { kind: 'not_allowed', host: 'localhost' } });
    expect(seen.length).toBe(before);
  });
});

describe('MQTT to the outside', () => {
  const published: { topic: string; payload: string; qos: number }[] = [];
  let broker: Aedes;
  let server: net.Server;
  let port = 0;
  beforeAll(async () => {
    broker = await Aedes.createBroker();
    broker.authenticate = (_client, username, password, done) =>
      done(null, username === undefined || (username === 'me' && String(password) === 'right'));
    broker.on('publish', ({ topic, payload, qos }, client) => {
      if (client) published.push({ topic, payload: payload.toString(), qos });
    });
    server = net.createServer(broker.handle).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(async () => {
    await new Promise<void>((resolve) => broker.close(() => resolve()));
    server.close();
  });

  const message = (more: Partial<MqttMessage> = {}): MqttMessage => ({
    url: `mqtt://127.0.0.1:${port}`,
    topic: 'a/b',
    payload: '{}',
    qos: 1,
    timeoutMs: 5_000,
    ...more,
  });

  it.each([0, 1, 2] as const)('is taken by a broker with quality of service %i', async (qos) => {
    unwrap(await loopback.publish(message({ qos, payload: `{"qos":${qos}}` })));
    await expect.poll(() => published.at(-1)).toEqual({ topic: 'a/b', payload: `{"qos":${qos}}`, qos });
  });

  it('logs in', async () => {
    unwrap(await loopback.publish(message({ username: 'me', password: 'right' })));
    expect(await loopback.publish(message({ username: 'me', password: 'wrong' }))).toMatchObject({
      ok: false,
      error: { kind: 'failed' },
    });
  });

  it('ends when the broker says nothing', async () => {
    const mute = net.createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => mute.once('listening', resolve));
    const { port: mutePort } = mute.address() as AddressInfo;
    const sent = await loopback.publish(message({ url: `mqtt://127.0.0.1:${mutePort}`, timeoutMs: 50 }));
    expect(sent).toEqual({ ok: false, error: { kind: 'timed_out' } });
    mute.close();
  });

  it('reaches nothing inside our network, by address or by name', async () => {
    const before = published.length;
    expect(await strict.publish(message())).toEqual({ ok: false, error: { kind: 'not_allowed', host: '127.0.0.1' } });
    const byName = await strict.publish(message({ url: `mqtt://localhost:${port}` }));
    expect(byName).toEqual({ ok: false, error: { kind: 'not_allowed', host: 'localhost' } });
    expect(published.length).toBe(before);
  });
});
