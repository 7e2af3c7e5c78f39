/** Text that a database takes: any but the character NUL. */
export const withoutNul = '^[^\\u0000]*$';

/** Names and titles of things: a few characters of which one can be seen. */
export const visible = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Name of an attribute or label. Nothing in it has a meaning in a filter. */
export const attributeName = '^[A-Za-z][A-Za-z0-9_.-]{0,63}$';

/**
 * Name of a device behind a door, up to 128 characters. It stands in addresses, where "." and ".." are ways to other
 * places.
 */
export const doorName = '^(\\.*[A-Za-z0-9_:@-][A-Za-z0-9_.:@-]*|\\.{3,})$';
export const doorNameLength = 128;

/** A segment of a file's name: printable ASCII, and neither empty nor "." nor "..". */
const segment = '(\\.*[ -\\-0-~][ -.0-~]*|\\.{3,})';
/** Name of a file on a module: segments with slashes between them. */
export const filenamePattern = `^${segment}(/${segment})*$`;

/**
 * What a text has to be, by the pattern that the contract writes it in, as the rest of a sentence about its field: the
 * service says it in refusals and the console in forms. People should not have to read patterns.
 */
export const patternWords: Readonly<Record<string, string>> = {
  [visible]: 'may not be blank',
  [filenamePattern]: 'takes plain characters, without accents, and no part "..", "." or nothing between slashes',
  '^[A-Za-z0-9_.-]{1,32}$': 'takes letters, digits, "_", "." and "-", up to 32 of them',
  '^[A-Za-z0-9_.-]{1,64}$': 'takes letters, digits, "_", "." and "-", up to 64 of them',
  [attributeName]: 'takes a letter, then letters, digits, "_", "." and "-", up to 64 in all',
  [doorName]: 'takes letters, digits, "_", ".", ":", "@" and "-", but neither "." nor ".."',
  '^[A-Za-z0-9_.]{1,32}$': 'takes letters, digits, "_" and ".", up to 32 of them',
  '^[A-Za-z0-9_.]+$': 'takes letters, digits, "_" and "."',
  '^[A-Za-z0-9_-]+$': 'takes letters, digits, "_" and "-"',
  '^[a-z0-9_-]{1,24}$': 'takes small letters, digits, "_" and "-", up to 24 of them',
  '^[a-z0-9][a-z0-9_.-]{0,31}$':
    'takes small letters, digits, "_", "." and "-", up to 32 of them, a letter or digit first',
  '^[a-z][a-z0-9-]*$': 'takes small letters, digits and "-", a letter first',
  '^\\d{1,15}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$': 'takes the place of a row, as the header Link gives it',
  '^[0-9A-Fa-f]{8}$': 'takes 8 hexadecimal digits',
  '^[0-9a-f]{64}$': 'takes 64 hexadecimal digits in lower case',
  '^[0-9a-f]{16,32}$': 'takes 16 to 32 hexadecimal digits in lower case',
  '^([0-9a-fA-F]{12}|[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){2})$':
    'takes six bytes in hexadecimal, with colons, hyphens, dots or nothing between them',
  '^([A-Z0-9_]{1,32}|[0-9A-Fa-f]{2})$':
    'takes capital letters, digits and "_", up to 32 of them, or two hexadecimal digits',
  '^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(;[ \\x21-\\x7e]*)?$': 'takes a media type, like text/plain',
  '^https?://[^\\s@\\u0000]+$': 'takes an address that begins with http:// or https://, without a user name in it',
  '^/([^/\\\\\\s\\u0000][^\\\\\\s\\u0000]*)?$': 'takes the path of a page, with one slash in front and no blanks',
  '^mqtts?://[^\\s@/\\u0000]+/?$': 'takes an address that begins with mqtt:// or mqtts:// and has no path',
  '^[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*$': 'takes letters, digits, "_" and "-", with slashes between them',
  '^[^+#\\u0000]+$': 'takes a topic without "+" and "#"',
  '^[^\\s@\\u0000]+@[^\\s@\\u0000]+$': 'takes an email address, like name@example.com',
  '^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,187}[A-Za-z0-9])?$':
    'takes an email address in plain letters, like name@example.com',
  '^[\\t\\x20-\\x7e]*$': 'takes plain characters, without accents',
  '^[A-Za-z][A-Za-z0-9_+/-]*$': 'takes the name of a time zone, like Europe/Berlin',
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': 'takes a time of day, like 22:00',
  [withoutNul]: 'takes text without the character NUL',
  "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$": 'takes the name of a header field',
};

/** What a text of this pattern has to be. */
export const sayPattern = (pattern: string): string => patternWords[pattern] ?? 'does not have the form it needs';

/** Keyword of what a rule of the service enforces, with its own error code; only documents look at it. */
export const ruleKeyword = 'x-rules';

/** Options of the schema of a value that rules check further: more keywords of JSON Schema, and `x-max-bytes` of UTF-8. */
export const ruled = (keywords: Readonly<Record<string, unknown>>) => ({ [ruleKeyword]: keywords });
