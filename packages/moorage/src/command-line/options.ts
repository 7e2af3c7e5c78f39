import { readFileSync } from 'node:fs';
import { errorCode, failure, type Result, success } from '@moorage/base';
import {
  type OptionRow,
  type OptionSources,
  type OptionTable,
  placeOrder,
  places,
  type Resolved,
  resolveTable,
  variableOf,
} from '@moorage/service/engine/settings/options';
import { withoutPassword } from '@moorage/service/engine/stores/addresses';

export type { OptionRow, OptionSources, OptionTable, Resolved };

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
    const place = placeOrder.find((one) => given(name)(one) || given(fileOf(name))(one));
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

/**
 * The values of a command's settings, those in files of their own too: flags before environment before file before
 * defaults. The error names the flag, variable or key that is wrong.
 */
export function resolveOptions<const T extends OptionTable>(
  table: T,
  sources: OptionSources,
): Result<Resolved<T>, string> {
  const complete = readSecretFiles(table, sources);
  return complete.ok ? resolveTable(table, complete.value) : complete;
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
