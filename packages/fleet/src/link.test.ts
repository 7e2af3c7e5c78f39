import { seededRandom, unwrap, VirtualClock } from '@moorage/base';
import type { Connection } from '@moorage/net';
import { MemoryNetwork } from '@moorage/net/memory';
import { expect, test } from 'vitest';
import { drawConditions, TwinNet } from './link.ts';
import { Power } from './power.ts';
import type { LinkSettings } from './scenario.ts';

async function scene(settings: LinkSettings | undefined) {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  const accepted: Connection[] = [];
  unwrap(await network.attach('service', '10.0.0.1').listen(80, (connection) => accepted.push(connection)));
  const power = new Power();
  const parts = { clock, random: seededRandom(1), settings, power, turn: async () => {} };
  const traffic = { sentBytes: 0, receivedBytes: 0 };
  const net = new TwinNet({ ...parts, net: network.attach('module', '10.0.0.2'), traffic });
  const dial = () => net.dial({ host: 'service', port: 80, timeoutMs: 5_000 });
  return { accepted, clock, dial, power };
}

/** Ms until so many bytes have come to the other side. */
async function timeFor(settings: LinkSettings | undefined, bytes: number): Promise<number> {
  const { accepted, clock, dial } = await scene(settings);
  const dialled = dial();
  await clock.advance(1_000);
  const { stream } = unwrap(await dialled);
  const startMs = clock.monotonic();
  let arrivedMs = Number.NaN;
  let received = 0;
  accepted[0]?.stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received === bytes) arrivedMs = clock.monotonic() - startMs;
  });
  stream.write(Buffer.alloc(bytes));
  await clock.advance(60_000);
  return arrivedMs;
}

test.each([
  ['as it is takes no time', undefined, 1_000, 0],
  ['has its latency', { latency_ms: 200 }, 1_000, 200],
  ['has its bandwidth', { bytes_per_s: 500 }, 1_000, 2_000],
  ['has both', { latency_ms: 200, bytes_per_s: 500 }, 1_000, 2_200],
] as const)('a link that %s', async (_, settings, bytes, ms) => {
  expect(await timeFor(settings, bytes)).toBe(ms);
});

test('connections that get lost are unanswered or cut, as many as the scenario says', () => {
  const random = seededRandom('lost');
  const drawn = Array.from({ length: 3_000 }, () => drawConditions({ lost_percent: 30, latency_ms: 7 }, random));
  const silent = drawn.filter((conditions) => conditions?.silent).length;
  const cut = drawn.filter((one) => one?.cutAfterBytes !== undefined || one?.cutAfterSentBytes !== undefined).length;
  expect((silent + cut) / drawn.length).toBeCloseTo(0.3, 1);
  expect(silent / drawn.length).toBeCloseTo(0.1, 1);
  expect(drawn.every((conditions) => conditions?.latencyMs === 7)).toBe(true);
});

test('a connection that is never answered fails after its time-out', async () => {
  const { accepted, clock, dial } = await scene({ lost_percent: 100 });
  // The chance of each kind is a third: one of the first few is silent.
  for (let attempt = 0; attempt < 20; attempt++) {
    const dialled = dial();
    await clock.advance(5_000);
    const outcome = await dialled;
    if (!outcome.ok) {
      expect(outcome.error.error).toBe('timeout');
      return;
    }
  }
  expect(accepted).toHaveLength(0);
});

test('without power connections break off, and nothing that was waited for comes', async () => {
  const { accepted, clock, dial, power } = await scene({ latency_ms: 100 });
  const dialled = dial();
  await clock.advance(1_000);
  const { stream } = unwrap(await dialled);
  const late: string[] = [];
  void dial().then(() => late.push('dialled'));
  void power.run(async () => 'ran').then(() => late.push('ran'));
  power.cut();
  await clock.advance(10_000);
  expect([stream.destroyed, accepted[0]?.stream.destroyed, late]).toEqual([true, true, []]);
});
