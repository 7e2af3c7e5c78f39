import { t } from '../../texts/device.ts';

/** Headers that a message may have, at most; and their lengths in characters. */
const limits = { count: 16, name: 64, value: 256 } as const;

/**
 * Reads headers of a message, one to a line: `name: value`. Empty lines count for nothing.
 *
 * @returns the headers, or what is wrong with them
 */
export function parseHeaders(text: string): Record<string, string> | string {
  const headers: Record<string, string> = {};
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).trim();
    const value = line.slice(colon + 1).trim();
    if (colon < 0 || name === '') return t.isNotNameValue(line.trim());
    if (name.length > limits.name) return t.nameIsOverCharactersLong(name, limits.name);
    if (value.length > limits.value) return t.valueOfIsOverCharacters(name, limits.value);
    if (Object.hasOwn(headers, name)) return t.isThereTwice(name);
    headers[name] = value;
  }
  return Object.keys(headers).length > limits.count ? t.thereAreMoreThan(limits.count) : headers;
}

/** Bytes of a text as it is sent. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
