import { afterEach, describe, expect, test } from 'vitest';
import { farPort, grounds, type SocketRig, socketRig } from '../testing/socket-rig.ts';

let rig: SocketRig;
afterEach(() => rig.close());

/** More than all buffers on the way take. */
const tooMuch = 60_000;
const writesUntilFull = 10;

/** Writes until one fails, to a peer that takes nothing; how long that one has taken, in ms. */
async function failedWriteMs(): Promise<number> {
  for (let count = 0; count < writesUntilFull; count++) {
    const startedMs = rig.clock.monotonic();
    const answer = await rig.run(`write 0 ${tooMuch}`, 'x'.repeat(tooMuch));
    if (answer.endsWith('1 Command failed')) return rig.clock.monotonic() - startedMs;
  }
  throw new Error('No write has failed');
}

describe('a write to a peer that takes nothing', () => {
  // MOD-VAR-bus.command.write_timeout
  test.each([2_000, 7_000])('fails after bus.command.write_timeout of %i ms, on a client', async (timeoutMs) => {
    rig = await socketRig();
    const { accepted } = await rig.serve();
    await rig.run(`set bus.command.write_timeout ${timeoutMs}`);
    await rig.run(`tcpc far.test ${farPort}`);
    await rig.settle();
    accepted[0]?.stream.pause();
    expect(await failedWriteMs()).toBeGreaterThanOrEqual(timeoutMs);
  });

  test.each([2_000, 7_000])('fails after bus.command.write_timeout of %i ms, on a server', async (timeoutMs) => {
    rig = await socketRig();
    await rig.run(`set bus.command.write_timeout ${timeoutMs}`);
    await rig.run('tcps start 3000');
    const peer = await rig.call(3000);
    peer.stream.pause();
    expect(await failedWriteMs()).toBeGreaterThanOrEqual(timeoutMs);
  });
});

test.each(grounds)('a client that has ended its half gets its answer, over %s', async (ground) => {
  rig = await socketRig(ground);
  await rig.run('tcps start');
  const client = await rig.call(3000);
  client.stream.end('request');
  await rig.settle();
  expect(await rig.run('read 0 3')).toBe('0 req');
  expect(await rig.run('write 0 6', 'answer')).toBe('0 Success');
  await rig.settle();
  expect(client.text).toBe('answer');
  expect(await rig.run('read 0 99')).toBe('[Closed: 0]|0 uest');
});
