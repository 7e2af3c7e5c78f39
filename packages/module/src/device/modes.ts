/** What `system.print_level` can be. */
export type PrintLevel = '0' | '1' | '2' | '3' | 'all';

/** A bracketed notice (`[Ready]`), or a line of progress text. */
export type LogKind = 'notice' | 'progress';

/** Which lines each level lets through. Spec: MOD-VAR-system.print_level; the split of 1 and 2 is our choice. */
export const printLevels: Readonly<Record<PrintLevel, readonly LogKind[]>> = {
  0: [],
  1: ['notice'],
  2: ['progress'],
  3: ['notice', 'progress'],
  all: ['notice', 'progress'],
};
