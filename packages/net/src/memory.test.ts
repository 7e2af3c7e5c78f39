import { unwrap, VirtualClock } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { memoryPair } from './testing/nets.ts';

describe('memory net', () => {
  const silentNet = () => {
    const clock = new VirtualClock();
    return { clock, ...memoryPair(clock) };
  };

  // The real net has no address on loopback that stays silent; its time-out is the same timer as for TLS, tested below.
  test('a dial without an answer times out', async () => {
    const { clock, network, near } = silentNet();
    network.conditions = () => ({ silent: true });
    const dialled = near.dial({ host: 'far', port: 1, timeoutMs: 1000 });
    await clock.advance(1000);
    expect(await dialled).toMatchObject({ ok: false, error: { error: 'timeout' } });
  });

  test('latency delays every byte', async () => {
    const { clock, network, near, far } = silentNet();
    network.conditions = () => ({ latencyMs: 10 });
    unwrap(await far.listen(7, ({ stream }) => stream.pipe(stream)));
    const dialled = near.dial({ host: 'far', port: 7, timeoutMs: 1000 });
    await clock.advance(20);
    const { stream } = unwrap(await dialled);
    stream.write('x');
    await clock.advance(19);
    expect(stream.read()).toBeNull();
    await clock.advance(1);
    expect(String(stream.read())).toBe('x');
  });

  test.each([0, 1, 4, 5])('a cut after %i bytes delivers just these and resets', async (cutAfterBytes) => {
    const { network, near, far } = silentNet();
    network.conditions = () => ({ cutAfterBytes });
    unwrap(await far.listen(7, ({ stream }) => stream.write('hello world')));
    const { stream } = unwrap(await near.dial({ host: 'far', port: 7, timeoutMs: 1000 }));
    let text = '';
    const read = (async () => {
      for await (const chunk of stream) text += String(chunk);
    })();
    await expect(read).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(text).toBe('hello world'.slice(0, cutAfterBytes));
  });
});
