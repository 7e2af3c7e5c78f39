import type { ExtensionName } from '@moorage/api';
import { failure, type Result, success, unwrap } from '@moorage/base';
import ipaddr from 'ipaddr.js';

/** How a text is read where its row has no parser. */
type OptionKind = 'text' | 'ipv4' | 'port' | 'count' | 'switch';

/** One setting: the flag, the variable of the environment and the key of the config file derive from its name. */
export interface OptionRow {
  /** A text without it. */
  readonly kind?: OptionKind;
  /** Reads a text instead of the kind; the error completes "Setting --flag …". */
  readonly parse?: (text: string) => Result<unknown, string>;
  readonly help: string;
  /** What stands for the value in the help. */
  readonly placeholder?: string;
  /** One letter that stands for the flag. */
  readonly short?: string;
  /** Taken when none is given; a parser reads it as it reads what users give. */
  readonly default?: string | number | boolean;
  /** The default where it depends on the values of the rows before. */
  readonly defaultFrom?: (values: Readonly<Record<string, unknown>>) => string;
  /** The default in words, where it is not a value. */
  readonly defaultText?: string;
  /** Its value is a secret, or a password in it where it is a URL; decided for each setting whose name sounds so. */
  readonly secret?: boolean;
  /** The extension of the service that it belongs to; engine and core have the others. */
  readonly extension?: ExtensionName;
}

/** Settings by their names, spelled as the flag without its dashes. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

type ValueOf<Row extends OptionRow> = Row extends { parse: (text: string) => Result<infer Value, string> }
  ? Value
  : Row extends { kind: 'switch' }
    ? boolean
    : Row extends { kind: 'port' | 'count' }
      ? number
      : string;

type Always = { default: unknown } | { defaultFrom: unknown } | { kind: 'switch' };

/** Values of a table: those with a default are always there. */
export type Resolved<T extends OptionTable> = {
  readonly [Name in keyof T]: ValueOf<T[Name]> | (T[Name] extends Always ? never : undefined);
};

/** Where values may come from, in the order in which they win. */
export interface OptionSources {
  readonly flags: Readonly<Record<string, string | true>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The config file, parsed. */
  readonly file: Readonly<Record<string, unknown>>;
}

/** The variable of a setting: `MOORAGE_DEVICE_PORT` of `device-port`. */
export const variableOf = (name: string): string => `MOORAGE_${name.toUpperCase().replaceAll('-', '_')}`;

/** How a setting is spelled where values come from, and how errors name it. */
export const places = {
  flags: {
    key: (name: string) => name,
    said: (name: string) => `Option --${name}`,
    named: (name: string) => `--${name}`,
  },
  env: { key: variableOf, said: (name: string) => `Variable ${variableOf(name)}`, named: variableOf },
  file: {
    key: (name: string) => name,
    said: (name: string) => `Setting "${name}" of the config file`,
    named: (name: string) => `${name} of the config file`,
  },
} as const;
export const placeOrder = ['flags', 'env', 'file'] as const;

function readKind(kind: OptionKind, text: string): Result<string | number | boolean, string> {
  if (kind === 'text') return success(text);
  if (kind === 'ipv4') {
    return ipaddr.IPv4.isValidFourPartDecimal(text) ? success(text) : failure('not an IPv4 address');
  }
  if (kind === 'switch') {
    if (/^(1|true|on|yes)$/i.test(text)) return success(true);
    if (/^(0|false|off|no|)$/i.test(text)) return success(false);
    return failure('not a truth value');
  }
  const limit = kind === 'port' ? 65_535 : Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,16}$/.test(text) || Number(text) > limit) return failure(`not a number of 0 to ${limit}`);
  return success(Number(text));
}

/** Reads what a place gives for a setting. The error is a whole sentence. */
function readGiven(
  { kind = 'text', parse }: OptionRow,
  name: string,
  given: unknown,
  { said, named }: (typeof places)[keyof typeof places],
): Result<unknown, string> {
  const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  if (typeof text !== 'string') return failure(`${said(name)} is not a text, number or truth value`);
  if (parse) {
    const parsed = parse(text);
    return parsed.ok ? parsed : failure(`Setting ${named(name)} ${parsed.error}`);
  }
  const read = readKind(kind, text);
  return read.ok ? read : failure(`${said(name)} is "${text}", ${read.error}`);
}

function defaultOf({ kind, parse, ...row }: OptionRow, values: Readonly<Record<string, unknown>>): unknown {
  const value = row.defaultFrom?.(values) ?? row.default ?? (kind === 'switch' ? false : undefined);
  return parse && value !== undefined ? unwrap(parse(String(value))) : value;
}

/**
 * The values of a table of settings: flags before environment before file before defaults.
 * The error names the flag, variable or key that is wrong.
 */
export function resolveTable<const T extends OptionTable>(
  table: T,
  sources: Partial<OptionSources>,
): Result<Resolved<T>, string> {
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(table)) {
    const place = placeOrder.find((one) => sources[one]?.[places[one].key(name)] !== undefined);
    const given = place && sources[place]?.[places[place].key(name)];
    const read = place ? readGiven(row, name, given, places[place]) : success(defaultOf(row, values));
    if (!read.ok) return read;
    values[name] = read.value;
  }
  // Safe: every name of the table has been given a value of its parser or kind just above.
  return success(values as Resolved<T>);
}
