import type { IncomingMessage, ServerResponse } from 'node:http';
import { realClock } from '@moorage/base';

/** A client whose request is refused while it still sends has this long to end, and to hear why, in ms. */
const lingerMs = 30_000;
/** One that sends nothing for this long has ended, or never does, in ms. */
const silentMs = 2_000;

/**
 * Whether the rest of a request will not be read. Over HTTP/2 that is no matter of the connection, and a request that is
 * put in without a network has none.
 */
export function isStillSent({ complete, headers, httpVersionMajor, socket }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? headers['transfer-encoding'] ?? '0';
  return httpVersionMajor < 2 && !complete && length !== '0' && 'destroy' in socket;
}

/**
 * Answers a request that is still being sent. The answer is out at once; what comes until the client ends is read and
 * dropped, since a connection that is closed with bytes unread is reset, and takes the answer with it.
 *
 * @param response with its status and headers, the length of the body among them
 */
export function answerAndLinger(request: IncomingMessage, response: ServerResponse, body: string): void {
  response.write(body);
  let cancelSilence = (): void => {};
  const end = (): void => {
    cancelSilence();
    cancelAll();
    request.off('data', heard);
    response.end();
  };
  // On the host's own time, as the limits that Node keeps.
  const cancelAll = realClock.after(lingerMs, end);
  function heard(): void {
    cancelSilence();
    cancelSilence = realClock.after(silentMs, end);
  }
  heard();
  request.unpipe();
  request.once('end', end).once('close', end).on('error', end).on('data', heard).resume();
}
