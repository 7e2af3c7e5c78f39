import { errors } from '@moorage/api';
import type { ServiceFailure } from '@moorage/device';
import { netReason } from '../texts/reasons.ts';
import type { Phrase } from '../texts/texts.ts';

/**
 * Why a request to the service on `host` failed, for the log: the service's own sentence where that is one of its table,
 * else the module's words.
 */
export function serviceReason({ code, message, network }: ServiceFailure, host: string): Phrase {
  if (network) return netReason(network, host);
  if (code === undefined) return ['serviceText', { text: message }];
  // What it says of a request that breaks its schemas is its validator's.
  const field = code === 'INVALID_REQUEST' ? /^Field "([\w.-]{1,64})"/.exec(message)?.[1] : undefined;
  if (field !== undefined) return ['fieldRefused', { field }];
  const isKnown = Object.hasOwn(errors, code) && code !== 'INVALID_REQUEST';
  return isKnown ? ['serviceText', { text: message }] : ['serviceRefused'];
}
