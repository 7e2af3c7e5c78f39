import { identityFiles, renewedFiles } from '@moorage/device/identity';
import { type FileInfo, type FlashError, fileFlags, fileReasons } from '../device/flash.ts';
import { codes, fail, type Response } from '../interpreter/reply.ts';
import type { Board } from './board.ts';

/** Says in the log why the flash refuses, and fails. */
export function refuseFile(board: Board, error: FlashError): Response {
  if (error === 'bad-name') return fail(codes.INVALID);
  board.log.say(fileReasons[error]);
  return fail(codes.FAILED);
}

/**
 * Whether the content of a file never leaves the module: saved settings with passwords in them, and the private key by
 * which the service knows the module. A file with the name of the key that a user has made is not meant.
 */
export const isSecretFile = ({ name, flags }: FileInfo): boolean =>
  (flags & fileFlags.encrypted) !== 0 ||
  ((flags & fileFlags.system) !== 0 && (name === identityFiles.key || name === renewedFiles.key));

/** Flags of a file that users make with the letters `e` and `u`. */
export function flagBits(letters: string): number {
  // Spec: MOD-FILE-essential, MOD-FILE-unprotected, MOD-FILE-flag-bits.
  const essential = letters.includes('e') ? fileFlags.essential : 0;
  const unprotected = letters.includes('u') ? fileFlags.unprotected : 0;
  return fileFlags.user | essential | unprotected;
}
