import { failure, parseVersion, type Result, success, type Version } from '@moorage/base';
import type { ArgSpec, OptionOrder, OptionSpec } from './command.ts';
import { codes, type RefusalCode } from './reply.ts';
import type { Token } from './tokeniser.ts';

/** Largest value of each part of a file's version: 5, 6, 13 and 8 bits. Reference: flash 2.3. */
export const maxFileVersion: Version = [31, 63, 8191, 255];

/** Pins that any model can have; whether the board at hand has the pin is for the command to say. */
const maxPinNumber = 255;

type Value = string | number | boolean | Version | readonly string[] | undefined;

/** What a command declares of its line. */
export interface Declaration {
  readonly args: Readonly<Record<string, ArgSpec>>;
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly optionOrder?: OptionOrder;
}

type ParsedArguments = Result<Readonly<Record<string, Value>>, RefusalCode>;

/**
 * Reads the words after a command's name. Checks in this order: how many there are (4, 5), names of options (6), their
 * values (7). Spec: MOD-LINE-order, MOD-ERR-4, MOD-ERR-5, MOD-ERR-6, MOD-ERR-7.
 *
 * An option is an unquoted word that begins with `-` and a letter; one that stands where the order of the command does
 * not allow it is invalid (MOD-RULE-option-order). A command without options takes every word as it is, and so does an
 * argument of kind `words` from its first word on.
 */
export function parseArguments(declared: Declaration, tokens: readonly Token[]): ParsedArguments {
  const sorted = sortTokens(declared, tokens);
  const count = checkCount(declared, sorted);
  if (count !== undefined) return failure(count);
  if (sorted.unknownOption) return failure(codes.UNKNOWN_NAME);
  if (sorted.misplacedOption) return failure(codes.INVALID);
  const values: Record<string, Value> = {};
  const options = readOptions(declared, sorted, values);
  if (options !== undefined) return failure(options);
  const args = readPositionals(declared, sorted.positionals, values);
  return args === undefined ? success(values) : failure(args);
}

interface SortedTokens {
  readonly positionals: Token[];
  readonly switches: Set<string>;
  /** Texts after options with a value; `undefined` where the line ended too early. */
  readonly given: Map<string, string | undefined>;
  readonly letters: Map<string, string>;
  unknownOption: boolean;
  repeatedOption: boolean;
  misplacedOption: boolean;
}

/** Parts a line into options and other words, wrong ones too. */
export function sortTokens(declared: Declaration, tokens: readonly Token[]): SortedTokens {
  const sorted: SortedTokens = {
    positionals: [],
    switches: new Set(),
    given: new Map(),
    letters: new Map(),
    unknownOption: false,
    repeatedOption: false,
    misplacedOption: false,
  };
  const options = Object.entries(declared.options);
  const kinds = Object.values(declared.args).map((spec) => spec.kind);
  let furthest = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const inWords = kinds[sorted.positionals.length - 1] === 'words' || sorted.positionals.length > kinds.length;
    if (options.length === 0 || inWords || token.quoted || !/^-[A-Za-z]/.test(token.text)) {
      sorted.positionals.push(token);
      continue;
    }
    const place = options.findIndex(([, spec]) => optionTakes(spec, token.text));
    const option = options[place];
    sorted.misplacedOption ||= isMisplaced(declared.optionOrder, place < furthest, sorted.positionals.length > 0);
    furthest = place;
    if (option === undefined) {
      sorted.unknownOption = true;
    } else if (option[1].kind === 'value') {
      at += 1;
      sorted.repeatedOption ||= sorted.given.has(option[0]);
      sorted.given.set(option[0], tokens[at]?.text);
    } else if (option[1].kind === 'letters') {
      sorted.letters.set(option[0], (sorted.letters.get(option[0]) ?? '') + token.text.slice(1));
    } else {
      sorted.switches.add(option[0]);
    }
  }
  return sorted;
}

const isMisplaced = (order: OptionOrder = 'any', isLate: boolean, isBehindArgument: boolean): boolean =>
  order !== 'any' && (isBehindArgument || (order === 'stated' && isLate));

function optionTakes(spec: OptionSpec, text: string): boolean {
  if (spec.kind !== 'letters') return text === spec.flag;
  return [...text.slice(1)].every((letter) => spec.letters.includes(letter));
}

function checkCount(declared: Declaration, sorted: SortedTokens): RefusalCode | undefined {
  const specs = Object.values(declared.args);
  const required = specs.filter((spec) => !spec.optional).length;
  const count = sorted.positionals.length;
  if (count < required || [...sorted.given.values()].includes(undefined)) return codes.TOO_FEW;
  const endless = specs.at(-1)?.kind === 'words';
  return (count > specs.length && !endless) || sorted.repeatedOption ? codes.TOO_MANY : undefined;
}

function readOptions(
  declared: Declaration,
  sorted: SortedTokens,
  values: Record<string, Value>,
): RefusalCode | undefined {
  for (const [name, spec] of Object.entries(declared.options)) {
    if (spec.kind === 'switch') {
      values[name] = sorted.switches.has(name);
    } else if (spec.kind === 'letters') {
      const letters = sorted.letters.get(name) ?? '';
      if (new Set(letters).size !== letters.length) return codes.INVALID;
      values[name] = letters;
    } else {
      const text = sorted.given.get(name);
      const value = text === undefined ? success(undefined) : readValue(spec.value, text);
      if (!value.ok) return codes.INVALID;
      values[name] = value.value;
    }
  }
  return undefined;
}

function readPositionals(
  declared: Declaration,
  tokens: readonly Token[],
  values: Record<string, Value>,
): RefusalCode | undefined {
  let at = 0;
  for (const [name, spec] of Object.entries(declared.args)) {
    if (spec.kind === 'words') {
      const left = tokens.slice(at).map(({ text, typed = text }) => (spec.typed ? typed : text));
      values[name] = left.length > 0 || !spec.optional ? left : undefined;
      return undefined;
    }
    const text = tokens[at++]?.text;
    const value = text === undefined ? success(undefined) : readValue(spec, text);
    if (!value.ok) return codes.INVALID;
    values[name] = value.value;
  }
  return undefined;
}

/** Reads one word as its kind demands. */
export function readValue(spec: ArgSpec, text: string): Result<Value, 'invalid'> {
  switch (spec.kind) {
    case 'word':
    case 'file':
      return text.length <= (spec.maxLength ?? text.length) ? success(text) : failure('invalid');
    case 'int':
      return readNumber(/^-?\d{1,15}$/, text, 10, spec.min, spec.max);
    case 'gpio':
      return readNumber(/^\d{1,3}$/, text, 10, 0, maxPinNumber);
    case 'hex':
      return readNumber(/^(0x)?[0-9a-f]{1,13}$/i, text, 16, 0, spec.max);
    case 'bit':
      if (/^(1|true|on)$/.test(text)) return success(1);
      return /^(0|false|off)$/.test(text) ? success(0) : failure('invalid');
    case 'choice':
      return spec.choices.includes(text) ? success(text) : failure('invalid');
    case 'version': {
      const version = parseVersion(text, maxFileVersion);
      return version.ok ? version : failure('invalid');
    }
    case 'words':
      return success([text]);
  }
}

function readNumber(form: RegExp, text: string, base: 10 | 16, min: number, max: number): Result<number, 'invalid'> {
  if (!form.test(text)) return failure('invalid');
  const value = Number.parseInt(text, base);
  return value >= min && value <= max ? success(value) : failure('invalid');
}
