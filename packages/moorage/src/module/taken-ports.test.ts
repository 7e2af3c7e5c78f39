import { nodeNet } from '@moorage/net/node';
import { expect, test } from 'vitest';
import { TakenPorts } from './taken-ports.ts';

const openNet = () => new TakenPorts(nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false }));

test('a port is taken while another program has it, and not when it is the own', async () => {
  const [first, second] = [openNet(), openNet()];
  const listener = await first.net.listen(0, () => {});
  if (!listener.ok) throw new Error(listener.error.detail);
  const { port } = listener.value;
  expect((await second.net.listen(port, () => {})).ok).toBe(false);
  expect(second.isTaken(port)).toBe(true);
  await listener.value.close();
  await second.look(port);
  expect(second.isTaken(port)).toBe(false);
  // A look takes nothing: another program can take the port at the same time.
  const [own] = await Promise.all([second.net.listen(port, () => {}), second.look(port)]);
  expect(own.ok).toBe(true);
  await second.look(port);
  expect(second.isTaken(port)).toBe(false);
  await first.look(port);
  expect(first.isTaken(port)).toBe(true);
  if (own.ok) await own.value.close();
});
