import type { Registry } from './registry.ts';

/** What TAB can add to a line. */
export interface Completion {
  /** Bytes to add at the cursor; empty when there is nothing to add or more than one way. */
  readonly insert: string;
  /** All names that fit, in order. */
  readonly candidates: readonly string[];
}

export const nothingFits: Completion = { insert: '', candidates: [] };

/** Names that `help` takes besides those of commands and variables. */
const helpTopics = ['all', 'commands', 'variables'] as const;

/** Completes the word before the cursor out of `names`; a name that is the only one gets a space after it. */
function completeWord(word: string, names: readonly string[]): Completion {
  const candidates = names.filter((name) => name.startsWith(word)).toSorted();
  const [first] = candidates;
  if (first === undefined) return { insert: '', candidates };
  if (candidates.length === 1) return { insert: `${first.slice(word.length)} `, candidates };
  let shared = first;
  for (const name of candidates) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  return { insert: shared.slice(word.length), candidates };
}

/**
 * Completes the last word of a line: the first one as a command, the second one as a variable or a help topic where
 * the command says so. Spec: MOD-RULE-completion.
 */
export function completeLine<Board>(
  registry: Registry<Board>,
  variables: () => readonly string[],
  before: string,
  safeMode = false,
): Completion {
  const words = before.trimStart().split(/ +/);
  const word = words.at(-1) ?? '';
  const commands = (): string[] => registry.listed(safeMode).map((command) => command.name);
  if (words.length === 1) return completeWord(word, commands());
  const completes = words.length === 2 ? registry.find(words[0] ?? '')?.completes : undefined;
  if (completes === 'variables') return completeWord(word, variables());
  if (completes === 'topics') return completeWord(word, [...helpTopics, ...commands(), ...variables()]);
  return nothingFits;
}
