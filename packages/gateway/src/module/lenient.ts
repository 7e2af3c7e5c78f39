import { failure, parseVersion, type Result, success } from '@moorage/base';
import type { ListedFile, Named } from './reports.ts';

const linesOf = (text: string): string[] => text.split(/\r?\n/).filter((line) => line.trim() !== '');

const word = /^[a-z][a-z0-9_?]*$/i;

/** A list of fewer names is a sentence. */
const fewestNames = 4;

/** Names in a list of commands of any form: one to a line, perhaps with a text behind it, or several to a line. */
export function namesIn(text: string): readonly Named[] {
  const rows = linesOf(text).map((line) => line.trim().split(/[\s,|]+/));
  const isBare = rows.every((row) => row.every((one) => word.test(one)));
  const names = rows.flatMap((row) => (isBare ? row : row.slice(0, 1).map((one) => one.replace(/[:,]$/, ''))));
  const found = [...new Set(names.filter((name) => word.test(name)))];
  return found.length < fewestNames ? [] : found.map((name) => ({ name, shortcut: '' }));
}

/** What is assumed of a file of which a list says no more than name and size. */
const unknownFacts = { version: [0, 0, 0, 0] as const, area: 'i', type: 0xfe, flags: 0, unit: 0 };

/**
 * Names and sizes in a list of files of another form: below a head with the words `name` and `size`, or with one number to a row.
 * The error says what is missing.
 */
export function filesIn(text: string): Result<readonly ListedFile[], string> {
  const lines = linesOf(text);
  const headAt = lines.findIndex((line) => /name/i.test(line) && /size|bytes|length/i.test(line));
  const head = lines[headAt];
  const files = lines.slice(headAt + 1).flatMap((line): readonly ListedFile[] => {
    const found = head === undefined ? byNumber(line) : byHead(head, line);
    return found ? [{ ...unknownFacts, ...found, ...versionIn(line) }] : [];
  });
  return files.length === 0 ? failure('The list of files has no form that is known') : success(files);
}

type Found = Pick<ListedFile, 'name' | 'size'>;

function byHead(head: string, line: string): Found | undefined {
  const sizeAt = /\S*(size|bytes|length)\S*/i.exec(head);
  const nameAt = head.search(/(file)?name/i);
  const from = sizeAt?.index ?? 0;
  const to = from + (sizeAt?.[0].length ?? 0);
  const numbers = [...line.matchAll(/(?<!\S)\d+(?!\S)/g)];
  // Numbers stand below the end or the beginning of their title.
  const size = numbers.find(({ index, 0: digits }) => index + digits.length === to || index === from)?.[0];
  const isColumn = /\s/.test(line[nameAt - 1] ?? ' ') && (line[nameAt] ?? ' ') !== ' ';
  const name = isColumn && nameAt > from ? line.slice(nameAt) : line.trim().split(/\s+/).at(-1);
  return size === undefined || name === undefined || name === '' ? undefined : { name, size: Number(size) };
}

function byNumber(line: string): Found | undefined {
  const words = line
    .replace(/^#\s*\d+/, '')
    .trim()
    .split(/\s+/);
  const numbers = words.filter((one) => /^\d+$/.test(one));
  const name = words.at(-1);
  return numbers.length === 1 && words.length > 1 && name !== undefined && name !== numbers[0]
    ? { name, size: Number(numbers[0]) }
    : undefined;
}

function versionIn(line: string): Partial<ListedFile> {
  const version = parseVersion(/(?<!\S)\d+(?:\.\d+){3}(?!\S)/.exec(line)?.[0] ?? '');
  return version.ok ? { version: version.value } : {};
}
