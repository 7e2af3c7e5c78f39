interface UnusableOptions extends ErrorOptions {
  /** It is wrong wherever it is used, as opposed to right and of no use now. */
  readonly isMalformed?: boolean;
}

/** What a setting names cannot be used, by no fault of the program. The message names the flag, and holds no password. */
export class UnusableError extends Error {
  readonly isMalformed: boolean;

  constructor(message: string, { isMalformed = false, ...options }: UnusableOptions = {}) {
    super(message, options);
    this.isMalformed = isMalformed;
  }
}

/** What an error says. A name with several addresses fails once for each, and says so in the parts alone. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
};
