import { type Clock, realClock, sleep } from '@moorage/base';
import type { FastifyInstance } from 'fastify';

/** A request that is not over by then is cut: the whole stop has to end within 5 s. */
const drainTimeoutMs = 4_000;
/** Clients have this long to ask once more on a connection that is kept, and to hear that it ends. */
const farewellMs = 1_000;
/** How often it is looked whether any connection is left, in ms. */
const lookMs = 20;

const stopping = new WeakSet<FastifyInstance>();

/** Lets every answer say that its connection ends, once the server stops. HTTP/2 says it in its own way. */
export function closeConnections(app: FastifyInstance): void {
  app.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (stopping.has(app) && raw.httpVersionMajor < 2) reply.header('connection', 'close');
    done();
  });
}

const connectionsOf = ({ server }: FastifyInstance): Promise<number> =>
  new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)));

/** Answers what clients ask on the connections that they have, the last time; ends early when none is left. */
async function sayFarewell(app: FastifyInstance): Promise<void> {
  const untilMs = realClock.monotonic() + farewellMs;
  // On the host's own time, as other limits of connections.
  while (app.server.listening && realClock.monotonic() < untilMs && (await connectionsOf(app)) > 0)
    await sleep(realClock, lookMs);
}

/**
 * Stops a server without a cut under a request: each answer ends its connection, those that are idle after that are
 * closed, and then it listens no more. What takes too long is cut.
 *
 * @param ready resolves when it may listen no more
 */
export async function drain(app: FastifyInstance, clock: Clock, ready: Promise<unknown>): Promise<void> {
  const cancel = clock.after(drainTimeoutMs, () => app.server.closeAllConnections());
  stopping.add(app);
  try {
    await Promise.all([ready, sayFarewell(app)]);
    await app.close();
  } finally {
    cancel();
  }
}
