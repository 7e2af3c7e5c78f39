import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { VirtualClock } from '@moorage/base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Admission, type AdmissionLimits } from './admission.ts';

const limits: AdmissionLimits = { perSecond: 10, atOnce: 3, holdMs: 500, waitMs: 1_000 };

// The door takes real sockets: what a client sees of being sent away is an end in order, and no reset.
describe('the door before the handshakes of devices', () => {
  let clock: VirtualClock;
  let server: Server;
  let clients: Socket[];
  /** Numbers of the clients that have been let in, in that order. */
  let inside: number[];
  let ends: string[];
  let sockets: Socket[];

  beforeEach(async () => {
    clock = new VirtualClock();
    [clients, inside, ends, sockets] = [[], [], [], []];
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const socket of [...clients, ...sockets]) socket.destroy();
    server.close();
  });

  /** Lets clients connect one after the other, each of which sends something. */
  async function come(door: Admission, count: number): Promise<void> {
    const address = server.address();
    for (let left = count; left > 0; left--) {
      const number = clients.length;
      const accepted = once(server, 'connection');
      const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
      client.on('error', (error) => ends.push(`${number} ${error.message}`));
      client.on('end', () => ends.push(`${number} end`)).resume();
      client.write('hello');
      clients.push(client);
      const [socket] = (await accepted) as [Socket];
      sockets.push(socket);
      door.arrive(socket, () => inside.push(number));
    }
  }

  it('lets in as many at once as it may, and another one for each that is over, in the order of their coming', async () => {
    const door = new Admission({ ...limits, perSecond: 0 }, clock);
    await come(door, 6);
    expect([inside, door.waiting]).toEqual([[0, 1, 2], 3]);
    sockets[1]?.destroy();
    await expect.poll(() => inside).toEqual([0, 1, 2, 3]);
    // One that has left while it waited takes no turn.
    sockets[4]?.destroy();
    sockets[0]?.destroy();
    await expect.poll(() => inside).toEqual([0, 1, 2, 3, 5]);
  });

  it('does not wait for clients that never go on', async () => {
    const door = new Admission({ ...limits, perSecond: 0 }, clock);
    await come(door, 5);
    await clock.advance(limits.holdMs - 1);
    expect(inside).toHaveLength(3);
    await clock.advance(1);
    expect(inside).toEqual([0, 1, 2, 3, 4]);
  });

  it('begins no more in a second than its rate, after what it may begin at once', async () => {
    const door = new Admission({ ...limits, atOnce: 100 }, clock);
    await come(door, 9);
    expect(inside).toHaveLength(1);
    for (const [passedMs, count] of [
      [100, 2],
      [400, 6],
      [300, 9],
    ] as const) {
      await clock.advance(passedMs);
      expect(inside.length).toBeGreaterThanOrEqual(count - 1);
      expect(inside.length).toBeLessThanOrEqual(count);
    }
  });

  it('sends away at once who would wait too long, and later who has waited too long, both in order', async () => {
    const door = new Admission({ ...limits, atOnce: 1, holdMs: 10_000 }, clock);
    await come(door, 12);
    // One is inside, ten wait: that is what a second lets in.
    expect([inside, door.waiting]).toEqual([[0], 10]);
    await expect.poll(() => ends).toEqual(['11 end']);
    await clock.advance(1_100);
    await expect.poll(() => ends.length).toBe(11);
    expect(ends.every((end) => end.endsWith(' end'))).toBe(true);
    expect(inside).toEqual([0]);
  });

  it('sends away who waits when it closes, and who comes then', async () => {
    const door = new Admission({ ...limits, atOnce: 1 }, clock);
    await come(door, 3);
    door.close();
    await come(door, 1);
    await expect.poll(() => ends.toSorted()).toEqual(['1 end', '2 end', '3 end']);
    expect(inside).toEqual([0]);
  });
});
