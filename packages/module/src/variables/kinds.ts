import { failure, parseMac, type Result, success } from '@moorage/base';
import { directionNamed, directions } from './directions.ts';

/** What a variable holds, besides tables, which are only printed. */
export type Value = boolean | number | string;

/** Why a variable command is refused; `commands/variables.ts` gives each its response code. */
export type VariableError = 'missing' | 'too-many' | 'unknown' | 'invalid' | 'failed';

/** The kind of a value: what `set` accepts and what `get` prints. Reference: variables 2.1. */
export type Kind =
  | { readonly type: 'bool' }
  | { readonly type: 'int'; readonly min: number; readonly max: number }
  /** A pin of the board, or -1 for none. */
  | { readonly type: 'gpio' }
  | { readonly type: 'hex'; readonly max: number }
  | { readonly type: 'enum'; readonly words: readonly string[]; readonly synonyms?: Readonly<Record<string, string>> }
  /** The rest of the line, empty or `min` to `max` bytes; `empty` is a word that means the same as no text. */
  | {
      readonly type: 'str';
      readonly min: number;
      readonly max: number;
      readonly pattern?: RegExp;
      readonly empty?: string;
    }
  /** A network name: up to 32 bytes, those that do not print written `\xHH`. */
  | { readonly type: 'ssid' }
  /** A key, where the two characters `\0` mean empty; `lengths` are further lengths below the minimum. */
  | { readonly type: 'key'; readonly min: number; readonly max: number; readonly lengths?: readonly number[] }
  | { readonly type: 'ip' }
  | { readonly type: 'csv'; readonly max: number; readonly item: RegExp }
  | { readonly type: 'file' }
  | { readonly type: 'mac' }
  /** Hours from UTC, `[+/-]H[:30]`. */
  | { readonly type: 'zone' }
  /** A baud rate; one that is not in the list only with the word `raw` behind it. */
  | { readonly type: 'baud' }
  /** A pin and the events it shows: `12 data,connected`; -1 is the same as nothing. */
  | { readonly type: 'pin_events'; readonly words: readonly string[] }
  /** A pin's direction and first level: `output_pp 1`. */
  | { readonly type: 'direction' }
  /** Blink patterns joined with `|`, as many as the index has states. */
  | { readonly type: 'blink'; readonly states: Readonly<Record<string, number>> }
  /** Several lines, made when asked for. */
  | { readonly type: 'table' };

/** The type that code sees for a kind. */
export type ValueOfKind<K extends Kind> = K extends { type: 'bool' }
  ? boolean
  : K extends { type: 'int' | 'gpio' | 'hex' | 'baud' }
    ? number
    : K extends { type: 'enum'; words: readonly (infer Word)[] }
      ? Word & string
      : string;

export const bool = { type: 'bool' } as const;
export const gpio = { type: 'gpio' } as const;
export const ssid = { type: 'ssid' } as const;
export const ip = { type: 'ip' } as const;
export const file = { type: 'file' } as const;
export const table = { type: 'table' } as const;
export const u8 = (min = 0, max = 255) => ({ type: 'int', min, max }) as const;
export const u16 = (min = 0, max = 65_535) => ({ type: 'int', min, max }) as const;
export const u32 = (min = 0, max = 4_294_967_295) => ({ type: 'int', min, max }) as const;
export const str = (max: number, min = 1) => ({ type: 'str', min, max }) as const;
export const words = <const Words extends readonly string[]>(...list: Words) =>
  ({ type: 'enum', words: list }) as const;
export const csv = (item: RegExp, max = 256) => ({ type: 'csv', item, max }) as const;
/** An interface, or the one that `network.default_interface` names. */
export const interfaceOrDefault = words('default', 'wlan', 'softap');
/** A host name or address. */
export const host = { type: 'str', min: 1, max: 128, pattern: /^[\x21-\x7e]+$/ } as const;

const baudRates: readonly number[] = [
  1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
];

const blinkPatterns = ['static_off', 'static_on', 'slow_blink', 'medium_blink', 'fast_blink'];

/** Longest file name. Reference: flash 1.3. */
const maxFileNameLength = 95;
const maxSsidBytes = 32;
const wpaKeyDigits = 64;
const maxBaud = 10_000_000;

const truth: Readonly<Record<string, boolean>> = { 0: false, off: false, false: false, 1: true, on: true, true: true };

const integer = (text: string): number | undefined => {
  if (/^[+-]?\d{1,10}$/.test(text)) return Number(text);
  return /^0x[0-9a-f]{1,8}$/i.test(text) ? Number(text) : undefined;
};

const within = (value: number | undefined, min: number, max: number): number | undefined =>
  value !== undefined && value >= min && value <= max ? value : undefined;

/** Texts keep bytes that are no UTF-8 as lone surrogates from here on, as the line reader makes them. */
const strayBase = 0xdc00;
const strayBytes = /[\udc80-\udcff]/gu;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** How many bytes a text has on the wire; a stray byte counts once. */
export const byteLength = (text: string): number =>
  Buffer.byteLength(text) - (text.isWellFormed() ? 0 : 2 * (text.match(strayBytes)?.length ?? 0));

function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => String.fromCharCode(byte < 0x80 ? byte : strayBase + byte)).join('');
  }
}

/** Replaces each run of `\xHH` by the bytes it stands for. */
const unescapeBytes = (text: string): string =>
  text.replace(/(\\x[0-9a-f]{2})+/gi, (run) => textOfBytes(Buffer.from(run.replaceAll(/\\x/gi, ''), 'hex')));

/** A backslash is itself, but where what follows would make a byte of it. */
const escapeBytes = (text: string): string =>
  text
    .replace(/\\(?=x[0-9a-f]{2})/gi, () => hexEscape(0x5c))
    .replace(/[\x00-\x1f\x7f]/g, (character) => hexEscape(character.charCodeAt(0)))
    .replace(strayBytes, (character) => hexEscape(character.charCodeAt(0) - strayBase));

const hexEscape = (byte: number): string => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

const parseIp = (text: string): string | undefined => {
  const parts = /^\d{1,3}(\.\d{1,3}){3}$/.test(text) ? text.split('.').map(Number) : [];
  return parts.length === 4 && parts.every((part) => part <= 255) ? parts.join('.') : undefined;
};

/** Minutes from UTC of a time zone text such as `-4:30`; `undefined` when it is none. */
export function zoneMinutes(text: string): number | undefined {
  const match = /^([+-]?)(\d{1,2})(:30|:00)?$/.exec(text);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + (match[3] === ':30' ? 30 : 0);
  if (minutes > 12 * 60 + 30) return undefined;
  return match[1] === '-' ? -minutes : minutes;
}

const formatZone = (minutes: number): string =>
  `${minutes < 0 ? '-' : ''}${Math.floor(Math.abs(minutes) / 60)}${minutes % 60 === 0 ? '' : ':30'}`;

function parseDirection(text: string): string | undefined {
  const [name = '', level, ...more] = text.split(' ');
  if (more.length > 0 || (level !== undefined && level !== '0' && level !== '1')) return undefined;
  const row = directionNamed(name);
  if (row === 'none') return level === undefined ? '' : undefined;
  // Spec: MOD-VAR-gpio.init. An output is printed with its level, which is 0 when none is given.
  const first = level ?? (row?.usage.startsWith('output') ? '0' : undefined);
  return row && (first === undefined ? row.longName : `${row.longName} ${first}`);
}

function parsePinEvents(
  kind: Extract<Kind, { type: 'pin_events' }>,
  text: string,
  gpioCount: number,
): string | undefined {
  if (text === '' || text === '-1') return '';
  const match = /^(\d{1,2}) (\S+)$/.exec(text);
  const events = match?.[2]?.split(',') ?? [];
  const fits = events.every((event, at) => kind.words.includes(event) && events.indexOf(event) === at);
  return match && Number(match[1]) < gpioCount && fits ? `${Number(match[1])} ${events.join(',')}` : undefined;
}

function parseBaud(text: string): number | undefined {
  const [rate = '', raw, ...more] = text.split(' ');
  if (more.length > 0 || (raw !== undefined && raw !== 'raw')) return undefined;
  const value = within(integer(rate), 1, maxBaud);
  return value !== undefined && (raw || baudRates.includes(value)) ? value : undefined;
}

function parseKey(kind: Extract<Kind, { type: 'key' }>, text: string): string | undefined {
  if (text === '' || text === '\\0') return '';
  const length = byteLength(text);
  // A WPA passphrase is shorter: 64 characters are the key itself.
  if (length === wpaKeyDigits && !/^[0-9a-f]*$/i.test(text)) return undefined;
  return within(length, kind.min, kind.max) || kind.lengths?.includes(length) ? text : undefined;
}

function parseCsv(kind: Extract<Kind, { type: 'csv' }>, text: string, gpioCount: number): string | undefined {
  if (text === '') return '';
  const fits = (item: string): boolean =>
    kind.item.test(item) && Number(/^gpio(\d+)$/.exec(item)?.[1] ?? -1) < gpioCount;
  return byteLength(text) <= kind.max && text.split(',').every(fits) ? text : undefined;
}

function parseStr(kind: Extract<Kind, { type: 'str' }>, text: string): string | undefined {
  if (text === '' || text === kind.empty) return '';
  if (within(byteLength(text), kind.min, kind.max) === undefined) return undefined;
  return (kind.pattern ?? /^[^\r\n\0]*$/).test(text) ? text : undefined;
}

/** What limits a value besides its kind. */
interface ValueLimits {
  readonly gpioCount: number;
  /** Of an indexed variable. */
  readonly index?: string | undefined;
}

function parseText(kind: Kind, text: string, board: ValueLimits): Value | undefined {
  switch (kind.type) {
    case 'bool':
      return truth[text.toLowerCase()];
    case 'int':
      return within(integer(text), kind.min, kind.max);
    case 'gpio':
      return within(integer(text), -1, board.gpioCount - 1);
    case 'hex':
      return within(/^(0x)?[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) : undefined, 0, kind.max);
    case 'enum':
      return kind.words.includes(text) ? text : kind.synonyms?.[text];
    case 'str':
      return parseStr(kind, text);
    case 'ssid':
      return byteLength(unescapeBytes(text)) <= maxSsidBytes ? unescapeBytes(text) : undefined;
    case 'key':
      return parseKey(kind, text);
    case 'ip':
      return parseIp(text);
    case 'csv':
      return parseCsv(kind, text, board.gpioCount);
    case 'file':
      return text.length <= maxFileNameLength && /^[\x20-\x7e]*$/.test(text) ? text : undefined;
    case 'mac': {
      const mac = parseMac(text);
      return text === '' ? '' : mac.ok ? mac.value : undefined;
    }
    case 'zone': {
      const minutes = zoneMinutes(text);
      return minutes === undefined ? undefined : formatZone(minutes);
    }
    case 'baud':
      return parseBaud(text);
    case 'pin_events':
      return parsePinEvents(kind, text, board.gpioCount);
    case 'direction':
      return parseDirection(text);
    case 'blink': {
      const patterns = text.split('|');
      const fits = patterns.length === kind.states[board.index ?? ''];
      return fits && patterns.every((pattern) => blinkPatterns.includes(pattern)) ? text : undefined;
    }
    case 'table':
      return undefined;
  }
}

/** Kinds whose value is the rest of the line; the others take one word. */
const takesRest: ReadonlySet<Kind['type']> = new Set(['pin_events', 'str', 'ssid', 'key', 'file', 'baud', 'direction']);

/** Reads the words behind a variable's name as a value of its kind. */
export function parseValue(kind: Kind, given: readonly string[], limits: ValueLimits): Result<Value, VariableError> {
  if (given.length === 0) return failure('missing');
  if (given.length > 1 && !takesRest.has(kind.type)) return failure('too-many');
  const value = parseText(kind, given.join(' '), limits);
  return value === undefined ? failure('invalid') : success(value);
}

/** The words that a value of a kind can be; none where they cannot be listed. */
export function wordsOf(kind: Kind): readonly string[] {
  switch (kind.type) {
    case 'bool':
      return ['0', '1'];
    case 'enum':
      return kind.words;
    case 'baud':
      return baudRates.map(String);
    case 'direction':
      return ['none', ...directions.map(({ longName }) => longName)];
    default:
      return [];
  }
}

/** The text that `get` prints. */
export function printValue(kind: Kind, value: Value): string {
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (kind.type === 'hex') return `0x${Number(value).toString(16).toUpperCase()}`;
  return kind.type === 'ssid' ? escapeBytes(String(value)) : String(value);
}

/** The text that a saved value is kept as: what `set` accepts and reads back as the same value. */
export const saveText = (kind: Kind, value: Value): string =>
  kind.type === 'baud' ? `${value} raw` : printValue(kind, value);
