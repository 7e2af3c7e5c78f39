import { type Clock, unwrap, VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule } from '@moorage/module';
import { MemoryNetwork } from '@moorage/net/memory';
import { type Benchmark, interleave } from './harness.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const periodMs = 10_000;
const rounds = 3;

function repeat(clock: Clock, task: () => void): void {
  clock.after(periodMs, () => {
    task();
    repeat(clock, task);
  });
}

/** Milliseconds that a day takes. */
async function day(clock: VirtualClock): Promise<number> {
  const startMs = performance.now();
  await clock.advance(dayMs);
  return performance.now() - startMs;
}

/** A joined module with its status broadcast every 10 s, and a host that receives it. */
async function moduleDay(): Promise<number> {
  const clock = new VirtualClock();
  const network = new MemoryNetwork(clock);
  let received = 0;
  unwrap(await network.attach('listener', '10.5.6.20').datagrams({ port: 55_555 }, () => received++));
  const net = network.attach('module', '10.5.6.108');
  const module = await createModule({ clock, store: new MemoryStore(), net, seed: 1 });
  await module.boot();
  await module.execute('set wlan.ssid harbour-open');
  await module.execute('set broadcast.interval 10');
  const joined = module.execute('network_up');
  await clock.advance(1_000);
  await joined;
  received = 0;
  const spentMs = await day(clock);
  if (received !== dayMs / periodMs) throw new Error(`The status was received ${received} times`);
  await module.close();
  return spentMs;
}

async function bareDay(): Promise<number> {
  const clock = new VirtualClock();
  repeat(clock, () => {});
  return await day(clock);
}

export const virtualDay: Benchmark = {
  name: 'virtual-day',
  goal: '24 h of virtual time of an idle module with a broadcast every 10 s in under 2 s',
  async run() {
    const pair = await interleave(rounds, moduleDay, bareDay);
    const limit = { atMost: 2_000 };
    return [{ label: '24 h', beside: 'the virtual clock alone', unit: 'ms', ...pair, limit }];
  },
};
