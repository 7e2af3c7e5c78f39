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
    if (colon < 0 || name === '') return `"${line.trim()}" is not "name: value"`;
    if (name.length > limits.name) return `The name "${name}" is over ${limits.name} characters long`;
    if (value.length > limits.value) return `The value of "${name}" is over ${limits.value} characters long`;
    if (Object.hasOwn(headers, name)) return `"${name}" is there twice`;
    headers[name] = value;
  }
  return Object.keys(headers).length > limits.count ? `There are more than ${limits.count}` : headers;
}

/** Bytes of a text as it is sent. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
