import type { NetError } from '@moorage/net';
import type { Log } from '../device/log.ts';
import type { TextKey } from '../texts/texts.ts';

/** The line that names why a connection was not made; of TLS the number of the failure has been said by then. */
const reasons: Readonly<Record<Exclude<NetError, 'tls'>, TextKey>> = {
  refused: 'openRefused',
  unreachable: 'openUnreachable',
  timeout: 'openTimedOut',
  'not-found': 'hostNotFound',
  'in-use': 'openPortTaken',
  reset: 'openReset',
};

/**
 * Says that a connection was not made: why, then the notice, which is the last line before `Command failed`, as clients
 * know it from failures of TLS. Without `error` the reason has been said. Spec: MOD-EVENT-open-failed. Reference: line 4.1.
 */
export function sayOpenFailed(log: Log, host: string, error: NetError | 'link-lost' | undefined): void {
  if (error === 'link-lost') log.say('openLinkLost');
  else if (error !== undefined && error !== 'tls') log.say(reasons[error], { host });
  log.notice('stream_failed');
}
