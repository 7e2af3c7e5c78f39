import { expect, test } from 'vitest';
import { busRig, PeerStream, streaming } from '../testing/bus-rig.ts';

// MOD-BUS-flush, MOD-VAR-bus.stream.flush_count, MOD-VAR-bus.stream.flush_time, MOD-VAR-bus.stream.flush_reset
test.each([
  { type: 'TCPC', sent: ['0123456789abcdef0123456789abcdef01', '23'] },
  { type: 'UDPC', sent: ['0123456789abcdef', '0123456789abcdef', '0123'] },
  { type: 'WEBS', sent: ['0123456789abcdef', '0123456789abcdef', '0123'] },
] as const)('a full packet of $type goes at once, the rest after the flush time', async ({ type, sent }) => {
  const { attach, restart, connect, pass } = await busRig();
  const host = attach();
  await restart('bus.mode stream', 'bus.stream.flush_count 16', 'bus.stream.flush_time 20');
  const peer = new PeerStream(type);
  connect(peer);
  host.type('0123456789abcdef0123456789abcdef01');
  await pass(0);
  host.type('23');
  await pass(19);
  expect(peer.packets).toEqual(sent.slice(0, -1));
  await pass(1);
  expect(peer.packets).toEqual(sent);
});

test.each([
  [1, [], ['abc']],
  [0, ['ab'], ['ab', 'c']],
])('flush_reset %i decides from which byte the time counts', async (reset, early, late) => {
  const { host, peer, pass } = await streaming(`bus.stream.flush_reset ${reset}`, 'bus.stream.flush_time 100');
  host.type('a');
  await pass(60);
  host.type('b');
  await pass(40);
  host.type('c');
  await pass(59);
  expect(peer.packets).toEqual(early);
  await pass(100);
  expect(peer.packets).toEqual(late);
});

test('flush_time 0 waits for a full packet, and the break sends what there is', async () => {
  const { host, peer, pass } = await streaming('bus.stream.flush_time 0');
  host.type('x'.repeat(100));
  await pass(60_000);
  expect(peer.sent()).toBe('');
  host.type('$$$');
  await pass(0);
  expect(peer.sent()).toBe('x'.repeat(100));
});

test('serial input waits while the network is slow, and nothing is lost or kept without limit', async () => {
  const { host, peer, pass } = await streaming();
  const gate = Promise.withResolvers<void>();
  peer.stalled = gate.promise;
  const text = Array.from({ length: 300_000 }, (_, at) => String.fromCharCode(97 + (at % 26))).join('');
  for (let at = 0; at < text.length; at += 1000) host.type(text.slice(at, at + 1000));
  await pass(100);
  expect(host.stream.readableLength).toBeGreaterThan(150_000);
  peer.stalled = undefined;
  gate.resolve();
  await pass(100);
  expect(peer.sent()).toBe(text);
});

test('the network waits while the serial line is full', async () => {
  const { host, peer, pass } = await streaming();
  host.takes = false;
  for (let count = 0; count < 20; count++) {
    peer.send('y'.repeat(1000));
    await pass(0);
  }
  expect(peer.available()).toBeGreaterThan(10_000);
  host.take();
  await pass(10);
  expect(host.received()).toBe('y'.repeat(20_000));
});
