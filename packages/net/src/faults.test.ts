import { unwrap, VirtualClock } from '@moorage/base';
import { afterEach, describe, expect, test } from 'vitest';
import { retransmitTimeoutMs } from './memory/end.ts';
import type { Connection } from './ports.ts';
import { type FaultyNet, faultyMemory, faultyNode, type StreamFault } from './testing/faulty-nets.ts';
import { mailbox, memoryPair, opened, timeoutMs } from './testing/nets.ts';

const open = opened();

const nets: readonly { readonly name: string; readonly make: () => FaultyNet }[] = [
  { name: 'memory', make: faultyMemory },
  { name: 'node', make: faultyNode },
];

/** Faults that only the network in memory can have, and why. */
const notOnSockets = {
  'a dial without an answer': 'the kernel answers for every loopback address; the time-out is the timer of TLS',
  latency: 'loopback has none, and tests take no real time',
  'names whose server fails': 'the resolver is the host, and a test does not change it',
  'loss by chance': 'the fates of a real datagram are tested one by one, above',
  'repeats that end': 'a kernel gives up only after a quarter of an hour',
};

const made: FaultyNet[] = [];
afterEach(() => {
  for (const net of made.splice(0)) net.close();
});

describe.each(nets)('faults of the $name net', ({ make }) => {
  const makeNet = () => {
    const net = make();
    made.push(net);
    return net;
  };

  async function faulty(fault: StreamFault) {
    const net = makeNet();
    const accepted = Promise.withResolvers<Connection>();
    const listener = unwrap(await net.far.listen(0, accepted.resolve));
    const client = unwrap(await net.near.dial({ ...(await net.streams(listener.port, fault)), timeoutMs }));
    const server = await accepted.promise;
    for (const { stream } of [client, server]) stream.on('error', () => {});
    open.push(listener, client.stream, server.stream);
    return { client: client.stream, server: server.stream };
  }

  test('a connection that is cut on the way to the dialler gives what came before, then a reset', async () => {
    const { client, server } = await faulty({ kind: 'cut', afterBytes: 5 });
    server.write('hello world');
    let text = '';
    const read = (async () => {
      for await (const chunk of client) text += String(chunk);
    })();
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect('hello'.startsWith(text)).toBe(true);
  });

  test('a connection that is cut on the way from the dialler resets it too', async () => {
    const { client, server } = await faulty({ kind: 'cut-sent', afterBytes: 5 });
    const failed = new Promise<Error & { code?: string }>((resolve) => client.once('error', resolve));
    server.resume();
    client.resume();
    client.write('hello world');
    expect((await failed).code).toBe('ECONNRESET');
  });

  test('a peer that has vanished says nothing, while what is written to it is taken', async () => {
    const { client, server } = await faulty({ kind: 'vanish', afterBytes: 5 });
    let text = '';
    let ended = false;
    client.on('data', (chunk) => {
      text += String(chunk);
    });
    for (const event of ['end', 'error', 'close']) client.on(event, () => (ended = true));
    server.write('hello world');
    await expect.poll(() => text).toBe('hello');
    server.destroy();
    client.write('are you there?');
    // Another connection meanwhile does all that this one could have.
    const other = await faulty({ kind: 'cut', afterBytes: 1 });
    const closed = new Promise((resolve) => other.client.once('close', resolve));
    other.client.resume();
    other.server.write('xx');
    await closed;
    expect([text, ended]).toEqual(['hello', false]);
  });

  test.each([
    { fates: ['lost', 'through'], comes: ['1', '2'] },
    { fates: ['twice', 'lost', 'lost'], comes: ['0', '0'] },
    { fates: ['held', 'through', 'through'], comes: ['1', '0', '2'] },
  ] as const)('datagrams that are $fates come as $comes', async ({ fates, comes }) => {
    const net = makeNet();
    const receiver = await mailbox(net.far, { port: 0 });
    const sender = await mailbox(net.near, { port: 0 });
    open.push(receiver, sender);
    const { host, port } = await net.datagrams(receiver.port, fates);
    for (const text of ['0', '1', '2']) unwrap(await sender.send(Buffer.from(text), host, port));
    const came: string[] = [];
    while (came.length < comes.length) came.push(String(Buffer.from((await receiver.next()).bytes)));
    expect(came).toEqual(comes);
  });

  test('an unknown name is not found', async () => {
    const { near } = makeNet();
    const missing = { ok: false, error: { error: 'not-found' } };
    expect(await near.dial({ host: 'nowhere.invalid', port: 7, timeoutMs })).toMatchObject(missing);
  });
});

/** Whatever in `notOnSockets` has a reason. */
const memoryCases: Readonly<Record<keyof typeof notOnSockets, () => Promise<void>>> = {
  'a dial without an answer': async () => {
    const { clock, network, near } = rig();
    network.conditions = () => ({ silent: true });
    const dialled = near.dial({ host: 'far', port: 1, timeoutMs: 1000 });
    await clock.advance(1000);
    expect(await dialled).toMatchObject({ ok: false, error: { error: 'timeout' } });
    expect(clock.pending).toBe(0);
  },

  latency: async () => {
    const { clock, network, near, far } = rig();
    network.conditions = () => ({ latencyMs: 10, jitterMs: 30 });
    unwrap(await far.listen(7, ({ stream }) => stream.pipe(stream)));
    const dialled = near.dial({ host: 'far', port: 7, timeoutMs: 1000 });
    await clock.advance(20);
    const { stream } = unwrap(await dialled);
    let text = '';
    stream.on('data', (chunk) => {
      text += String(chunk);
    });
    for (let index = 0; index < 10; index++) stream.write(String(index));
    await clock.advance(19);
    expect(text).toBe('');
    await clock.advance(20 * 40);
    expect(text).toBe('0123456789');
  },

  'names whose server fails': async () => {
    const { clock, network, near } = rig();
    network.nameConditions = ({ index }) => (index === 0 ? { fails: 'timeout', latencyMs: 500 } : { latencyMs: 3000 });
    const failing = near.resolve('far');
    await clock.advance(500);
    expect(await failing).toMatchObject({ ok: false, error: { error: 'timeout' } });
    const slow = near.dial({ host: 'far', port: 7, timeoutMs: 1000 });
    await clock.advance(1000);
    expect(await slow).toMatchObject({ ok: false, error: { error: 'timeout' } });
    // An address needs no name server.
    expect(await near.dial({ host: '10.0.0.2', port: 7, timeoutMs: 1000 })).toMatchObject({
      error: { error: 'refused' },
    });
  },

  'loss by chance': async () => {
    const arrivals = async (seed: number) => {
      const { clock, network, near, far } = rig(seed);
      network.datagramConditions = () => ({
        latencyMs: 5,
        jitterMs: 50,
        lossPercent: 20,
        duplicatePercent: 10,
        reorderPercent: 10,
      });
      const came: number[] = [];
      unwrap(await far.datagrams({ port: 7 }, ({ bytes }) => came.push(bytes[0] ?? -1)));
      const sender = unwrap(await near.datagrams({ port: 0 }, () => {}));
      for (let index = 0; index < 100; index++) unwrap(await sender.send(Uint8Array.of(index), 'far', 7));
      await clock.advance(200);
      return came;
    };
    const first = await arrivals(1);
    expect(await arrivals(1)).toEqual(first);
    expect(await arrivals(2)).not.toEqual(first);
    const different = new Set(first);
    expect(different.size).toBeLessThan(95);
    expect(different.size).toBeGreaterThan(60);
    expect(first.length).toBeGreaterThan(different.size);
    expect(first).not.toEqual([...first].sort((a, b) => a - b));
  },

  'repeats that end': async () => {
    const { clock, network, near, far } = rig();
    network.conditions = () => ({ vanishAfterBytes: 0 });
    unwrap(await far.listen(7, ({ stream }) => stream.on('error', () => {})));
    const { stream } = unwrap(await near.dial({ host: 'far', port: 7, timeoutMs: 1000 }));
    const failed = new Promise<Error & { code?: string }>((resolve) => stream.once('error', resolve));
    stream.write('hello');
    await clock.advance(retransmitTimeoutMs - 1);
    expect(stream.destroyed).toBe(false);
    await clock.advance(1);
    expect((await failed).code).toBe('ETIMEDOUT');
  },
};

function rig(seed = 1) {
  const clock = new VirtualClock();
  return { clock, ...memoryPair(clock, seed) };
}

describe('faults that only the network in memory has', () => {
  test.each(Object.entries(notOnSockets))('%s (%s)', async (name) => {
    await memoryCases[name as keyof typeof notOnSockets]();
  });

  test('a ping is lost, late or unanswered', async () => {
    const { clock, network, near } = rig();
    network.datagramConditions = () => ({ latencyMs: 15 });
    const answered = near.ping('far', 1000);
    await clock.advance(30);
    expect(unwrap(await answered)).toBe(30);
    for (const conditions of [{ latencyMs: 501 }, { lossPercent: 100 }]) {
      network.datagramConditions = () => conditions;
      const silent = near.ping('far', 1000);
      await clock.advance(1000);
      expect(await silent).toMatchObject({ ok: false, error: { error: 'timeout' } });
    }
    const absent = near.ping('10.0.0.99', 1000);
    await clock.advance(1000);
    expect(await absent).toMatchObject({ ok: false, error: { error: 'timeout' } });
  });
});
