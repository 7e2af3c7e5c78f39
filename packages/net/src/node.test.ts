import { createSocket } from 'node:dgram';
import { createServer } from 'node:tls';
import { unwrap } from '@moorage/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { nodeNet } from './node/index.ts';
import type { TlsSession } from './ports.ts';
import { testCertificates } from './testing/certificates.ts';
import { connect, freePort, loopback, mailbox, opened, outerAddress, textOf, timeoutMs } from './testing/nets.ts';

const open = opened();

/** A socket of another program, closed after the test. */
async function stranger(address: string, port = 0) {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(port, address, resolve));
  open.push({ close: () => new Promise<void>((resolve) => socket.close(resolve)) });
  return socket;
}

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
        peers.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : 'no certificate');
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
    open.push({ close });
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

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a TLS dial resumes what the one before has left (%s)',
    async (maxVersion) => {
      const { server } = certificates;
      const resumed: boolean[] = [];
      const listening = createServer({ ...server, maxVersion }, (socket) => {
        resumed.push(socket.isSessionReused());
        socket.on('error', () => {});
        socket.end('hello');
      });
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
      open.push({ close: async () => void listening.close() });
      const address = listening.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      const resumption: TlsSession = { ticket: undefined };
      const dial = async (ca: string) => {
        const dialled = await nodeNet(loopback).dial({ host: 'localhost', port, timeoutMs, tls: { ca, resumption } });
        if (dialled.ok) await textOf(dialled.value.stream);
        return dialled.ok;
      };
      for (let count = 0; count < 3; count++) expect(await dial(certificates.ca)).toBe(true);
      expect(resumed).toEqual([false, true, true]);
      // It keeps nothing but itself in memory.
      expect(resumption.ticket?.buffer.byteLength).toBe(resumption.ticket?.length);
      // What is no ticket of this server is no harm.
      listening.setTicketKeys(Buffer.alloc(48, 7));
      expect(await dial(certificates.ca)).toBe(true);
      expect(resumed.at(-1)).toBe(false);
    },
  );

  test('a TLS dial without certificate of its own is possible', async () => {
    const { port, peers } = await tlsServer({ demandsCertificate: false });
    const { stream } = unwrap(
      await nodeNet(loopback).dial({ host: 'localhost', port, timeoutMs, tls: { ca: certificates.ca } }),
    );
    expect(await textOf(stream)).toBe('hello');
    expect(peers).toEqual(['no certificate']);
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

  // Spec: MOD-NET-port-offset.
  test('ports that the module opens are shifted by the offset', async () => {
    const free = unwrap(await nodeNet(loopback).listen(0, () => {}));
    await free.close();
    const localPorts: number[] = [];
    const offset = nodeNet({ ...loopback, portOffset: free.port - 80 });
    const listener = unwrap(await offset.listen(80, ({ localPort }) => localPorts.push(localPort)));
    open.push(listener);
    expect(listener.port).toBe(free.port);
    const caller = unwrap(await nodeNet(loopback).dial({ host: '127.0.0.1', port: free.port, timeoutMs }));
    // Whoever shows it shows the port that the module has.
    await expect.poll(() => localPorts).toEqual([80]);
    caller.stream.destroy();
    const remotePorts: number[] = [];
    const server = unwrap(await nodeNet(loopback).listen(0, ({ remotePort }) => remotePorts.push(remotePort)));
    open.push(server);
    const shifted = nodeNet({ ...loopback, portOffset: free.port - 79 });
    const [host, { port }] = ['127.0.0.1', server];
    const dialled = unwrap(await shifted.dial({ host, port, localPort: 80, timeoutMs }));
    await expect.poll(() => remotePorts).toEqual([free.port + 1]);
    dialled.stream.destroy();
    const far = nodeNet({ ...loopback, portOffset: 65_500 });
    expect(await far.dial({ host, port, localPort: 80, timeoutMs })).toMatchObject({ ok: false });
    expect(remotePorts).toHaveLength(1);
    const beyond = await far.listen(80, () => {});
    expect(beyond).toMatchObject({ ok: false, error: { error: 'unreachable' } });
  });

  // Spec: MOD-NET-loopback-guard. Skipped on a host that has no address outside the loopback range to come from.
  test.skipIf(!outerAddress)(
    'listeners drop peers from outside the loopback range unless an option says otherwise',
    async () => {
      if (!outerAddress) return;
      for (const listenLan of [false, true]) {
        const net = nodeNet({ ip: '0.0.0.0', portOffset: 0, listenLan });
        const listener = unwrap(await net.listen(0, ({ stream }) => stream.end('hello')));
        open.push(listener);
        const dialled = await net.dial({ host: outerAddress, port: listener.port, timeoutMs });
        const text = dialled.ok ? await textOf(dialled.value.stream).catch(() => '') : '';
        if (dialled.ok) dialled.value.stream.destroy();
        expect(text).toBe(listenLan ? 'hello' : '');
      }
    },
  );

  test('a module at an address of its own dials from that address', async () => {
    const pair = {
      near: nodeNet({ ...loopback, ip: '127.0.0.9' }),
      far: nodeNet(loopback),
      farHost: '127.0.0.1',
      nearAddress: '127.0.0.9',
    };
    const { server } = await connect(pair, open);
    expect(server.remoteAddress).toBe('127.0.0.9');
  });
});

describe('datagrams of the node net', () => {
  // Spec: MOD-NET-port-offset. The port of a group is the protocol's own: others would not find the module elsewhere.
  test('ports are shifted by the offset, those of groups are not', async () => {
    const port = (await freePort(nodeNet(loopback))) - 1000;
    const net = nodeNet({ ...loopback, portOffset: 1000 });
    expect(net.reachedAt?.(80)).toBe(1080);
    const [plain, member] = [await mailbox(net, { port }), await mailbox(net, { port, group: '239.255.77.79' })];
    open.push(plain, member);
    expect([plain.port, member.port]).toEqual([port + 1000, port]);
    const beyond = await nodeNet({ ...loopback, portOffset: 65_500 }).datagrams({ port: 137 }, () => {});
    expect(beyond).toMatchObject({ ok: false, error: { error: 'unreachable' } });
  });

  test.each(['255.255.255.255', '127.255.255.255'])(
    'a broadcast to %s reaches other programs of the machine alone',
    async (address) => {
      const program = await stranger('0.0.0.0');
      const heard = new Promise<string>((resolve) => {
        program.once('message', (bytes, from) => resolve(`${bytes} from ${from.address}`));
      });
      const socket = await mailbox(nodeNet({ ...loopback, ip: '127.0.0.7' }), { port: 0 });
      open.push(socket);
      unwrap(await socket.send(Buffer.from('status'), address, program.address().port));
      expect(await heard).toBe('status from 127.0.0.7');
    },
  );

  // Spec: MOD-NET-loopback-guard. Skipped on a host that has no address outside the loopback range to come from.
  test.skipIf(!outerAddress)(
    'datagrams from outside the loopback range are dropped unless an option says otherwise',
    async () => {
      if (!outerAddress) return;
      for (const listenLan of [false, true]) {
        const socket = await mailbox(nodeNet({ ip: '0.0.0.0', portOffset: 0, listenLan }), { port: 0 });
        open.push(socket);
        const [outside, inside] = [await stranger(outerAddress), await stranger('127.0.0.1')];
        await new Promise((resolve) => outside.send('outside', socket.port, outerAddress, resolve));
        await new Promise((resolve) => inside.send('inside', socket.port, '127.0.0.1', resolve));
        expect(String(Buffer.from((await socket.next()).bytes))).toBe(listenLan ? 'outside' : 'inside');
      }
    },
  );

  test.skipIf(!outerAddress)('a host outside the loopback range may answer', async () => {
    if (!outerAddress) return;
    const socket = await mailbox(nodeNet(loopback), { port: 0 });
    const server = await stranger(outerAddress);
    open.push(socket);
    server.on('message', (bytes, from) => server.send(bytes, from.port, from.address));
    expect(await socket.send(Buffer.from('time?'), outerAddress, server.address().port)).toMatchObject({ ok: true });
    expect(await socket.next()).toMatchObject({ address: outerAddress, port: server.address().port });
  });
});
