/** Words of a command line that are kept: the command, and what it is about. */
const wordsKept = 2;

/**
 * A command line as the log may keep it. Values are left out, since there are passwords among them, under names that a
 * module also takes abbreviated; others read the log, and connectors send it. What only asks is kept whole.
 */
export function commandText(line: string): string {
  const words = line.trim().split(/\s+/);
  if (words.length <= wordsKept || words[0] === 'get') return words.join(' ');
  return `${words.slice(0, wordsKept).join(' ')} …`;
}
