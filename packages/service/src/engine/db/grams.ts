import { spellingsOf } from './spellings.ts';

/** Letters of the shortest spelling of a part. */
export const lettersOf = (part: string): number =>
  Math.min(...spellingsOf(part).map((spelling) => [...spelling].length));

/** The pieces of `length` letters of a text, each once, up to `limit` of them. */
export function gramsOf(text: string, length: number, limit: number): readonly string[] {
  const letters = [...text];
  const grams = letters.slice(length - 1).map((_, at) => letters.slice(at, at + length).join(''));
  return [...new Set(grams)].slice(0, limit);
}
