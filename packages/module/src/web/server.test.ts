import { unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { get, line, replies, turns, until } from '../testing/web-lines.ts';
import { webRig, webWires } from '../testing/web-rig.ts';
import { hasteMs, lateHasteMs, maxPipelined, patienceMs } from './client.ts';
import { maxWaitingClients } from './clients.ts';

describe.each(webWires)('the server over %s', (wire) => {
  test('a connection is kept for further requests', async () => {
    const rig = await webRig({ wire });
    const { stream, received, ended } = await line(rig);
    for (let count = 1; count <= 3; count++) {
      stream.write(get('get wlan.ssid'));
      await until(() => replies(received()).length === count);
    }
    expect(ended()).toBe(false);
    stream.write(get('get wlan.ssid', 'Connection: close\r\n'));
    await until(ended);
    expect(replies(received())).toHaveLength(4);
    await rig.close();
  });

  test('requests byte by byte are as good, and so are bare line feeds, HTTP/1.0 and half-closed clients', async () => {
    const rig = await webRig({ wire });
    const slow = await line(rig);
    const body = '{"command":"get wlan.ssid"}';
    for (const byte of `POST /command HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`) {
      slow.stream.write(byte);
      await turns(1);
    }
    await until(() => replies(slow.received()).length === 1);
    const bare = await line(rig);
    bare.stream.write('GET /command/get%20wlan.ssid HTTP/1.1\nHost: localhost\n\n');
    await until(() => replies(bare.received()).length === 1);
    const old = await line(rig);
    old.stream.end('GET /command/get%20wlan.ssid HTTP/1.0\r\n\r\n');
    await until(old.ended);
    expect(replies(old.received())).toEqual([{ id: 3, code: 0, flags: 0, response: 'harbour-open\r\n' }]);
    await rig.close();
  });

  test('requests ahead of the answers run in their order', async () => {
    const rig = await webRig({ wire });
    const { stream, received } = await line(rig);
    const body = '{"command":"get wlan.ssid"}';
    stream.write(
      `${get('set wlan.ssid one')}POST /command HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}${get('set wlan.ssid two')}${get('get wlan.ssid')}`,
    );
    await until(() => replies(received()).length === 4);
    expect(replies(received()).map(({ response }) => response)).toEqual([
      'Set OK\r\n',
      'one\r\n',
      'Set OK\r\n',
      'two\r\n',
    ]);
    await rig.close();
  });

  // MOD-HTTP-status-500
  test('a mistake of the firmware is a 500 with a line in the log, and no more', async () => {
    const rig = await webRig({ wire });
    const { executeNow } = rig.module;
    const late = () => Promise.reject(new Error('a mistake'));
    const atOnce = () => {
      throw new Error('a mistake');
    };
    for (const mistake of [late, atOnce]) {
      rig.module.executeNow = mistake;
      expect((await rig.call('GET', '/command/ver')).status).toBe(500);
      expect(rig.logged()).toContain('HTTP server error: Internal error');
    }
    rig.module.executeNow = executeNow;
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.close();
  });

  test('a client that expects 100 Continue gets it, unless its body is too long', async () => {
    // MOD-LIMIT-http-request
    const rig = await webRig({ wire });
    const asking = (bytes: number): string =>
      `POST /command HTTP/1.1\r\nContent-Length: ${bytes}\r\nExpect: 100-continue\r\n\r\n`;
    const short = await line(rig);
    const body = '{"command":"get wlan.ssid"}';
    short.stream.write(asking(body.length));
    await until(() => short.received() === 'HTTP/1.1 100 Continue\r\n\r\n');
    short.stream.write(body);
    await until(() => replies(short.received()).length === 1);
    const long = await line(rig);
    long.stream.write(asking(4097));
    await until(long.ended);
    expect(long.received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*4096 bytes\r\n$/);
    await rig.close();
  });

  test('too many requests that wait for their turn end the connection', async () => {
    const rig = await webRig({ wire });
    const { stream, ended } = await line(rig);
    let release = (): void => {};
    void rig.module.queue.run(() => new Promise<void>((resolve) => (release = resolve)));
    stream.write(get('ver').repeat(10 * maxPipelined));
    await until(ended);
    release();
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.close();
  });

  // MOD-RULE-http
  test('commands of all sources run one at a time in order of arrival', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 8 } });
    let inside = 0;
    let most = 0;
    const order: string[] = [];
    const run = rig.module.queue.run.bind(rig.module.queue);
    const watched: typeof run = (task) =>
      run(async () => {
        most = Math.max(most, ++inside);
        await turns(3);
        const result = await task();
        inside--;
        return result;
      });
    rig.module.queue.run = watched;
    const names = Array.from({ length: 40 }, (_, index) => `name${index}`);
    const calls = names.map(async (name) => {
      const [set, got] = await Promise.all([
        rig.run(`set wlan.ssid ${name}`),
        rig.call('GET', '/command/get%20wlan.ssid'),
      ]);
      order.push(name);
      return [set, got.status, replies(got.text)[0]?.code];
    });
    expect(await Promise.all(calls)).toEqual(names.map(() => ['0 Set OK', 200, 0]));
    expect(most).toBe(1);
    await rig.close();
  });

  test('many parallel clients each get their own reply', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 8 } });
    const names = Array.from({ length: 24 }, (_, index) => `n${index}`);
    const answers = await Promise.all(names.map((name) => rig.call('GET', `/command/file_stat%20${name}%20${name}`)));
    expect(answers.map(({ text }) => replies(text)[0]?.code)).toEqual(names.map(() => 5));
    const ids = answers.map(({ text }) => replies(text)[0]?.id);
    expect(new Set(ids).size).toBe(names.length);
    const wanted = await Promise.all(
      names.map((name) => rig.command({ command: `file_create ${name} ${name.length}`, data: name })),
    );
    expect(wanted.map(({ response }) => response)).toEqual(names.map(() => 'File created\r\n'));
    const contents = await Promise.all(names.map((name) => rig.call('GET', `/${name}`)));
    expect(contents.map(({ text }) => text)).toEqual(names);
    await rig.close();
  });

  // MOD-VAR-http.server.max_clients
  test('one client too many waits for a place, and takes that of an idle one', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 2 } });
    const first = await line(rig);
    const second = await line(rig);
    await turns();
    const third = await line(rig);
    third.stream.write(get('get wlan.ssid'));
    await turns();
    expect(third.received()).toBe('');
    first.stream.write(get('get wlan.ssid'));
    await until(() => replies(third.received()).length === 1);
    expect(replies(first.received())).toHaveLength(1);
    expect(first.received()).toContain('Connection: close');
    await until(first.ended);
    // The third is kept, has nothing to do, and makes room in its turn.
    const fourth = await line(rig);
    fourth.stream.write(get('get wlan.ssid'));
    await until(() => replies(fourth.received()).length === 1);
    await until(third.ended);
    expect(second.ended()).toBe(false);
    await rig.close();
  });

  test('clients that ask for nothing make room while others wait', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 2 } });
    const silent: Awaited<ReturnType<typeof line>>[] = [];
    for (let count = 0; count < 20; count++) silent.push(await line(rig));
    const asking = await line(rig);
    asking.stream.write(get('get wlan.ssid'));
    await turns();
    await rig.clock.advance(hasteMs - 1);
    await turns();
    expect(asking.received()).toBe('');
    await rig.clock.advance(1);
    // Before those that came earlier and said nothing.
    await until(() => replies(asking.received()).length === 1);
    expect(silent.filter(({ ended }) => ended()).length).toBeLessThanOrEqual(2);
    for (let count = 0; count < 10; count++) {
      await turns();
      await rig.clock.advance(hasteMs);
    }
    await until(() => silent.filter(({ ended }) => ended()).length >= 18);
    await rig.close();
  });

  test('50 that send a header slowly hold one place for as long as their first and a tenth of a second each', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 5 } });
    const slow: Awaited<ReturnType<typeof line>>[] = [];
    for (let count = 0; count < 50; count++) {
      const client = await line(rig);
      client.stream.write('GET / HT');
      slow.push(client);
    }
    const asking = await line(rig);
    asking.stream.write(get('get wlan.ssid'));
    await turns();
    await rig.clock.advance(hasteMs);
    for (let round = 0; round < 45 / 5; round++) {
      await turns();
      expect(asking.received()).toBe('');
      await rig.clock.advance(lateHasteMs);
    }
    await until(() => replies(asking.received()).length === 1);
    await rig.close();
  });

  test('more than a few that wait are turned away', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 1 } });
    const lines: Awaited<ReturnType<typeof line>>[] = [];
    for (let count = 0; count < 1 + maxWaitingClients + 2; count++) lines.push(await line(rig));
    await until(() => lines.filter(({ ended }) => ended()).length === 2);
    const refused = lines.filter(({ ended }) => ended()).map(({ received }) => received());
    for (const text of refused)
      expect(text).toMatch(
        /^HTTP\/1\.1 503 Service unavailable\r\n[\s\S]*\r\nService unavailable: too many clients\r\n$/,
      );
    await rig.close();
    await until(() => lines.every(({ ended }) => ended()));
  });

  test('those that go while they wait keep no other client out', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.max_clients': 1 } });
    const first = await line(rig);
    const lines: Awaited<ReturnType<typeof line>>[] = [];
    for (let count = 0; count < maxWaitingClients; count++) lines.push(await line(rig));
    await turns();
    for (const [index, { stream }] of lines.entries()) {
      if (index % 2 === 0) stream.destroy();
      else stream.end();
    }
    await turns();
    // One that has asked before it ended its direction still wants the answer.
    const hasty = await line(rig);
    hasty.stream.end(get('get wlan.ssid'));
    await turns();
    first.stream.end();
    await until(() => replies(hasty.received()).length === 1);
    await until(() => lines.every(({ ended }) => ended()));
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.close();
  });

  test('slow clients are cut: in a header, in a body, and between requests', async () => {
    const rig = await webRig({ wire });
    const [silent, header, body, kept] = [await line(rig), await line(rig), await line(rig), await line(rig)];
    const lines = [silent, header, body, kept];
    header.stream.write('GET / HTT');
    body.stream.write('POST /command HTTP/1.1\r\nContent-Length: 9\r\n\r\n{');
    kept.stream.write(get('get wlan.ssid'));
    await until(() => replies(kept.received()).length === 1);
    await turns();
    await rig.clock.advance(patienceMs - 10);
    await turns();
    expect(lines.map(({ ended }) => ended())).toEqual([false, false, false, false]);
    header.stream.write('P');
    body.stream.write('"');
    await turns();
    await rig.clock.advance(20);
    await until(() => lines.every(({ ended }) => ended()));
    expect(silent.received()).toBe('');
    await rig.close();
  });

  test('clients that go away in the middle of a request leave their places', async () => {
    const rig = await webRig({ wire });
    for (let count = 0; count < 20; count++) {
      const { stream } = await line(rig);
      stream.write('POST /command HTTP/1.1\r\nContent-Length: 50\r\n\r\n{');
      await turns(3);
      stream.destroy();
    }
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.close();
  });

  test('a client that reads nothing is cut, and others are served meanwhile', async () => {
    const rig = await webRig({ wire });
    await rig.put('big', Buffer.alloc(900_000, 'x'));
    const stream = await rig.dial();
    let received = 0;
    let ended = false;
    stream.on('error', () => {});
    for (const event of ['end', 'close']) {
      stream.on(event, () => {
        ended = true;
      });
    }
    stream.write('GET /big HTTP/1.1\r\n\r\n'.repeat(maxPipelined));
    for (let wait = 0; wait < 20; wait++) {
      await turns(100);
      await rig.clock.advance(patienceMs);
    }
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    stream.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await until(() => ended);
    expect(received).toBeLessThan(900_000 * maxPipelined);
    await rig.close();
  });

  // MOD-HTTP-status-400
  test.each([
    ['no HTTP', 'hello\r\n\r\n', '400'],
    ['a bad header', 'GET / HTTP/1.1\r\nbad header\r\n\r\n', '400'],
    ['two lengths', 'POST /command HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}', '400'],
    ['a bad chunk', 'POST /command HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', '400'],
    ['a header over 16 KiB', `GET / HTTP/1.1\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`, '431'],
    ['a path over 16 KiB', `GET /command/${'x'.repeat(17_000)} HTTP/1.1\r\n\r\n`, '431'],
  ])('%s is answered with %3$s', async (_, text, status) => {
    const rig = await webRig({ wire });
    const { stream, received, ended } = await line(rig);
    stream.write(text);
    await until(() => received().includes('\r\n\r\n'));
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await until(ended);
    expect((await rig.call('GET', '/command/ver')).status).toBe(200);
    await rig.close();
  });

  test('a restart of the interface restarts the server, with what has been set since', async () => {
    const rig = await webRig({ wire, variables: { 'http.server.cors_origin': 'http://a' } });
    const idle = await line(rig);
    await rig.run('set http.server.cors_origin http://b');
    await rig.run('set http.server.username ada');
    await rig.run('set http.server.password secret');
    const before = await rig.call('GET', '/log');
    expect([before.status, before.headers['access-control-allow-origin']]).toEqual([200, 'http://a']);
    rig.module.wlan.down('wlan');
    await until(idle.ended);
    await turns();
    await expect(rig.call('GET', '/log')).rejects.toThrow();
    rig.logged();
    unwrap(await rig.module.wlan.ensureUp());
    expect(rig.logged()).toContain(`HTTP and REST API server listening on port: ${rig.port}`);
    const after = await rig.call('GET', '/log');
    expect([after.status, after.headers['access-control-allow-origin']]).toEqual([401, 'http://b']);
    await rig.close();
  });

  test('the answer to network_down and to reboot still comes', async () => {
    const rig = await webRig({ wire });
    expect(await rig.command({ command: 'network_down' })).toMatchObject({ code: 0, response: 'Success\r\n' });
    await expect(rig.call('GET', '/log')).rejects.toThrow();
    unwrap(await rig.module.wlan.ensureUp());
    const rebooting = rig.command({ command: 'reboot' });
    await turns();
    await rig.clock.advance(10_000);
    expect(await rebooting).toMatchObject({ code: 0 });
    await rig.close();
  });

  test('commands that wait when the server stops do not run any more', async () => {
    const rig = await webRig({ wire });
    const gate = Promise.withResolvers<void>();
    void rig.module.queue.run(() => gate.promise);
    const waiting = rig.call('GET', '/command/set%20mdns.name%20late').catch(() => undefined);
    await turns();
    rig.module.wlan.down('wlan');
    gate.resolve();
    await waiting;
    expect(rig.module.variables.get('mdns.name')).not.toBe('late');
    await rig.close();
  });
});
