import type { ServerResponse } from 'node:http';
import type { Clock } from '@moorage/base';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EventsReply } from '../core/types.ts';

/** A comment goes out this often, so that no proxy takes the silence for an end, in ms. */
const heartbeatMs = 20_000;
/** How often it is looked whether the client may still listen, in ms. */
const checkMs = 5_000;
/** How soon a client that was cut may come back, in ms. */
const retryMs = 2_000;
/** What a client that does not read may have waiting; then it is cut, and comes back. */
const waitingBytesLimit = 1024 * 1024;

/** Streams of one endpoint that one user may have open in this process: each of them costs a look at the records now and then. */
export const streamsOfUserLimit = 50;

/** Who listens, and whether they still may. */
export interface Listening {
  readonly userId: string;
  readonly isAllowed: () => Promise<boolean>;
}

/** Sends server-sent events. The streams of an app end when it closes. False when the user has too many already. */
export function eventSender(
  app: FastifyInstance,
  clock: Clock,
): (reply: FastifyReply, events: EventsReply, listening: Listening) => boolean {
  const open = new Set<ServerResponse>();
  const counts = new Map<string, number>();
  const count = (userId: string, change: number): void => {
    const left = (counts.get(userId) ?? 0) + change;
    if (left > 0) counts.set(userId, left);
    else counts.delete(userId);
  };
  app.addHook('preClose', async () => {
    for (const response of open) response.end();
  });
  return (reply, { subscribe }, { userId, isAllowed }) => {
    if ((counts.get(userId) ?? 0) >= streamsOfUserLimit) return false;
    count(userId, 1);
    reply.hijack();
    const { raw } = reply;
    open.add(raw);
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy that collects would hold events back.
      'x-accel-buffering': 'no',
    });
    const write = (text: string) => {
      // Between the end and its leaving there may be one more event.
      if (raw.writableEnded) return;
      raw.write(text);
      if (raw.writableLength > waitingBytesLimit) raw.destroy();
    };
    write(`retry: ${retryMs}\n\n`);
    const leave = subscribe((type, data) => write(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));
    let cancel = clock.after(heartbeatMs, beat);
    function beat(): void {
      write(': still here\n\n');
      cancel = clock.after(heartbeatMs, beat);
    }
    let cancelCheck = clock.after(checkMs, check);
    // A token that has been revoked, or a device that has gone to another owner, ends what began before.
    function check(): void {
      isAllowed()
        .catch(() => false)
        .then((allowed) => {
          if (!allowed) raw.end();
          else if (open.has(raw)) cancelCheck = clock.after(checkMs, check);
        });
    }
    raw.once('close', () => {
      open.delete(raw);
      count(userId, -1);
      cancel();
      cancelCheck();
      leave();
    });
    return true;
  };
}
