import type { NetError } from '@moorage/net';
import type { Log } from '../device/log.ts';
import { netTexts } from '../texts/reasons.ts';

/**
 * Says that a connection was not made: why (of TLS the number has been said by then), then the notice, which is the last line before `Command failed`, as clients
 * know it from failures of TLS. Without `error` the reason has been said. Spec: MOD-EVENT-open-failed. Reference: line 4.1.
 */
export function sayOpenFailed(log: Log, host: string, error: NetError | 'link-lost' | undefined): void {
  if (error === 'link-lost') log.say('openLinkLost');
  else if (error !== undefined && error !== 'tls') log.say(netTexts[error], { host });
  log.notice('stream_failed');
}
