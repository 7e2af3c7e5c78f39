/** The code that the host gives an error, such as `ENOENT`; `undefined` for others. */
export const errorCode = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined;

/** Why the host does not keep what it is given: it has no room left, or something else is wrong with its disk. */
export type StoreProblem = 'full' | 'failed';

const fullCodes: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/**
 * The problem of a store that has thrown this, such as that of a full disk or a folder that is gone: an expected failure.
 * `undefined` for anything else, which is a mistake of the program.
 */
export function storeProblem(cause: unknown): StoreProblem | undefined {
  const code = errorCode(cause);
  if (fullCodes.includes(code)) return 'full';
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? 'failed' : undefined;
}
