/** Whether work has returned a failure, a `Result` that is not ok. */
export const isFailure = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'ok' in value && value.ok === false && 'error' in value;
