import type { ArgSpec, Command, Offer } from './command.ts';
import type { Habits } from './habits.ts';
import type { Registry } from './registry.ts';
import { tokenise } from './tokeniser.ts';

/** What TAB can add to a line. */
export interface Completion {
  /** Bytes to add at the cursor; empty when there is nothing to add or more than one way. */
  readonly insert: string;
  /** All names that fit, in order. */
  readonly candidates: readonly string[];
  /** The candidates are what a group holds: they are listed without a second TAB. */
  readonly atOnce?: boolean;
}

/** The part of a board that completion needs. */
export interface CompletionBoard {
  readonly personality: { readonly habits: Pick<Habits, 'completion'> };
  readonly flash: { list(): readonly { readonly name: string }[] };
  readonly safeMode?: boolean;
}

export const nothingFits: Completion = { insert: '', candidates: [] };

/** A line up to the cursor: whole words, and the one that may be completed, in quotes or not. */
interface Typed {
  readonly words: readonly string[];
  readonly word: string;
  readonly quoted: boolean;
}

function readTyped(before: string): Typed | undefined {
  const quoted = before.split('"').length % 2 === 0;
  const start = before.lastIndexOf(quoted ? '"' : ' ') + 1;
  const head = tokenise(before.slice(0, quoted ? start - 1 : start));
  return head.ok ? { words: head.value.map(({ text }) => text), word: before.slice(start), quoted } : undefined;
}

/** Offers groups instead of the names in them, but a name that is the only one as it is. */
function nextLevel(word: string, names: readonly string[]): readonly string[] {
  if (names.length < 2) return names;
  const dotOf = (name: string): number => name.indexOf('.', word.length);
  return [...new Set(names.map((name) => (dotOf(name) < 0 ? name : name.slice(0, dotOf(name) + 1))))];
}

/** Completes a word out of an offer; a name that is the only one ends with a space, a group does not. */
function completeWord({ word, quoted }: Typed, offer: Offer, byLevels: boolean): Completion {
  const fits = (name: string): boolean => name.startsWith(word) && !(quoted ? /"/ : /[ "]/).test(name);
  const names = offer.words.filter(fits).toSorted();
  const candidates = offer.dotted && byLevels ? nextLevel(word, names) : names;
  const [first] = candidates;
  if (first === undefined) return nothingFits;
  if (candidates.length === 1) {
    const ending = offer.dotted && first.endsWith('.') ? '' : quoted ? '" ' : ' ';
    return { insert: `${first.slice(word.length)}${ending}`, candidates };
  }
  let shared = first;
  for (const name of candidates) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  const insert = shared.slice(word.length);
  const atOnce = offer.dotted && byLevels && insert === '' && word.endsWith('.');
  return { insert, candidates, ...(atOnce && { atOnce }) };
}

/** What an argument of this declaration can be. */
function offerOf(spec: ArgSpec | undefined, board: CompletionBoard): Offer {
  const more = spec?.offers ?? [];
  if (spec?.kind === 'choice') return { words: [...spec.choices, ...more] };
  if (spec?.kind === 'bit') return { words: ['0', '1', ...more] };
  // The line holds bytes.
  const files = spec?.kind === 'file' ? board.flash.list() : [];
  return { words: [...files.map(({ name }) => Buffer.from(name, 'utf8').toString('latin1')), ...more] };
}

/** What the declaration of a command offers behind these words: a value of an option, an option, or an argument. */
function declaredOffer<Board extends CompletionBoard>(
  command: Command<Board>,
  board: Board,
  words: readonly string[],
  word: string,
): Offer {
  const options = Object.values(command.options).filter((option) => option.kind !== 'letters');
  let taken = 0;
  let value: ArgSpec | undefined;
  for (const each of words) {
    const option = value ? undefined : options.find(({ flag }) => flag === each);
    if (!value && !option) taken += 1;
    value = option?.kind === 'value' ? option.value : undefined;
  }
  if (value) return offerOf(value, board);
  if (word.startsWith('-')) return { words: options.map(({ flag }) => flag).filter((flag) => !words.includes(flag)) };
  return offerOf(Object.values(command.args)[taken], board);
}

/**
 * Completes the last word of a line: the first one as a command, the others as that command says. Without the habit only
 * commands, names of variables and help topics are completed. Spec: MOD-RULE-completion.
 */
export function completeLine<Board extends CompletionBoard>(
  registry: Registry<Board>,
  board: Board,
  before: string,
): Completion {
  const typed = readTyped(before);
  if (!typed) return nothingFits;
  const { completion } = board.personality.habits;
  const commands = registry.listed(board.safeMode);
  const [name, ...words] = typed.words;
  if (name === undefined) return completeWord(typed, { words: commands.map((command) => command.name) }, completion);
  const command = registry.find(name);
  if (!command || !commands.includes(command)) return nothingFits;
  const special = command.completes?.(board, words);
  if (!completion && (words.length > 0 || !special?.dotted)) return nothingFits;
  return completeWord(typed, special ?? declaredOffer(command, board, words, typed.word), completion);
}
