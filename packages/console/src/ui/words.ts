import { meanings } from '../texts/words.ts';

const words: Readonly<Record<string, string>> = meanings;

/** What a word of the wire means; nothing when it is none. */
export const meaningOf = (word: string): string | undefined => words[word.toUpperCase()];
