import type { ServerResponse } from 'node:http';
import type { Clock } from '@moorage/base';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Bus } from '../bus/bus.ts';
import { topics } from '../bus/topics.ts';
import { takeOver } from './answer-headers.ts';
import { SharedCounts } from './shared-counts.ts';
import type { EventsReply } from './types.ts';

/** A comment goes out this often, so that no proxy takes the silence for an end, in ms. */
const heartbeatMs = 20_000;
/** How often it is looked whether the client may still listen where no message says so, in ms. */
const checkMs = 5_000;
/** How soon a client that was cut may come back, in ms. */
const retryMs = 2_000;
/** What a client that does not read may have waiting; then it is cut, and comes back. */
const waitingBytesLimit = 1024 * 1024;

/** Streams of one endpoint that one user may have open, at all nodes: each of them costs a look at the records now and then. */
export const streamsOfUserLimit = 50;

/** Who listens, and whether they still may. */
export interface Listening {
  readonly userId: string;
  readonly isAllowed: () => Promise<boolean>;
}

/** Looks now and then whether a client may still listen, and at once when asked to, until it may not. */
function repeatChecks(clock: Clock, isAllowed: () => Promise<boolean>, onRefused: () => void) {
  let checks = 0;
  let cancel = clock.after(checkMs, now);
  function now(): void {
    cancel();
    checks += 1;
    const own = checks;
    isAllowed()
      .catch(() => false)
      .then((allowed) => {
        if (!allowed) onRefused();
        // Of checks that overlap, the last one goes on.
        else if (own === checks) cancel = clock.after(checkMs, now);
      });
  }
  const stop = (): void => {
    checks += 1;
    cancel();
  };
  return { now, stop };
}

/**
 * Sends server-sent events. The streams of an app end when it closes. False when the user has too many already.
 *
 * @param kind what the user may have only so many of, the same at every node
 */
export function eventSender(
  app: FastifyInstance,
  kind: string,
  clock: Clock,
  bus: Pick<Bus, 'publish' | 'subscribe'> | undefined,
): (reply: FastifyReply, events: EventsReply, listening: Listening) => boolean {
  /** Each with what looks whether its user may still listen. */
  const open = new Map<ServerResponse, { readonly userId: string; readonly check: () => void }>();
  const counts = new SharedCounts(kind, clock, bus);
  const checkStreams = (lost?: string): void => {
    for (const { userId, check } of open.values()) if (lost === undefined || lost === userId) check();
  };
  const unsubscribe = [
    bus?.subscribe(topics.accessChanged, ({ userId }) => checkStreams(userId)),
    bus?.subscribe(topics.missed, () => checkStreams()),
    () => counts.close(),
  ];
  app.addHook('preClose', async () => {
    for (const leave of unsubscribe) leave?.();
    for (const response of open.keys()) response.end();
  });
  return (reply, { subscribe }, { userId, isAllowed }) => {
    if (counts.of(userId) >= streamsOfUserLimit) return false;
    counts.add(userId, 1);
    const raw = takeOver(reply);
    raw.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
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
    const send = (type: string, data: unknown, id?: string): void =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
    const lastId = reply.request.headers['last-event-id'];
    const leave = subscribe(send, typeof lastId === 'string' ? lastId : undefined);
    let cancel = clock.after(heartbeatMs, beat);
    function beat(): void {
      write(': still here\n\n');
      cancel = clock.after(heartbeatMs, beat);
    }
    // A token that has been revoked, or a device that has gone to another owner, ends what began before.
    const checks = repeatChecks(clock, isAllowed, () => raw.end());
    open.set(raw, { userId, check: checks.now });
    raw.once('close', () => {
      open.delete(raw);
      counts.add(userId, -1);
      cancel();
      checks.stop();
      leave();
    });
    return true;
  };
}
