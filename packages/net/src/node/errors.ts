import { type Clock, failure, type Result } from '@moorage/base';
import type { NetError, NetFailure } from '../ports.ts';

const errorKinds: Readonly<Record<string, NetError>> = {
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'not-found',
  EAI_AGAIN: 'not-found',
  EADDRINUSE: 'in-use',
  EACCES: 'denied',
  EPERM: 'denied',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
};

/** What the host's network said, in the port's words; an unknown error is of the kind `otherwise`. */
export const failureOf = (error: Error, otherwise: NetError = 'unreachable'): NetFailure => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { error: errorKinds[code] ?? otherwise, detail: error.message, ...(code !== '' && { code }) };
};

export const timedOut = (timeoutMs: number): NetFailure => ({
  error: 'timeout',
  detail: `No answer in ${timeoutMs} ms`,
});

/** Gives up waiting after `timeoutMs`; what comes later is left alone. */
export function within<T>(
  clock: Clock,
  timeoutMs: number,
  pending: Promise<Result<T, NetFailure>>,
): Promise<Result<T, NetFailure>> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(timeoutMs, () => resolve(failure(timedOut(timeoutMs))));
    pending.then(resolve, reject).finally(cancel);
  });
}
