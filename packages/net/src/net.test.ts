import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Connection, NetFailure } from './ports.ts';
import { testCertificates } from './testing/certificates.ts';
import { connect, freePort, mailbox, nets, opened, textOf, timeoutMs } from './testing/nets.ts';

const open = opened();

describe.each(nets)('$name net', ({ make }) => {
  test('bytes go both ways and a half-close leaves the other way open', async () => {
    const { client, server } = await connect(make(), open);
    client.stream.end('question');
    expect(await textOf(server.stream)).toBe('question');
    server.stream.end('answer');
    expect(await textOf(client.stream)).toBe('answer');
  });

  test('in order, what a connection has sent, and its end, are heard before a later one is handed over', async () => {
    const { near, far } = make();
    const heard: string[] = [];
    const listener = unwrap(
      await far.listen(
        0,
        ({ stream }) => {
          open.push(stream);
          heard.push('new');
          stream.on('data', (bytes) => heard.push(String(bytes))).on('end', () => heard.push('end'));
          stream.resume();
        },
        { inOrder: true },
      ),
    );
    open.push(listener);
    for (let count = 0; count < 20; count++) {
      const { stream } = unwrap(await near.dial({ host: listener.address, port: listener.port, timeoutMs }));
      open.push(stream);
      await new Promise<void>((resolve) => stream.end('last', resolve));
    }
    await expect.poll(() => heard.length).toBe(60);
    expect(heard).toEqual(Array.from({ length: 20 }, () => ['new', 'last', 'end']).flat());
  });

  test('both ends agree on their addresses', async () => {
    const { listener, client, server } = await connect(make(), open);
    expect(client.remotePort).toBe(listener.port);
    expect(server.localPort).toBe(listener.port);
    expect(server.remotePort).toBe(client.localPort);
    expect(server.remoteAddress).toBe(client.localAddress);
  });

  test('a megabyte arrives whole at a slow reader', async () => {
    const { client, server } = await connect(make(), open);
    const bytes = Buffer.alloc(1024 * 1024, 'abcdefg');
    client.stream.end(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of server.stream) {
      chunks.push(chunk as Buffer);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  test('destroying one end ends the other', async () => {
    const { client, server } = await connect(make(), open);
    const closed = new Promise((resolve) => client.stream.once('close', resolve));
    client.stream.on('error', () => {});
    client.stream.resume();
    client.stream.once('end', () => client.stream.end());
    server.stream.destroy();
    await closed;
    expect(client.stream.destroyed).toBe(true);
  });

  test('a port without listener refuses, also after the listener has closed', async () => {
    const pair = make();
    const listener = unwrap(await pair.far.listen(0, () => {}));
    await listener.close();
    const refused = await pair.near.dial({ host: pair.farHost, port: listener.port, timeoutMs });
    expect(refused).toMatchObject({ ok: false, error: { error: 'refused' } });
  });

  test('a port that is taken is refused', async () => {
    const { far } = make();
    const listener = unwrap(await far.listen(0, () => {}));
    open.push(listener);
    expect(await far.listen(listener.port, () => {})).toMatchObject({ ok: false, error: { error: 'in-use' } });
  });

  test('a host that does not exist is not found', async () => {
    const { near } = make();
    const missing = { ok: false, error: { error: 'not-found' } };
    expect(await near.resolve('nowhere.invalid')).toMatchObject(missing);
    expect(await near.dial({ host: 'nowhere.invalid', port: 1, timeoutMs })).toMatchObject(missing);
  });

  test('a name resolves to its IPv4 address and an address to itself', async () => {
    const { near, farHost } = make();
    const address = unwrap(await near.resolve(farHost));
    expect(address).toMatch(/^\d+(\.\d+){3}$/);
    expect(unwrap(await near.resolve(address))).toBe(address);
  });

  test('a lease has four addresses', () => {
    const lease = make().near.lease();
    expect(Object.keys(lease).sort()).toEqual(['dns', 'gateway', 'ip', 'netmask']);
    for (const address of Object.values(lease)) expect(address).toMatch(/^\d+(\.\d+){3}$/);
  });
});

describe.each(nets)('TLS over the $name net', ({ make }) => {
  let certificates: Awaited<ReturnType<typeof testCertificates>>;
  beforeAll(async () => {
    certificates = await testCertificates();
  });

  async function tlsListener(pair: ReturnType<typeof make>, demandsCertificate = false) {
    const accepted = Promise.withResolvers<Connection>();
    const refused = Promise.withResolvers<NetFailure>();
    const { ca, server } = certificates;
    const clientCa = demandsCertificate ? ca : undefined;
    const tls = { ...(await certificates.issue(pair.farHost, false)), ...(clientCa && { clientCa }) };
    const options = { tls: server && tls, handshakeTimeoutMs: 100, refused: refused.resolve };
    const listener = unwrap(await pair.far.listen(0, accepted.resolve, options));
    open.push(listener);
    return { port: listener.port, accepted: accepted.promise, refused: refused.promise };
  }

  const dialTo = (pair: ReturnType<typeof make>, port: number, tls = {}) =>
    pair.near.dial({ host: pair.farHost, port, timeoutMs, tls: { ca: certificates.ca, ...tls } });

  test('a handshake comes before the connection is handed over, and bytes go both ways', async () => {
    const pair = make();
    const { port, accepted } = await tlsListener(pair);
    const client = unwrap(await dialTo(pair, port));
    const server = await accepted;
    open.push(client.stream, server.stream);
    expect([client.remotePort, server.localPort, server.remotePort]).toEqual([port, port, client.localPort]);
    client.stream.end('question');
    expect(await textOf(server.stream)).toBe('question');
    server.stream.end('answer');
    expect(await textOf(client.stream)).toBe('answer');
  });

  test('an open connection can be secured later', async () => {
    const pair = make();
    const { port, accepted } = await tlsListener(pair);
    const plain = unwrap(await pair.near.dial({ host: pair.farHost, port, timeoutMs }));
    const tls = { ca: certificates.ca };
    const client = unwrap(await pair.near.secure(plain, { host: pair.farHost, tls, timeoutMs }));
    open.push(client.stream);
    (await accepted).stream.end('hello');
    expect(await textOf(client.stream)).toBe('hello');
    expect(client.localPort).toBe(plain.localPort);
  });

  test('an unknown authority is refused on both sides', async () => {
    const pair = make();
    const { port, refused } = await tlsListener(pair);
    const { ca } = await testCertificates();
    expect(await dialTo(pair, port, { ca })).toMatchObject({ ok: false, error: { error: 'tls' } });
    expect(['tls', 'reset']).toContain((await refused).error);
  });

  test('another name than that of the certificate is refused', async () => {
    const pair = make();
    const { port } = await tlsListener(pair);
    const dialled = await dialTo(pair, port, { serverName: 'elsewhere.example' });
    expect(dialled).toMatchObject({ ok: false, error: { error: 'tls' } });
  });

  test('a client certificate is demanded where the listener has an authority for it', async () => {
    const pair = make();
    const without = await tlsListener(pair, true);
    const bare = await dialTo(pair, without.port);
    expect(await without.refused).toMatchObject({ error: 'tls' });
    if (bare.ok) bare.value.stream.destroy();
    const shown = await tlsListener(pair, true);
    const client = unwrap(await dialTo(pair, shown.port, await certificates.issue('device-1', true)));
    open.push(client.stream, (await shown.accepted).stream);
  });

  test('a client that stays silent is given up', async () => {
    const pair = make();
    const { port, refused } = await tlsListener(pair);
    const plain = unwrap(await pair.near.dial({ host: pair.farHost, port, timeoutMs }));
    open.push(plain.stream);
    expect(await refused).toMatchObject({ error: 'timeout' });
  });

  test('bytes that are no TLS are refused', async () => {
    const pair = make();
    const { port, refused } = await tlsListener(pair);
    const plain = unwrap(await pair.near.dial({ host: pair.farHost, port, timeoutMs }));
    open.push(plain.stream);
    plain.stream.write('GET / HTTP/1.0\r\n\r\n');
    expect(await refused).toMatchObject({ error: 'tls' });
  });

  test('a server that stays silent times out', async () => {
    const pair = make();
    const listener = unwrap(await pair.far.listen(0, ({ stream }) => open.push(stream)));
    open.push(listener);
    const dialled = await pair.near.dial({ host: pair.farHost, port: listener.port, timeoutMs: 50, tls: {} });
    expect(dialled).toMatchObject({ ok: false, error: { error: 'timeout' } });
  });

  test('a certificate that is none is refused', async () => {
    const pair = make();
    const refused = Promise.withResolvers<NetFailure>();
    const tls = { cert: 'nonsense', key: 'nonsense' };
    const listener = unwrap(await pair.far.listen(0, () => {}, { tls, refused: refused.resolve }));
    open.push(listener);
    const dialled = await dialTo(pair, listener.port);
    expect(dialled.ok).toBe(false);
    expect(await refused.promise).toMatchObject({ error: 'tls' });
  });
});

describe.each(nets)('datagrams over the $name net', ({ make }) => {
  const group = '239.255.77.77';

  test('one goes there and another back, to address and port of its sender', async () => {
    const { near, far, farHost, nearAddress } = make();
    const [asker, answerer] = [await mailbox(near, { port: 0 }), await mailbox(far, { port: 0 })];
    open.push(asker, answerer);
    expect(await asker.send(Buffer.from('question'), farHost, answerer.port)).toMatchObject({ ok: true });
    const question = await answerer.next();
    expect(question).toMatchObject({ address: nearAddress, port: asker.port });
    expect(String(Buffer.from(question.bytes))).toBe('question');
    unwrap(await answerer.send(Buffer.from('answer'), question.address, question.port));
    expect(String(Buffer.from((await asker.next()).bytes))).toBe('answer');
  });

  test('an empty one and the longest one arrive whole', async () => {
    const { near, far, farHost } = make();
    const [asker, answerer] = [await mailbox(near, { port: 0 }), await mailbox(far, { port: 0 })];
    open.push(asker, answerer);
    for (const size of [0, 65_507]) {
      expect(await asker.send(new Uint8Array(size).fill(7), farHost, answerer.port)).toMatchObject({ ok: true });
      expect((await answerer.next()).bytes.length).toBe(size);
    }
    expect(await asker.send(new Uint8Array(65_508), farHost, answerer.port)).toMatchObject({ ok: false });
  });

  test('a port that is taken is refused, and free again once it is closed', async () => {
    const { far } = make();
    const first = await mailbox(far, { port: 0 });
    expect(await far.datagrams({ port: first.port }, () => {})).toMatchObject({
      ok: false,
      error: { error: 'in-use' },
    });
    await first.close();
    open.push(await mailbox(far, { port: first.port }));
  });

  test('a name that does not exist and a closed socket are refusals', async () => {
    const { near, farHost } = make();
    const socket = await mailbox(near, { port: 0 });
    const missing = await socket.send(new Uint8Array(1), 'nowhere.invalid', 9);
    expect(missing).toMatchObject({ ok: false, error: { error: 'not-found' } });
    await socket.close();
    expect(await socket.send(new Uint8Array(1), farHost, 9)).toMatchObject({ ok: false });
  });

  test('every member of a group hears what is sent to it, others on the port do not', async () => {
    const { near, far, nearAddress } = make();
    const port = await freePort(far);
    const [first, second] = [await mailbox(near, { port, group }), await mailbox(far, { port, group })];
    const other = await mailbox(far, { port, group: '239.255.77.78' });
    open.push(first, second, other);
    unwrap(await first.send(Buffer.from('who is there'), group, port));
    expect(await second.next()).toMatchObject({ address: nearAddress, port });
    unwrap(await first.send(Buffer.from('over'), '239.255.77.78', port));
    expect(String(Buffer.from((await other.next()).bytes))).toBe('over');
  });

  test('a socket without a group sends to one, and is answered', async () => {
    const { near, far } = make();
    const port = await freePort(far);
    const [asker, member] = [await mailbox(near, { port: 0 }), await mailbox(far, { port, group })];
    open.push(asker, member);
    unwrap(await asker.send(Buffer.from('question'), group, port));
    const { address, port: back } = await member.next();
    unwrap(await member.send(Buffer.from('answer'), address, back));
    expect(await asker.next()).toMatchObject({ port });
  });

  test('a broadcast reaches every socket on its port', async () => {
    const { near, far } = make();
    const sender = await mailbox(near, { port: 0 });
    const port = await freePort(far);
    const [here, there] = [await mailbox(near, { port }), await mailbox(far, { port })];
    open.push(sender, here, there);
    unwrap(await sender.send(Buffer.from('hello'), '255.255.255.255', port));
    for (const { next } of [here, there]) expect(await next()).toMatchObject({ port: sender.port });
  });
});

describe.each(nets)('ping over the $name net', ({ make }) => {
  test('a host that is there answers in some time', async () => {
    const { near, farHost } = make();
    const answer = unwrap(await near.ping(farHost, timeoutMs));
    expect(answer).toBeGreaterThanOrEqual(0);
    expect(answer).toBeLessThan(timeoutMs);
  });

  test('a host that does not exist is not found', async () => {
    expect(await make().near.ping('nowhere.invalid', timeoutMs)).toMatchObject({
      ok: false,
      error: { error: 'not-found' },
    });
  });
});
