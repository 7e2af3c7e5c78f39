import { VirtualClock } from '@moorage/base';
import { expect, test } from 'vitest';
import { LocalBus } from '../bus/bus.ts';
import { SharedCounts } from './shared-counts.ts';

/** A bus of which messages can be lost. */
class LossyBus extends LocalBus {
  loses = false;
  override publish(...[topic, message]: Parameters<LocalBus['publish']>): void {
    if (!this.loses) super.publish(topic, message);
  }
}

function scene() {
  const clock = new VirtualClock();
  const bus = new LossyBus();
  const node = (kind = 'logs') => new SharedCounts(kind, clock, bus);
  return { clock, bus, node };
}

test('what a user has open counts at every node, for its kind alone', () => {
  const { node } = scene();
  const [here, there, other] = [node(), node(), node('live')];
  here.add('ann', 1);
  here.add('ann', 1);
  there.add('ann', 1);
  there.add('bob', 1);
  for (const one of [here, there]) expect([one.of('ann'), one.of('bob')]).toEqual([3, 1]);
  expect(other.of('ann')).toBe(0);
  here.add('ann', -1);
  expect(there.of('ann')).toBe(2);
});

test('a message that is lost is made good by the next of the node, whether it opened or closed', async () => {
  const { clock, bus, node } = scene();
  const [here, there] = [node(), node()];
  here.add('ann', 1);
  bus.loses = true;
  here.add('bob', 1);
  here.add('ann', -1);
  bus.loses = false;
  expect([there.of('ann'), there.of('bob')]).toEqual([1, 0]);
  await clock.advance(20_000);
  expect([there.of('ann'), there.of('bob')]).toEqual([0, 1]);
});

test('a node that began later learns what the others have; one that is gone has nothing after a minute', async () => {
  const { clock, bus, node } = scene();
  const gone = node();
  gone.add('ann', 1);
  const late = node();
  expect(late.of('ann')).toBe(0);
  await clock.advance(20_000);
  expect(late.of('ann')).toBe(1);
  await clock.advance(600_000);
  expect(late.of('ann')).toBe(1);
  // It is killed.
  bus.loses = true;
  gone.close();
  bus.loses = false;
  expect(late.of('ann')).toBe(1);
  await clock.advance(60_001);
  expect(late.of('ann')).toBe(0);
});

test('what a node has open ends with it', () => {
  const { node } = scene();
  const [here, there] = [node(), node()];
  here.add('ann', 1);
  here.close();
  here.add('ann', -1);
  expect(there.of('ann')).toBe(0);
});

test('without a bus a node counts its own', () => {
  const counts = new SharedCounts('logs', new VirtualClock(), undefined);
  counts.add('ann', 1);
  expect(counts.of('ann')).toBe(1);
  counts.close();
});
