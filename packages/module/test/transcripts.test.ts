import { readdirSync, readFileSync } from 'node:fs';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import type { Net } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BusPort } from '../src/bus/bus-port.ts';
import { createModule } from '../src/module.ts';
import { loadPersonality } from '../src/personality/personality.ts';
import { parseAir } from '../src/wlan/air.ts';
import { addHost, Call, type HostNetwork, ScriptedPeer } from './hosts.ts';
import { SocketNetwork } from './socket-network.ts';
import { parseTranscript, spell, type Transcript, wires } from './transcript.ts';
import { openWire, type Wire } from './wires.ts';

/** Real milliseconds in which expected bytes have to come. */
const receiveTimeoutMs = 1_500;

/** Turns of the event loop that sent bytes have to arrive before time goes on. */
const arrivalTurns = 100;

/** Real milliseconds that sent bytes have at most to be read; a module that has stopped reading leaves them. */
const longestArrivalMs = 1_000;

/** Turns of the event loop in which nothing may come that is not expected. */
const quietTurns = 20;

const moduleIp = '10.5.6.108';

const folder = new URL('transcripts/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));

/** Real milliseconds that bytes on real sockets have to arrive before time goes on. */
const socketMs = 5;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The network of a dialogue: in memory, or the sockets of this machine. */
type NetworkName = 'memory' | 'sockets';

async function bootedModule(clock: VirtualClock, transcript: Transcript, on: NetworkName) {
  const { air, personality, hosts, peers: scripts } = transcript;
  const network: HostNetwork = on === 'memory' ? new MemoryNetwork(clock) : new SocketNetwork();
  const nets: Net[] = [];
  for (const [name, ip] of hosts) nets.push(await addHost(network, name, ip));
  const peers = new Map([...scripts].map(([port, steps]) => [port, new ScriptedPeer(steps)]));
  for (const [port, peer] of peers) {
    const listener = await nets[0]?.listen(port, (connection) => peer.accept(connection));
    if (!listener?.ok) throw new Error('There is no host that could listen');
  }
  const net = network.attach('module', moduleIp);
  const around = {
    ...(air !== undefined && { air: unwrap(parseAir(air)) }),
    ...(personality !== undefined && { personality: unwrap(loadPersonality(personality)) }),
  };
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 'transcripts', ...around });
  await module.boot();
  /** The first host connects to the module. */
  const call = async (port: number): Promise<Call> => {
    const dialled = nets[0]?.dial({ host: moduleIp, port, timeoutMs: receiveTimeoutMs });
    if (!dialled) throw new Error('There is no host that could call');
    return new Call(unwrap(await dialled));
  };
  return { module, call, peers };
}

/** The bytes that the host has received and not yet expected. */
class Received {
  bytes = '';
  ended = false;

  constructor(wire: Wire) {
    wire.stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.toString('latin1');
    });
    wire.stream.on('end', () => {
      this.ended = true;
    });
  }

  /** Waits for as many bytes as `expected` has, or for the time that they had. */
  async take(expected: string, meanwhile: () => Promise<void>): Promise<string> {
    const deadline = performance.now() + receiveTimeoutMs;
    while (this.bytes.length < expected.length && performance.now() < deadline) await meanwhile();
    const taken = this.bytes.slice(0, expected.length);
    this.bytes = this.bytes.slice(expected.length);
    return taken;
  }
}

/** Counts the bytes that the serial lines of modules have read. */
function countReceived(): () => number {
  const { calls } = vi.spyOn(BusPort.prototype, 'receive').mock;
  let [counted, sum] = [0, 0];
  return () => {
    for (; counted < calls.length; counted++) sum += calls[counted]?.[0].length ?? 0;
    return sum;
  };
}

/** What was sent is there when this returns: time may go on. */
async function arrival(sent: number, arrived: () => number): Promise<void> {
  const deadline = performance.now() + longestArrivalMs;
  for (let left = arrivalTurns; left > 0; left--) await turn();
  while (arrived() < sent && performance.now() < deadline) await turn();
}

async function replay(
  transcript: Transcript,
  wireName: (typeof wires)[number],
  pieces: 'whole' | 'bytes',
  network: NetworkName = 'memory',
) {
  const clock = new VirtualClock();
  const { module, call, peers } = await bootedModule(clock, transcript, network);
  let caller: Call | undefined;
  for (const line of transcript.setup) expect((await module.execute(line)).code, line).toBe(0);
  const arrived = countReceived();
  let sent = 0;
  const wire = await openWire[wireName](module);
  const received = new Received(wire);
  // A wait goes on until its effect is seen: over a real wire the bytes before it may still be on their way.
  let waitMs = 0;
  const meanwhile = async (): Promise<void> => {
    const arrivedAtMs = performance.now() + (network === 'sockets' && waitMs > 0 ? socketMs : 0);
    do await turn();
    while (performance.now() < arrivedAtMs);
    await clock.advance(waitMs);
  };
  try {
    for (const [index, step] of transcript.steps.entries()) {
      if (step.kind === 'send') {
        waitMs = 0;
        sent += step.bytes.length;
        const bytes = Buffer.from(step.bytes, 'latin1');
        if (pieces === 'whole') wire.stream.write(bytes);
        else for (const byte of bytes) wire.stream.write(Buffer.of(byte));
      } else if (step.kind === 'receive') {
        const taken = await received.take(step.bytes, meanwhile);
        const where = `step ${index + 1}, then came: ${spell(received.bytes)}`;
        const problems = [...peers]
          .filter(([, peer]) => peer.problem)
          .map(([port, { problem }]) => `${port} ${problem}`);
        expect(spell(taken), [where, ...problems].join('; ')).toBe(spell(step.bytes));
      } else if (step.kind === 'end') wire.stream.end();
      else if (step.kind === 'ended') await expect.poll(() => received.ended).toBe(true);
      else if (step.kind === 'wait') {
        await arrival(sent, arrived);
        waitMs = step.ms;
      } else if (step.kind === 'call') caller = await call(step.port);
      else if (step.kind === 'says') caller?.say(step.bytes);
      else if (step.kind === 'hears') {
        await expect.poll(() => spell(caller?.received ?? '')).toBe(spell(step.bytes));
        if (caller) caller.received = '';
      } else if (step.kind === 'hangs-up') caller?.hangUp();
      else if (step.kind === 'pass') {
        await arrival(sent, arrived);
        await clock.advance(step.ms);
      } else module.log.line(step.text);
    }
    for (let left = quietTurns; left > 0; left--) await turn();
    expect(spell(received.bytes), 'after the last step').toBe('');
    for (const [port, peer] of peers) {
      await expect.poll(() => peer.done, { message: `peer ${port}: ${peer.state}` }).toBe(true);
    }
  } finally {
    await wire.close();
    await module.close();
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(files)('%s', (file) => {
  const transcript = parseTranscript(readFileSync(new URL(file, folder), 'utf8'));
  for (const wire of wires) {
    const reason = transcript.notOn.get(wire);
    for (const pieces of ['whole', 'bytes'] as const) {
      if (reason !== undefined) test.skip(`is not for ${reason}`, () => {});
      else test(`over ${wire}, ${pieces}`, () => replay(transcript, wire, pieces));
    }
  }
  // Without the network nothing of it would be on a socket.
  if (!transcript.usesNetwork) return;
  for (const pieces of ['whole', 'bytes'] as const) {
    const reason = transcript.notOn.get('sockets');
    if (reason !== undefined) test.skip(`is not for ${reason}`, () => {});
    else test(`on real sockets, ${pieces}`, () => replay(transcript, 'memory', pieces, 'sockets'));
  }
});
