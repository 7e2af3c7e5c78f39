import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { failure, type Result, success } from '@moorage/base';
import { variableOf } from '@moorage/service/core/config';

/** What a setting holds, and so how its text is read. */
type OptionKind = 'text' | 'ipv4' | 'port' | 'count' | 'switch';

/** One setting: the flag, the variable of the environment and the key of the config file derive from its name. */
export interface OptionRow {
  readonly kind: OptionKind;
  readonly help: string;
  /** What stands for the value in the help. */
  readonly placeholder?: string;
  /** One letter that stands for the flag. */
  readonly short?: string;
  readonly default?: string | number | boolean;
  /** The default in words, where it is not a value. */
  readonly defaultText?: string;
}

/** Settings of a command by their names, spelled as the flag without its dashes. */
export type OptionTable = Readonly<Record<string, OptionRow>>;

type ValueOfKind<K extends OptionKind> = K extends 'text' | 'ipv4' ? string : K extends 'switch' ? boolean : number;

/** Values of a table: those with a default are always there. */
export type Resolved<T extends OptionTable> = {
  readonly [Name in keyof T]:
    | ValueOfKind<T[Name]['kind']>
    | (T[Name] extends { default: unknown } ? never : T[Name]['kind'] extends 'switch' ? never : undefined);
};

/** Where values may come from, in the order in which they win. */
export interface OptionSources {
  readonly flags: Readonly<Record<string, string | true>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: Readonly<Record<string, unknown>>;
}

type Value = string | number | boolean;

function readValue(row: OptionRow, given: unknown, where: string): Result<Value, string> {
  const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  if (typeof text !== 'string') return failure(`${where} is not a text, number or truth value`);
  if (row.kind === 'text') return success(text);
  if (row.kind === 'ipv4') {
    return isIPv4(text) ? success(text) : failure(`${where} is "${text}", not an IPv4 address`);
  }
  if (row.kind === 'switch') {
    if (/^(1|true|on|yes)$/i.test(text)) return success(true);
    if (/^(0|false|off|no|)$/i.test(text)) return success(false);
    return failure(`${where} is "${text}", not a truth value`);
  }
  const limit = row.kind === 'port' ? 65_535 : Number.MAX_SAFE_INTEGER;
  if (!/^\d{1,16}$/.test(text) || Number(text) > limit)
    return failure(`${where} is "${text}", not a number of 0 to ${limit}`);
  return success(Number(text));
}

/**
 * The values of a command's settings: flags before environment before file before defaults.
 * The error names the flag, variable or key that is wrong.
 */
export function resolveOptions<const T extends OptionTable>(
  table: T,
  sources: OptionSources,
): Result<Resolved<T>, string> {
  const values: Record<string, Value | undefined> = {};
  for (const [name, row] of Object.entries(table)) {
    const variable = variableOf(name);
    const found = [
      [sources.flags[name], `Option --${name}`],
      [sources.env[variable], `Variable ${variable}`],
      [sources.file[name], `Setting "${name}" of the config file`],
    ].find(([given]) => given !== undefined);
    if (!found) {
      values[name] = row.default ?? (row.kind === 'switch' ? false : undefined);
      continue;
    }
    const read = readValue(row, found[0], found[1] as string);
    if (!read.ok) return read;
    values[name] = read.value;
  }
  // Every name of the table has been given a value of its kind just above.
  return success(values as Resolved<T>);
}

/** Reads a config file: one JSON object of settings. The error says what is wrong with it. */
export function readConfigFile(path: string): Result<Readonly<Record<string, unknown>>, string> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return failure(`Config file "${path}" cannot be read: ${(error as Error).message}`);
  }
  try {
    const content: unknown = JSON.parse(text);
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return success({ ...content });
    return failure(`Config file "${path}" is not a JSON object`);
  } catch (error) {
    return failure(`Config file "${path}" is not JSON: ${(error as Error).message}`);
  }
}

/** The first name in the environment or file that no command knows, as an error; `undefined` when all are known. */
export function findUnknownSetting(
  known: ReadonlySet<string>,
  sources: Omit<OptionSources, 'flags'>,
): string | undefined {
  const variables = new Set([...known].map(variableOf));
  const variable = Object.keys(sources.env).find((name) => name.startsWith('MOORAGE_') && !variables.has(name));
  if (variable) return `Variable ${variable} is unknown`;
  const key = Object.keys(sources.file).find((name) => !known.has(name));
  return key === undefined ? undefined : `Setting "${key}" of the config file is unknown`;
}
