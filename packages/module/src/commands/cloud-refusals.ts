import type { DataRefusal, ServiceFailure } from '@moorage/device';
import type { MessageRefusal } from '../cloud/message-streams.ts';
import { codes, fail, type Response } from '../interpreter/reply.ts';
import type { TextKey } from '../texts/texts.ts';
import type { Board } from './board.ts';

type Refusal = DataRefusal | MessageRefusal | { readonly kind: 'no-text' };

/** What is said before `Command failed`; a wrong value has its own code, and the service its own words. */
const texts: Readonly<Record<Exclude<Refusal['kind'], 'invalid' | 'service'>, TextKey>> = {
  'not-activated': 'notActivated',
  'already-activated': 'activeAlready',
  'no-capabilities': 'noCapabilities',
  'no-file': 'fileMissing',
  malformed: 'capabilitiesMalformed',
  overflow: 'cacheTooSmall',
  'no-message': 'noMessage',
  'no-text': 'messageNotText',
};

/** Says in the log why the data cloud does not do what it was asked. */
export function sayWhy({ log }: Board, refusal: Refusal): void {
  if (refusal.kind === 'invalid') return;
  if (refusal.kind !== 'service') log.say(texts[refusal.kind], 'detail' in refusal ? { detail: refusal.detail } : {});
  else if (!refusal.error.local) log.line(refusal.error.message);
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
