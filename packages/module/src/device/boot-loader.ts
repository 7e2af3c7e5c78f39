import { type FileInfo, fileFlags, fileTypes } from './flash.ts';

/**
 * Whether the boot loader starts the recovery program, which is what safe mode is, for `system.boot.app`. Whatever else
 * the variable names, the main program starts: it is this process, and in none of the files. Spec: MOD-VAR-system.boot.app.
 *
 * @param app the file that the variable names; `undefined` when there is none of that name
 */
export const startsRecovery = (app: FileInfo | undefined): boolean =>
  app?.type === fileTypes.recoveryProgram && (app.flags & fileFlags.bootable) !== 0;
