import { networkInterfaces } from 'node:os';
import type { Duplex } from 'node:stream';
import { createServer } from 'node:tls';
import { realClock, unwrap, VirtualClock } from '@moorage/base';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testCertificates } from '../testing/certificates.ts';
import { MemoryNetwork } from './memory.ts';
import { nodeNet } from './node.ts';
import type { Connection, Listener, Net } from './ports.ts';

const timeoutMs = 5_000;

const loopback = { ip: '127.0.0.1', portOffset: 0, listenLan: false };

interface Pair {
  readonly near: Net;
  readonly far: Net;
  readonly farHost: string;
}

/** Both nets behave alike; the real one only on loopback. */
const nets: readonly { readonly name: string; readonly make: () => Pair }[] = [
  {
    name: 'memory',
    make: () => {
      const network = new MemoryNetwork(realClock);
      return { near: network.attach('near', '10.0.0.1'), far: network.attach('far', '10.0.0.2'), farHost: 'far' };
    },
  },
  { name: 'node', make: () => ({ near: nodeNet(loopback), far: nodeNet(loopback), farHost: 'localhost' }) },
];

async function textOf(stream: Duplex): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
}

/** Closed even when a test fails. */
const open: (Listener | Duplex)[] = [];

afterEach(async () => {
  for (const thing of open.splice(0)) {
    if ('close' in thing) await thing.close();
    else thing.destroy();
  }
});

async function connect({ near, far, farHost }: Pair) {
  const accepted = Promise.withResolvers<Connection>();
  const listener = unwrap(await far.listen(0, accepted.resolve));
  const client = unwrap(await near.dial({ host: farHost, port: listener.port, timeoutMs }));
  const server = await accepted.promise;
  open.push(listener, client.stream, server.stream);
  return { listener, client, server };
}

describe.each(nets)('$name net', ({ make }) => {
  test('bytes go both ways and a half-close leaves the other way open', async () => {
    const { client, server } = await connect(make());
    client.stream.end('question');
    expect(await textOf(server.stream)).toBe('question');
    server.stream.end('answer');
    expect(await textOf(client.stream)).toBe('answer');
  });

  test('both ends agree on their addresses', async () => {
    const { listener, client, server } = await connect(make());
    expect(client.remotePort).toBe(listener.port);
    expect(server.localPort).toBe(listener.port);
    expect(server.remotePort).toBe(client.localPort);
    expect(server.remoteAddress).toBe(client.localAddress);
  });

  test('a megabyte arrives whole at a slow reader', async () => {
    const { client, server } = await connect(make());
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
    const { client, server } = await connect(make());
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

describe('memory net', () => {
  const silentNet = () => {
    const clock = new VirtualClock();
    const network = new MemoryNetwork(clock);
    const far = network.attach('far', '10.0.0.2');
    return { clock, network, far, near: network.attach('near', '10.0.0.1') };
  };

  // The real net has no address on loopback that stays silent; its time-out is the same timer as for TLS, tested below.
  test('a dial that nobody answers times out', async () => {
    const { clock, network, near } = silentNet();
    network.conditions = () => ({ silent: true });
    const dialled = near.dial({ host: 'far', port: 1, timeoutMs: 1000 });
    await clock.advance(1000);
    expect(await dialled).toMatchObject({ ok: false, error: { error: 'timeout' } });
  });

  test('latency delays every byte', async () => {
    const { clock, network, near, far } = silentNet();
    network.conditions = () => ({ latencyMs: 10 });
    await far.listen(7, ({ stream }) => stream.pipe(stream));
    const dialled = near.dial({ host: 'far', port: 7, timeoutMs: 1000 });
    await clock.advance(20);
    const { stream } = unwrap(await dialled);
    stream.write('x');
    await clock.advance(19);
    expect(stream.read()).toBeNull();
    await clock.advance(1);
    expect(String(stream.read())).toBe('x');
  });

  test.each([0, 1, 4, 5])('a cut after %i bytes delivers just these and resets', async (cutAfterBytes) => {
    const { network, near, far } = silentNet();
    network.conditions = () => ({ cutAfterBytes });
    await far.listen(7, ({ stream }) => stream.write('hello world'));
    const { stream } = unwrap(await near.dial({ host: 'far', port: 7, timeoutMs: 1000 }));
    let text = '';
    const read = (async () => {
      for await (const chunk of stream) text += String(chunk);
    })();
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(text).toBe('hello world'.slice(0, cutAfterBytes));
  });
});

const outer = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find((address) => address.family === 'IPv4' && !address.internal)?.address;

describe('node net', () => {
  let certificates: Awaited<ReturnType<typeof testCertificates>>;
  beforeAll(async () => {
    certificates = await testCertificates();
  });

  async function tlsServer(options: { readonly demandsCertificate: boolean }) {
    const { ca, server } = certificates;
    const peers: string[] = [];
    const listening = createServer(
      { ...server, ca, requestCert: true, rejectUnauthorized: options.demandsCertificate },
      (socket) => {
        peers.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'nobody');
        socket.on('error', () => {});
        socket.end('hello');
      },
    );
    listening.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const address = listening.address();
    const close = async () => {
      listening.close();
    };
    const port = typeof address === 'object' && address ? address.port : 0;
    open.push({ address: '127.0.0.1', port, close });
    return { port, peers };
  }

  test.each(['localhost', '127.0.0.1'])('a TLS dial to %s shows the client certificate', async (host) => {
    const { port, peers } = await tlsServer({ demandsCertificate: true });
    const device = await certificates.issue('device-1', true);
    const tls = { ca: certificates.ca, ...device };
    const { stream } = unwrap(await nodeNet(loopback).dial({ host, port, timeoutMs, tls }));
    expect(await textOf(stream)).toBe('hello');
    expect(peers).toEqual(['device-1']);
    stream.destroy();
  });

  test('a TLS dial without certificate of its own is possible', async () => {
    const { port, peers } = await tlsServer({ demandsCertificate: false });
    const { stream } = unwrap(
      await nodeNet(loopback).dial({ host: 'localhost', port, timeoutMs, tls: { ca: certificates.ca } }),
    );
    expect(await textOf(stream)).toBe('hello');
    expect(peers).toEqual(['nobody']);
    stream.destroy();
  });

  test('a server that another authority vouches for is refused', async () => {
    const { port } = await tlsServer({ demandsCertificate: false });
    const other = await testCertificates();
    const dialled = await nodeNet(loopback).dial({ host: 'localhost', port, timeoutMs, tls: { ca: other.ca } });
    expect(dialled).toMatchObject({ ok: false, error: { error: 'tls' } });
  });

  test('a server under another name is refused', async () => {
    const { port } = await tlsServer({ demandsCertificate: false });
    const tls = { ca: certificates.ca, serverName: 'elsewhere.example' };
    const dialled = await nodeNet(loopback).dial({ host: 'localhost', port, timeoutMs, tls });
    expect(dialled).toMatchObject({ ok: false, error: { error: 'tls' } });
  });

  test('a TLS server that stays silent times out', async () => {
    const net = nodeNet(loopback);
    const listener = unwrap(await net.listen(0, ({ stream }) => open.push(stream)));
    open.push(listener);
    const dialled = await net.dial({ host: 'localhost', port: listener.port, timeoutMs: 50, tls: {} });
    expect(dialled).toMatchObject({ ok: false, error: { error: 'timeout' } });
  });

  // Spec: MOD-NET-port-offset.
  test('ports that the module opens are shifted by the offset', async () => {
    const free = unwrap(await nodeNet(loopback).listen(0, () => {}));
    await free.close();
    const listener = unwrap(await nodeNet({ ...loopback, portOffset: free.port - 80 }).listen(80, () => {}));
    open.push(listener);
    expect(listener.port).toBe(free.port);
    const beyond = await nodeNet({ ...loopback, portOffset: 65_500 }).listen(80, () => {});
    expect(beyond).toMatchObject({ ok: false, error: { error: 'unreachable' } });
  });

  // Spec: MOD-NET-loopback-guard. Skipped on a host that has no address outside the loopback range to come from.
  test.skipIf(!outer)('listeners drop peers from outside the loopback range unless told otherwise', async () => {
    if (!outer) return;
    for (const listenLan of [false, true]) {
      const net = nodeNet({ ip: '0.0.0.0', portOffset: 0, listenLan });
      const listener = unwrap(await net.listen(0, ({ stream }) => stream.end('hello')));
      open.push(listener);
      const dialled = await net.dial({ host: outer, port: listener.port, timeoutMs });
      const text = dialled.ok ? await textOf(dialled.value.stream).catch(() => '') : '';
      if (dialled.ok) dialled.value.stream.destroy();
      expect(text).toBe(listenLan ? 'hello' : '');
    }
  });

  test('a module at an address of its own dials from that address', async () => {
    const pair = { near: nodeNet({ ...loopback, ip: '127.0.0.9' }), far: nodeNet(loopback), farHost: '127.0.0.1' };
    const { server } = await connect(pair);
    expect(server.remoteAddress).toBe('127.0.0.9');
  });
});
