type Gaps<T> = { [Key in keyof T]-?: undefined extends T[Key] ? Key : never }[keyof T];

/** An object whose keys may be missing where their values may have been undefined. */
export type Defined<T> = Omit<T, Gaps<T>> & { [Key in Gaps<T>]?: Exclude<T[Key], undefined> };

/** An object without the keys whose value is undefined. */
export const defined = <T extends object>(value: T): Defined<T> =>
  // Safe: what is left out is what the type lets be missing.
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;
