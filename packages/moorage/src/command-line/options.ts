import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { errorCode, failure, type Result, success } from '@moorage/base';
import { variableOf } from '@moorage/service/engine/settings/config';
import { withoutPassword } from '@moorage/service/engine/stores/addresses';

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
  /** Its value is a secret, or a password in it where it is a URL; decided for each setting whose name sounds so. */
  readonly secret?: boolean;
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

/** How a setting is spelled where values come from, and how an error names it. */
const places = {
  flags: { key: (name: string) => name, said: (name: string) => `Option --${name}` },
  env: { key: variableOf, said: (name: string) => `Variable ${variableOf(name)}` },
  file: { key: (name: string) => name, said: (name: string) => `Setting "${name}" of the config file` },
} as const;
const order = ['flags', 'env', 'file'] as const;

/** The setting that names a file with the value of a secret one. */
const fileOf = (name: string): string => `${name}-file`;

const advice = (name: string): string => `better in ${variableOf(name)}, or in a file that --${fileOf(name)} names`;

/** A table with what each secret setting brings along: a setting that names a file with its value, and the advice in its help. */
export function withSecretFiles(table: OptionTable): OptionTable {
  const rows = Object.entries(table).flatMap(([name, row]): [string, OptionRow][] => {
    if (!row.secret) return [[name, row]];
    const what = row.placeholder === 'URL' ? 'a password in it is secret' : 'secret';
    const help = `${row.help}; ${what}, and others see flags: ${advice(name)}`;
    const file = { kind: 'text', placeholder: 'FILE', help: `file with the value of --${name}` } as const;
    return [
      [name, { ...row, help }],
      [fileOf(name), file],
    ];
  });
  return Object.fromEntries(rows);
}

/** The text of a file but for the end of its last line; the error completes a sentence. */
function readSecret(path: string): Result<string, string> {
  try {
    const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
    return text.trim() === '' ? failure('is empty') : success(text);
  } catch (error) {
    return failure(`cannot be read (${errorCode(error)})`);
  }
}

/** Puts what files hold in the place of the settings that name them. The error names the setting that is wrong. */
export function readSecretFiles(table: OptionTable, sources: OptionSources): Result<OptionSources, string> {
  const read = { flags: { ...sources.flags }, env: { ...sources.env }, file: { ...sources.file } };
  for (const name of Object.keys(table).filter((one) => table[one]?.secret)) {
    const given = (setting: string) => (place: keyof typeof places) =>
      read[place][places[place].key(setting)] !== undefined;
    // The strongest place that gives either; what a weaker one says is not looked at.
    const place = order.find((one) => given(name)(one) || given(fileOf(name))(one));
    if (place === undefined || !given(fileOf(name))(place)) continue;
    const { key, said } = places[place];
    if (given(name)(place)) return failure(`${said(name)} and --${fileOf(name)} are both given; one is enough`);
    const path = String(read[place][key(fileOf(name))]);
    const text = readSecret(path);
    if (!text.ok) return failure(`${said(fileOf(name))}: file "${path}" ${text.error}`);
    read[place][key(name)] = text.value;
  }
  return success(read);
}

/** A warning for each secret that stands in a flag, where the other users of the machine see it. */
export const shownSecrets = (table: OptionTable, flags: OptionSources['flags']): string[] =>
  Object.entries(flags)
    .filter(([name, given]) => {
      const row = table[name];
      return row?.secret && (row.placeholder !== 'URL' || withoutPassword(String(given)) !== given);
    })
    .map(([name]) => `Others see the secret in --${name} in the list of processes; it is ${advice(name)}`);

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
  const complete = readSecretFiles(table, sources);
  if (!complete.ok) return complete;
  const values: Record<string, Value | undefined> = {};
  for (const [name, row] of Object.entries(table)) {
    const place = order.find((one) => complete.value[one][places[one].key(name)] !== undefined);
    if (!place) {
      values[name] = row.default ?? (row.kind === 'switch' ? false : undefined);
      continue;
    }
    const { key, said } = places[place];
    const read = readValue(row, complete.value[place][key(name)], said(name));
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
