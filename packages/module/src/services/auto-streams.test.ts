import { unwrap } from '@moorage/base';
import { afterEach, describe, expect, test } from 'vitest';
import { farPort, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

/** Sets variables of one prefix, and restarts the network so that they act. */
async function configure(prefix: string, values: Readonly<Record<string, string | number>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    expect(await rig.run(`set ${prefix}.${name} ${value}`)).toBe('0 Set OK');
  }
}

async function restart(): Promise<readonly string[]> {
  await rig.run('network_down');
  await rig.run('network_up');
  return rig.said();
}

/** Of a network that is known from before. */
const joined = ['[Associating to harbour-open]', 'Obtaining IPv4 address via DHCP'];

describe('tcp.client.auto_start', () => {
  const opening = [`[Opening: far.test:${farPort}]`, `Connecting (TCP): far.test:${farPort}`];
  const client = { auto_start: 1, remote_host: 'far.test', remote_port: farPort, retries: 1 };

  test('connects when the interface is up, after the join', async () => {
    // MOD-VAR-tcp.client.auto_start, MOD-VAR-tcp.client.auto_interface, MOD-VAR-tcp.client.remote_host
    rig = await socketRig();
    await rig.serve();
    await configure('tcp.client', client);
    await rig.run('network_down');
    await rig.run('network_up');
    const lines = await rig.said();
    expect(lines.slice(-4)).toEqual(['[Associated]', ...opening, '[Opened: 0]']);
    expect(await rig.run('poll all')).toBe('0 0,0');
  });

  test('connects again as often as auto_retries says after the server has closed', async () => {
    // MOD-VAR-tcp.client.auto_retries
    rig = await socketRig();
    const { accepted } = await rig.serve();
    await configure('tcp.client', { ...client, auto_retries: 2, retry_period: 3 });
    await restart();
    for (let count = 0; count < 2; count++) {
      accepted[count]?.stream.end();
      expect(await rig.said()).toEqual(['[Closed: 0]']);
      await rig.clock.advance(2_900);
      expect(await rig.said()).toEqual([]);
      await rig.clock.advance(200);
      expect(await rig.said()).toEqual([...opening, '[Opened: 0]']);
    }
    accepted[2]?.stream.end();
    await rig.clock.advance(60_000);
    expect(await rig.said()).toEqual(['[Closed: 0]']);
    expect(await restart()).toContain('[Opened: 0]');
  });

  test('255 retries for ever, also while the server is not there', async () => {
    rig = await socketRig();
    await configure('tcp.client', { ...client, auto_retries: 255, retry_period: 1 });
    await restart();
    await rig.clock.advance(300_000);
    expect((await rig.said()).filter((line) => line === '[Open failed]').length).toBeGreaterThan(255);
    await rig.serve();
    await rig.clock.advance(1_100);
    expect((await rig.said()).at(-1)).toBe('[Opened: 0]');
  });

  test('a stream that the user closes stays closed until the interface has been down', async () => {
    rig = await socketRig();
    await rig.serve();
    await configure('tcp.client', { ...client, auto_retries: 255, retry_period: 1 });
    await restart();
    expect(await rig.run('close 0')).toBe('Closing: 0|[Closed: 0]|0 Success');
    await rig.clock.advance(60_000);
    expect(await rig.said()).toEqual(['Closing: 0', '[Closed: 0]']);
    expect((await restart()).at(-1)).toBe('[Opened: 0]');
  });

  test('network_down ends it, even between two attempts', async () => {
    rig = await socketRig();
    await configure('tcp.client', { ...client, auto_retries: 255, retry_period: 10 });
    await restart();
    await rig.run('network_down');
    await rig.said();
    await rig.clock.advance(60_000);
    expect(await rig.said()).toEqual([]);
  });

  test('does nothing without a host, and on the other interface', async () => {
    rig = await socketRig();
    await rig.serve();
    await configure('tcp.client', { auto_start: 1 });
    expect(await restart()).toEqual([...joined, 'IPv4 address: 10.5.6.108', '[Associated]']);
    await configure('tcp.client', { ...client, auto_interface: 'softap' });
    expect((await restart()).at(-1)).toBe('[Associated]');
  });
});

describe('servers that start by themselves', () => {
  test('tcp.server.auto_start listens while the interface is up', async () => {
    // MOD-VAR-tcp.server.auto_start, MOD-VAR-tcp.server.auto_interface
    rig = await socketRig();
    await configure('tcp.server', { auto_start: 1, port: 3100, auto_interface: 'wlan' });
    expect(await restart()).toEqual([
      ...joined,
      'IPv4 address: 10.5.6.108',
      'TCP server listening on port: 3100',
      '[Associated]',
    ]);
    await rig.call(3100);
    expect(await rig.said()).toEqual(['[Opened: 0]']);
    expect(await rig.run('tcps stop')).toBe('[Closed: 0]|0 Success');
    expect(await restart()).toContain('TCP server listening on port: 3100');
  });

  test('a TLS server without its files says why', async () => {
    rig = await socketRig();
    await configure('tcp.server', { auto_start: 1, tls_enabled: 1 });
    expect((await restart()).slice(-2)).toEqual(['No certificate and key', '[Associated]']);
  });

  test('udp.server.auto_start opens the server with its stream', async () => {
    // MOD-VAR-udp.server.auto_start, MOD-VAR-udp.server.auto_interface
    rig = await socketRig();
    await configure('udp.server', { auto_start: 1, port: 3200, auto_interface: 'default' });
    expect((await restart()).slice(-3)).toEqual(['UDP server listening on port: 3200', '[Opened: 0]', '[Associated]']);
    expect((await restart()).slice(-3)).toContain('[Opened: 0]');
  });

  test('udp.client.auto_start opens a client', async () => {
    // MOD-VAR-udp.client.auto_start, MOD-VAR-udp.client.auto_interface, MOD-VAR-udp.client.remote_host,
    // MOD-VAR-udp.client.remote_port
    rig = await socketRig();
    const received: string[] = [];
    unwrap(await rig.far.datagrams({ port: 4000 }, ({ bytes }) => received.push(Buffer.from(bytes).toString())));
    await configure('udp.client', {
      auto_start: 1,
      remote_host: 'far.test',
      remote_port: 4000,
      auto_interface: 'wlan',
    });
    expect((await restart()).slice(-2)).toEqual(['[Opening: far.test:4000]', '[Opened: 0]']);
    await rig.run('write 0 2', 'hi');
    await rig.settle();
    expect(received).toEqual(['hi']);
  });

  test('udp.client.auto_start does nothing without a host', async () => {
    rig = await socketRig();
    await configure('udp.client', { auto_start: 1, auto_interface: 'wlan' });
    expect((await restart()).at(-1)).toBe('[Associated]');
    expect(await rig.run('poll all')).toBe('0 None');
  });
});

// MOD-VAR-tcp.server.auto_interface, MOD-VAR-udp.server.auto_interface, MOD-VAR-udp.client.auto_interface
test.each([
  ['tcp.server', { port: 3100 }],
  ['udp.server', { port: 3200 }],
  ['udp.client', { remote_host: 'far.test', remote_port: 4000 }],
])('%s.auto_start does nothing on the other interface', async (group, settings) => {
  rig = await socketRig();
  await configure(group, { ...settings, auto_start: 1, auto_interface: 'softap' });
  expect(await restart()).toEqual([...joined, 'IPv4 address: 10.5.6.108', '[Associated]']);
});
