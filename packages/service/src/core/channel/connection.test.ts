import type { Frame } from '@moorage/api/core/channel-frames';
import { VirtualClock } from '@moorage/base';
import { describe, expect, it } from 'vitest';
import { ChannelConnection } from './connection.ts';

describe('channel connection', () => {
  it('refuses a command that no frame takes at once: the device never gets it', async () => {
    const frames: Frame[] = [];
    const connection = new ChannelConnection(
      {
        send: (frame) => void frames.push(frame),
        ping() {},
        close() {},
        cut() {},
        waitingBytes: 0,
        pause() {},
        resume() {},
      },
      { clock: new VirtualClock(), answer: () => new Promise(() => {}), closed() {} },
    );
    const outcome = await connection.command('x'.repeat(2 ** 20), 60_000);
    expect(outcome).toEqual({ ok: false, error: { reason: 'refused', detail: 'the data is too long' } });
    expect(frames).toEqual([]);
  });
});
