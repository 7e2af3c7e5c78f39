import type { CompiledQuery } from 'kysely';

/** A query that was compiled with one parameter, for another value of it. */
export const withKey = <R>(query: CompiledQuery<R>, key: string | number): CompiledQuery<R> => ({
  ...query,
  parameters: [key],
});
