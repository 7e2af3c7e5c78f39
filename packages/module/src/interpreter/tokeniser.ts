import { failure, type Result, success } from '@moorage/base';

/** One word of a command line. */
export interface Token {
  readonly text: string;
  /** A quoted word is never an option, whatever it begins with. */
  readonly quoted: boolean;
  /** The word with its quotes, where it has some. */
  readonly typed?: string;
}

/**
 * Splits a command line into words at spaces. A run of spaces counts as one, double quotes keep spaces together, and
 * `""` is an empty word. Nothing escapes a quote. Spec: MOD-LINE-words.
 */
export function tokenise(line: string): Result<readonly Token[], 'unbalanced-quote'> {
  if (!line.includes('"')) return success(splitPlain(line));
  const tokens: Token[] = [];
  let text = '';
  let typed = '';
  let quoted = false;
  let inside = false;
  const end = (): void => {
    if (quoted) tokens.push({ text, quoted, typed });
    else if (text !== '') tokens.push({ text, quoted });
  };
  for (const character of line) {
    if (character === ' ' && !inside) {
      end();
      text = '';
      typed = '';
      quoted = false;
      continue;
    }
    typed += character;
    if (character === '"') {
      inside = !inside;
      quoted = true;
    } else {
      text += character;
    }
  }
  if (inside) return failure('unbalanced-quote');
  end();
  return success(tokens);
}

function splitPlain(line: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const text of line.split(' ')) if (text !== '') tokens.push({ text, quoted: false });
  return tokens;
}
