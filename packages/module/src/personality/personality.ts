import { failure, type Result, success } from '@moorage/base';
import { optionOrders } from '../interpreter/command.ts';
import { type Blanks, neutralTexts, type Text, type TextKey, type Texts } from '../texts/texts.ts';
import { allVariables } from '../variables/index.ts';
import { parseValue, type Value } from '../variables/kinds.ts';
import { NameIndex } from '../variables/names.ts';
import { isGuess } from '../variables/variable.ts';
import type { PersonalityData, RowKey } from './data.ts';
import { unsetClocks } from './data.ts';
import { neutralData } from './neutral.ts';
import type { Timing } from './timings.ts';

/** A firmware's names, texts and timings. One serves any number of modules. */
export interface Personality extends PersonalityData, Texts {
  /** The ways to call its variables. */
  readonly names: NameIndex;
  /** The ways that users have: without its guesses when it is strict. */
  readonly offered: NameIndex;
  /** Commands and variables that are only a guess are refused as if they did not exist. */
  readonly strict: boolean;
  /** Parsed `variableDefaults`. */
  readonly defaults: ReadonlyMap<string, Value>;
  /** The first line after a boot, and the answer of `version`. Spec: MOD-EVENT-boot. */
  readonly versionLine: string;
  row(key: RowKey, ...values: readonly (string | number)[]): string;
}

/** Fills the `{blanks}` of a text; one without a value stays empty. */
function fill(texts: PersonalityData['texts'], key: TextKey, blanks: Blanks): string {
  return texts[key].text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = blanks[name] ?? '';
    return typeof value === 'object' ? fill(texts, value[0], value[1] ?? {}) : String(value);
  });
}

/** A row in the style of C: width, `-` for left, `0` for zeros; `d`, `X`, `c` and `s`. */
export function formatRow(layout: string, values: readonly (string | number)[]): string {
  let next = 0;
  return layout.replace(/%(-?)(0?)(\d*)([dXcs])/g, (_, left: string, zero: string, width: string, kind: string) => {
    const value = values[next++] ?? '';
    const text = kind === 'X' ? Number(value).toString(16).toUpperCase() : String(value);
    const columns = Number(width || 0);
    return left ? text.padEnd(columns) : text.padStart(columns, zero || ' ');
  });
}

const neutralNames = new NameIndex(allVariables);

/** First words of the names of variables, without the cloud's own. */
const otherGroups = new Set(allVariables.map(({ name }) => name.split('.')[0] ?? ''));
otherGroups.delete('cloud');

function createPersonality(data: PersonalityData): Result<Personality, string> {
  if (otherGroups.has(data.cloudPrefix))
    return failure(`Personality key "cloudPrefix" is "${data.cloudPrefix}", with which other variables begin`);
  const names =
    data.cloudPrefix === neutralData.cloudPrefix ? neutralNames : new NameIndex(allVariables, data.cloudPrefix);
  const defaults = parseDefaults(data, names);
  if (!defaults.ok) return defaults;
  const texts = data.texts;
  const { name, version, built, module, board } = data;
  return success({
    ...data,
    names,
    offered: names,
    strict: false,
    defaults: defaults.value,
    versionLine: fill(texts, 'versionLine', { name, version, built, module, board }),
    text: (key, blanks) => (blanks ? fill(texts, key, blanks) : texts[key].text),
    row: (key, ...values) => formatRow(data.rows[key], values),
  });
}

function parseDefaults(data: PersonalityData, names: NameIndex): Result<ReadonlyMap<string, Value>, string> {
  const defaults = new Map<string, Value>();
  for (const [key, text] of Object.entries(data.variableDefaults)) {
    const [name = '', index] = key.split(' ');
    const variable = names.find(name);
    const indexed =
      variable?.index !== undefined && variable.index !== 'gpio' && variable.index.words.includes(index ?? '');
    if (!variable || variable.read || (variable.index ? !indexed : index !== undefined)) {
      return failure(`Personality key "variableDefaults" names "${key}", which is no variable with a default`);
    }
    // A default that names a pin would not hold on a smaller board.
    const value = parseValue(variable.kind, [text], { gpioCount: 0, index });
    if (!value.ok) return failure(`Value "${text}" does not fit variable "${key}"`);
    defaults.set(index === undefined ? variable.name : `${variable.name} ${index}`, value.value);
  }
  return success(defaults);
}

/** The neutral 2.x firmware. */
export const neutralPersonality: Personality = unwrapped(createPersonality(neutralData));

function unwrapped(made: Result<Personality, string>): Personality {
  if (made.ok) return made.value;
  throw new Error(made.error);
}

const certainVariables = allVariables.filter((variable) => !isGuess(variable.evidence));

/** The same firmware with nothing on offer but what is known of real ones. */
export const strictPersonality = (personality: Personality): Personality => ({
  ...personality,
  offered: new NameIndex(certainVariables, personality.cloudPrefix),
  strict: true,
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a personality file: a JSON object with any of the keys of `PersonalityData`; what it leaves out stays neutral.
 * In `texts` a plain string replaces a text. `overrides` are further keys that win over the file's, and `base` are times
 * instead of the neutral ones, over which the file wins. The refusal is one sentence that names the wrong key.
 */
export function loadPersonality(
  contents: string,
  overrides: Readonly<Record<string, unknown>> = {},
  base: Partial<Pick<PersonalityData, 'timings'>> = {},
): Result<Personality, string> {
  let given: unknown;
  try {
    given = JSON.parse(contents);
  } catch (cause) {
    return failure(`The personality file is not JSON: ${(cause as Error).message}`);
  }
  if (!isObject(given)) return failure('The personality file must hold a JSON object');
  const merged: Record<string, unknown> = { ...neutralData, ...base };
  for (const [key, value] of Object.entries({ ...given, ...overrides })) {
    const merge = Object.hasOwn(mergers, key) ? mergers[key as keyof PersonalityData] : undefined;
    if (!merge) return failure(`Personality has no key "${key}"`);
    const taken = merge(key, value, merged[key]);
    if (!taken.ok) return taken;
    merged[key] = taken.value;
  }
  // Every key has passed its merger, which returns the type of that key.
  return createPersonality(merged as unknown as PersonalityData);
}

type Merger = (key: string, value: unknown, before: unknown) => Result<unknown, string>;

const line =
  (pattern: RegExp, wanted: string): Merger =>
  (key, value) =>
    typeof value === 'string' && pattern.test(value)
      ? success(value)
      : failure(`Personality key "${key}" must be ${wanted}, not ${JSON.stringify(value)}`);

const oneOf =
  (words: readonly string[]): Merger =>
  (key, value) =>
    words.some((word) => word === value)
      ? success(value)
      : failure(`Personality key "${key}" must be one of ${words.join(', ')}`);

const shortText = line(/^[\x20-\x7e]{1,64}$/, 'a text of 1 to 64 characters');

/** Takes the entries of an object over those from before, each checked by `entry`; other keys than those are refused. */
const entries =
  (entry: (key: string, value: unknown) => Result<unknown, string>): Merger =>
  (key, value, before) => {
    if (!isObject(value)) return failure(`Personality key "${key}" must be an object`);
    const base = isObject(before) ? before : {};
    const merged: Record<string, unknown> = { ...base };
    for (const [name, part] of Object.entries(value)) {
      if (!Object.hasOwn(base, name)) return failure(`Personality key "${key}" has no entry "${name}"`);
      const taken = entry(name, part);
      if (!taken.ok) return failure(`Personality key "${key}": ${taken.error}`);
      merged[name] = taken.value;
    }
    return success(merged);
  };

const blanksOf = (text: string): readonly string[] =>
  Array.from(text.matchAll(/\{(\w+)\}/g), (match) => match[1] ?? '');

function textEntry(key: string, value: unknown): Result<Text, string> {
  const neutral = (neutralTexts as Readonly<Record<string, Text>>)[key];
  if (typeof value !== 'string' || value.length > 256 || /[\r\n\0]/.test(value)) {
    return failure(`text "${key}" must be one line of up to 256 characters`);
  }
  const known = blanksOf(neutral?.text ?? '');
  const unknown = blanksOf(value).find((blank) => !known.includes(blank));
  return unknown ? failure(`text "${key}" has no blank "{${unknown}}"`) : success({ text: value, evidence: 'seen' });
}

function rowEntry(key: string, value: unknown): Result<string, string> {
  const neutral = neutralData.rows[key as RowKey];
  const columns = (layout: string): string =>
    layout
      .match(/%-?\d*[dXcs]/g)
      ?.map((column) => column.at(-1))
      .join('') ?? '';
  if (typeof value === 'string' && columns(value) === columns(neutral)) return success(value);
  return failure(`row "${key}" must have the same columns as "${neutral}"`);
}

const habitEntry = (key: string, value: unknown): Result<boolean, string> =>
  typeof value === 'boolean' ? success(value) : failure(`habit "${key}" must be true or false`);

const maxTimingMs = 600_000;

const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= maxTimingMs;

function timingEntry(key: string, value: unknown): Result<Timing, string> {
  if (isMs(value)) return success(value);
  if (Array.isArray(value) && value.length === 2) {
    const [min, max]: readonly unknown[] = value;
    if (isMs(min) && isMs(max) && min <= max) return success([min, max]);
  }
  return failure(`timing "${key}" must be a number of ms up to ${maxTimingMs}, or a list of the least and the most`);
}

function stringMap(key: string, value: unknown): Result<unknown, string> {
  const fits = isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
  return fits ? success(value) : failure(`Personality key "${key}" must be an object of texts`);
}

function commandMap(key: string, value: unknown): Result<unknown, string> {
  const fits =
    isObject(value) &&
    Object.entries(value).every(([name, shortcut]) => isWord(name) && (shortcut === '' || isWord(shortcut)));
  return fits ? success(value) : failure(`Personality key "${key}" must be an object of words, each with its shortcut`);
}

const isWord = (word: unknown): boolean => typeof word === 'string' && /^[\x21-\x7e]{1,32}$/.test(word);

function aliasMap(key: string, value: unknown): Result<unknown, string> {
  const words = (list: unknown): boolean => Array.isArray(list) && list.every(isWord);
  const fits = isObject(value) && Object.values(value).every(words);
  return fits ? success(value) : failure(`Personality key "${key}" must be an object of lists of words`);
}

function orderMap(key: string, value: unknown, before: unknown): Result<unknown, string> {
  const fits = isObject(value) && Object.values(value).every((order) => optionOrders.some((known) => known === order));
  return fits
    ? success({ ...(isObject(before) && before), ...value })
    : failure(`Personality key "${key}" must be an object of the words ${optionOrders.join(', ')}`);
}

/** How each key of a personality file is checked. */
const mergers: Readonly<Record<keyof PersonalityData, Merger>> = {
  name: line(/^[\x21-\x7e]{1,32}$/, 'a word of 1 to 32 characters'),
  version: line(/^\d{1,5}(\.\d{1,5}){3}$/, 'a version of four parts'),
  built: line(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, 'a time of the form "YYYY-MM-DD hh:mm:ss"'),
  build: shortText,
  module: shortText,
  board: shortText,
  cloudPrefix: line(/^[a-z]{2,12}$/, '2 to 12 lower-case letters'),
  commands: commandMap,
  commandAliases: aliasMap,
  optionOrder: orderMap,
  variableDefaults: stringMap,
  habits: entries(habitEntry),
  unsetClock: oneOf(unsetClocks),
  timings: entries(timingEntry),
  texts: entries(textEntry),
  rows: entries(rowEntry),
};
