import type { Offer } from '../interpreter/command.ts';
import { type Kind, wordsOf } from './kinds.ts';
import type { Variable } from './variable.ts';

/** The part of a store that completion needs. */
interface Names {
  names(): readonly string[];
  lookup(call: string): Variable | undefined;
}

/** The variable that the words begin with, by name or shortcut, and the words behind it. */
function variableIn(variables: Names, words: readonly string[]): readonly [Variable, readonly string[]] | undefined {
  for (let length = words.length; length > 0; length--) {
    const variable = variables.lookup(words.slice(0, length).join(' '));
    if (variable) return [variable, words.slice(length)];
  }
  return undefined;
}

const indexWords = ({ index }: Variable): readonly string[] =>
  index === undefined || index === 'gpio' ? [] : index.words;

/** What `get` takes behind these words. */
export function offerOfGet(variables: Names, words: readonly string[]): Offer {
  if (words.length === 0) return { words: ['all', ...variables.names()], dotted: true };
  const [variable, rest] = variableIn(variables, words) ?? [];
  if (!variable || rest?.length !== 0) return { words: [] };
  return { words: variable.index ? ['all', ...indexWords(variable)] : (variable.options ?? []) };
}

/** What `set` takes behind these words; `files` are the names of those in flash. */
export function offerOfSet(variables: Names, words: readonly string[], files: () => readonly string[]): Offer {
  const settable = (name: string): boolean => variables.lookup(name)?.access !== 'get';
  if (words.length === 0) return { words: variables.names().filter(settable), dotted: true };
  const [variable, rest = []] = variableIn(variables, words) ?? [];
  if (!variable || variable.access === 'get') return { words: [] };
  if (variable.index && rest.length === 0) return { words: indexWords(variable) };
  const atValue = rest.length === (variable.index ? 1 : 0);
  return { words: atValue ? valueWords(variable.kind, files) : [] };
}

const valueWords = (kind: Kind, files: () => readonly string[]): readonly string[] =>
  kind.type === 'file' ? files() : wordsOf(kind);
