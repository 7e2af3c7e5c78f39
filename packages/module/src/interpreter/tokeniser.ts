import { failure, type Result, success } from '@moorage/base';

/** One word of a command line. */
export interface Token {
  readonly text: string;
  /** A word with quotes is never an option, whatever it begins with. */
  readonly quoted: boolean;
  /** The word with its quotes, where it has some. */
  readonly typed?: string;
}

/** A word that is one quoted text. */
const quotedText = /^"((?:[^"]|"")*)"$/;

/**
 * Splits a command line into words at spaces. A run of spaces counts as one, and double quotes keep spaces together.
 * What a word stands for: `textOf`. Spec: MOD-LINE-words.
 */
export function tokenise(line: string): Result<readonly Token[], 'unbalanced-quote'> {
  if (!line.includes('"')) return success(splitPlain(line));
  const words = line.match(/(?:[^ "]|"[^"]*")+/g) ?? [];
  if (line.split('"').length % 2 === 0) return failure('unbalanced-quote');
  return success(
    words.map((typed) =>
      typed.includes('"') ? { text: textOf(typed), quoted: true, typed } : { text: typed, quoted: false },
    ),
  );
}

/** Splits a line at its spaces alone, for what has to be read of one whose quotes are wrong. */
export function splitPlain(line: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const text of line.split(' ')) if (text !== '') tokens.push({ text, quoted: false });
  return tokens;
}

/**
 * What a typed word stands for: between quotes the text in them, in which `""` is one double quote and `""` alone is
 * empty; any other word stands for itself, with the quotes in it. A backslash is a backslash everywhere.
 */
export const textOf = (typed: string): string => quotedText.exec(typed)?.[1]?.replaceAll('""', '"') ?? typed;

/** The rest of a line as one value: one word stands for its text, several are as typed with one space between them. */
export const restOf = (typed: readonly string[]): string =>
  typed.length === 1 ? textOf(typed[0] ?? '') : typed.join(' ');

/** A text as one word of a command line. */
export const wordOf = (text: string): string =>
  text === '' || /[ "]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
