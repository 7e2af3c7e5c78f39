/** The code that the host gives an error, such as `ENOENT`; `undefined` for others. */
export const errorCode = (cause: unknown): unknown =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined;
