import type { DataRefusal, ServiceFailure } from '@moorage/device';
import type { MessageRefusal } from '../cloud/message-streams.ts';
import { serviceReason } from '../cloud/service-reason.ts';
import { codes, fail, type Response } from '../interpreter/reply.ts';
import type { Phrase, TextKey } from '../texts/texts.ts';
import type { Board } from './board.ts';

type Refusal = DataRefusal | MessageRefusal | { readonly kind: 'no-text' };

/** What is said before `Command failed`; a wrong value has its own code, and the service its own words. */
const texts: Readonly<Record<Exclude<Refusal['kind'], 'invalid' | 'malformed' | 'service'>, TextKey>> = {
  'not-activated': 'notActivated',
  'already-activated': 'activeAlready',
  'no-capabilities': 'noCapabilities',
  'no-file': 'fileMissing',
  overflow: 'cacheTooSmall',
  'no-message': 'noMessage',
  'no-text': 'messageNotText',
};

function phraseOf(refusal: Exclude<Refusal, { kind: 'service' }>): Phrase {
  if (refusal.kind === 'malformed') {
    return ['capabilitiesMalformed', { detail: ['serviceText', { text: refusal.detail }] }];
  }
  if (refusal.kind !== 'invalid') return [texts[refusal.kind]];
  const { name, problem } = refusal;
  return problem === undefined ? ['unknownData', { name }] : ['wrongValue', { name, problem }];
}

/** Says in the log why the service refuses; a join that failed has said it itself. */
export function sayServiceFailure({ log, variables }: Pick<Board, 'log' | 'variables'>, error: ServiceFailure): void {
  if (!error.local) log.say(...serviceReason(error, variables.get('ota.host')));
}

/** Says in the log why the data cloud does not do what it was asked. */
export function sayWhy(board: Board, refusal: Refusal): void {
  if (refusal.kind === 'service') sayServiceFailure(board, refusal.error);
  else board.log.say(...phraseOf(refusal));
}

/** Says why, and fails. Reference: data-cloud 1.2, 2.3. */
export function refuse(board: Board, refusal: DataRefusal | MessageRefusal): Response {
  sayWhy(board, refusal);
  if (refusal.kind === 'invalid') return fail(codes.INVALID);
  return fail(refusal.kind === 'overflow' ? codes.OVERFLOW : codes.FAILED);
}

/** Says the words of the service, and fails. */
export const refuseService = (board: Board, error: ServiceFailure): Response =>
  refuse(board, { kind: 'service', error });
