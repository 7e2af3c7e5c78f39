import { failure, type Result, success } from '@moorage/base';
import { type Settings, settingsTable, type Value, variableOf } from './config.ts';

/** A setting that cannot be used: which one, where it was given, and why. */
export interface SettingError {
  readonly setting: string;
  /** A whole sentence for the user. */
  readonly message: string;
}

/** Where settings are given. Flags by their name, in either spelling: `device-port` or `devicePort`. */
export interface SettingSources {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The parsed config file. */
  readonly file?: Readonly<Record<string, unknown>>;
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

interface Given {
  readonly flag: string;
  readonly text: string;
  /** How the user wrote it: `--port`, `MOORAGE_PORT`, `port` of the config file. */
  readonly spelling: string;
}

const unknown = (setting: string, what: string): Result<never, SettingError> =>
  failure({ setting, message: `Unknown ${what} "${setting}"` });

/** All that was given, the strongest source first: flags, environment, file. */
function gather(sources: SettingSources): Result<Given[], SettingError> {
  const given: Given[] = [];
  const known = new Set(settingsTable.map((row) => row.flag));
  for (const [name, value] of Object.entries(sources.flags ?? {})) {
    if (value === undefined) continue;
    if (!known.has(kebab(name))) return unknown(`--${kebab(name)}`, 'option');
    given.push({ flag: kebab(name), text: String(value), spelling: `--${kebab(name)}` });
  }
  for (const [name, value] of Object.entries(sources.env ?? {})) {
    if (!name.startsWith('MOORAGE_') || value === undefined) continue;
    const row = settingsTable.find(({ flag }) => variableOf(flag) === name);
    if (!row) return unknown(name, 'variable');
    given.push({ flag: row.flag, text: value, spelling: name });
  }
  for (const [name, value] of Object.entries(sources.file ?? {})) {
    if (!known.has(name)) return unknown(name, 'setting of the config file');
    given.push({ flag: name, text: String(value), spelling: `${name} of the config file` });
  }
  return success(given);
}

/**
 * Resolves all settings: a flag wins over a variable, a variable over the config file. The first unknown name or bad
 * value is the error.
 */
export function resolveSettings(sources: SettingSources): Result<Settings, SettingError> {
  const gathered = gather(sources);
  if (!gathered.ok) return gathered;
  const values: Partial<Record<keyof Settings, Value>> = {};
  for (const row of settingsTable) {
    const given = gathered.value.find((one) => one.flag === row.flag);
    const text = given?.text ?? row.default;
    if (text === undefined) {
      values[row.name] = row.otherwise?.(String(values.dataDir));
      continue;
    }
    const parsed = row.parse(text);
    if (!parsed.ok) return failure({ setting: row.flag, message: `Setting ${given?.spelling} ${parsed.error}` });
    values[row.name] = parsed.value;
  }
  // Safe: the table has a row for each setting, whose parser and default give its type; a test walks it.
  return success(values as unknown as Settings);
}
