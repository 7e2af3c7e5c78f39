import { storeProblem } from '@moorage/base';
import type { NetError, NetFailure } from '@moorage/net';
import { tlsErrorNumber } from '@moorage/net/tls-facts';
import type { Phrase, TextKey } from './texts.ts';

/** How the module says what the network refused; of TLS the number of the failure says more. */
export const netTexts: Readonly<Record<Exclude<NetError, 'tls'>, TextKey>> = {
  refused: 'openRefused',
  unreachable: 'openUnreachable',
  timeout: 'openTimedOut',
  'not-found': 'hostNotFound',
  'in-use': 'openPortTaken',
  denied: 'openNotPermitted',
  reset: 'openReset',
};

/** What the layers below say of a failure is theirs: the log has the module's words. */
export const netReason = (failed: NetFailure, host = ''): Phrase =>
  failed.error === 'tls' ? ['tlsFailed', { error: tlsErrorNumber(failed) }] : [netTexts[failed.error], { host }];

/** Of an exception: that the store below the flash has failed, or that there is a mistake in the program. */
export const mishapReason = (cause: unknown): Phrase => [storeTexts[storeProblem(cause) ?? 'none']];

const storeTexts = { full: 'storageFull', failed: 'storageFailed', none: 'internalError' } as const;
