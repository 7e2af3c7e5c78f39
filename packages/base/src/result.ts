/** The outcome of something that may be refused: a value, or the reason. Expected failures are returned, mistakes throw. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** What was asked for. */
export const success = <T>(value: T): Result<T, never> => ({ ok: true, value });

/** Why it was refused. */
export const failure = <const E>(error: E): Result<never, E> => ({ ok: false, error });

/** Unwraps a result that cannot be a failure here; throws a programmer's mistake, with the error as its cause, if it is. */
export function unwrap<T, E>(result: Result<T, E>): T {
  if (result.ok) return result.value;
  throw new Error(`Unwrapped a failure: ${JSON.stringify(result.error)}`, { cause: result.error });
}

/** Leaves a failure without consequence; a comment beside the call says why it needs none. */
export function ignoreFailure(
  _outcome: Result<unknown, unknown> | Promise<Result<unknown, unknown>> | undefined,
): void {}
