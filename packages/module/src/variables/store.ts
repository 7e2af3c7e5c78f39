import { failure, type Result, type Store, success, writeEntry } from '@moorage/base';
import type { IndexedName, PlainName, VariableName, VariableValue, VariableValues } from './index.ts';
import { parseValue, printValue, saveText, type Value, type VariableError } from './kinds.ts';
import type { NameIndex } from './names.ts';
import { functionOf, pinClaims, pinsNamed } from './pins.ts';
import type { Variable, VariableContext, VariableSources } from './variable.ts';

export type { VariableName, VariableValue } from './index.ts';
export type { VariableError } from './kinds.ts';

/** Why `get` or `set` is refused, and what the log may say about it. */
export interface VariableRefusal {
  readonly error: VariableError;
  /** The pin that is taken, and by what. */
  readonly pin?: number;
  readonly owner?: string;
  /** The variable that cannot be changed now. */
  readonly locked?: string;
}

/** What `get` prints: one value, or lines. */
type QueryAnswer =
  | { readonly kind: 'value'; readonly text: string }
  | { readonly kind: 'lines'; readonly rows: readonly string[] };

interface QueryOptions {
  /** Passwords and keys are left empty. */
  readonly hideSecrets?: boolean;
}

export interface VariableStoreOptions {
  readonly names: NameIndex;
  /** The ways in which users can call them; all of `names` without it. */
  readonly offered?: NameIndex;
  readonly store: Store;
  readonly sources: VariableSources;
  /** Defaults that differ from those of the table, by name; from the personality. */
  readonly defaults?: ReadonlyMap<string, Value>;
}

type Listener = (name: VariableName) => void;

/** Name of the saved values in the module's memory. */
const savedKey = 'settings';
const savedFormat = 1;

/**
 * The variables of one module. Defaults and names are shared by all modules; a module keeps only what differs.
 * Spec: MOD-SET-storage.
 */
export class VariableStore {
  readonly #names: NameIndex;
  readonly #offered: NameIndex;
  readonly #store: Store;
  readonly #defaults: ReadonlyMap<string, Value> | undefined;
  readonly #context: VariableContext;
  /** By `keyOf`; only what is not at its default. */
  #changed: Map<string, Value> | undefined;
  #listeners: Set<readonly [prefix: string, Listener]> | undefined;

  constructor(options: VariableStoreOptions) {
    this.#names = options.names;
    this.#offered = options.offered ?? options.names;
    this.#store = options.store;
    this.#defaults = options.defaults;
    this.#context = {
      sources: options.sources,
      pinOwners: pinOwnersOf(options.names),
      get: (name) => this.#value(this.#row(name)),
      entries: (name) => this.#entries(this.#row(name)),
    };
  }

  /** The value of a variable. */
  get<Name extends PlainName>(name: Name): VariableValues[Name] {
    // Values enter only through their kind's parser or a typed `set`.
    return this.#read(this.#row(name), undefined) as VariableValues[Name];
  }

  /** One entry of an indexed variable; its default when it has not been set. Throws for an index that it lacks. */
  getAt<Name extends IndexedName>(name: Name, index: string | number): VariableValue<Name> {
    const row = this.#row(name);
    if (!this.#hasIndex(row, String(index))) throw new Error(`Variable '${name}' has no index '${index}'`);
    return this.#value(row, String(index)) as VariableValue<Name>;
  }

  /** Sets a value from inside, get-only variables too. Throws when the value does not fit its kind. */
  set<Name extends PlainName>(name: Name, value: VariableValue<Name>): void {
    const row = this.#row(name);
    const parsed = parseValue(row.kind, [saveText(row.kind, value)], this.#limits());
    if (!parsed.ok) throw new Error(`Value "${value}" does not fit variable '${name}'`);
    this.#apply(row, undefined, parsed.value);
  }

  /** The variable or board function that has a pin for itself; `gpio.init` does not count. */
  pinOwner(pin: number): string | undefined {
    return functionOf(this.#context, pin);
  }

  /** The variable that is called so: full name, alias or shortcut. */
  lookup(call: string): Variable | undefined {
    return this.#offered.find(call);
  }

  /** All names in alphabetical order, in the personality's spelling. */
  names(): readonly string[] {
    return this.#offered.variables.map((variable) => this.#offered.nameOf(variable));
  }

  /**
   * The words of a `set` line: name or shortcut, index where there is one, value. A value of several words is taken as it
   * was typed, with its quotes. Spec: MOD-CMD-set.
   */
  assign(words: readonly string[], typed: readonly string[] = words): Result<Variable, VariableRefusal> {
    if (words.length < 2) return failure({ error: 'missing' });
    const match = this.#offered.match(words);
    // Spec: MOD-SET-codes.
    if (match?.kind !== 'variable') return failure({ error: 'unknown' });
    const row = match.variable;
    if (row.access === 'get') return failure({ error: 'invalid' });
    const [index, given] = row.index ? [match.rest[0], match.rest.slice(1)] : [undefined, match.rest];
    if (given.length === 0) return failure({ error: 'missing' });
    if (row.index && !this.#hasIndex(row, index ?? '')) return failure({ error: 'invalid' });
    const canonical = index === undefined ? undefined : this.#canonical(row, index);
    const asTyped = given.length > 1 ? typed.slice(-given.length) : given;
    const value = parseValue(row.kind, asTyped, { ...this.#limits(), index: canonical });
    if (!value.ok) return failure({ error: value.error });
    if (row.locked?.(this.#context, value.value)) return failure({ error: 'failed', locked: this.#names.nameOf(row) });
    const taken = this.#takenPin(row, canonical, value.value);
    if (taken) return failure(taken);
    this.#apply(row, canonical, value.value);
    if (row.ownsPin) this.#context.sources.pins().ownersChanged(pinsNamed(row, canonical, value.value));
    return success(row);
  }

  /** The words of a `get` line: a variable with its options, a group, or `all`. Spec: MOD-CMD-get. */
  query(words: readonly string[], options: QueryOptions = {}): Result<QueryAnswer, VariableRefusal> {
    if (words.length === 0) return failure({ error: 'missing' });
    if (words[0] === 'all') {
      if (words.length > 1) return failure({ error: 'too-many' });
      return success({ kind: 'lines', rows: this.#list(this.#offered.variables, options.hideSecrets ?? false) });
    }
    const match = this.#offered.match(words);
    if (!match) return failure({ error: 'unknown' });
    const { hideSecrets = false } = options;
    if (match.kind === 'variable') return this.#queryOne(match.variable, match.rest, hideSecrets);
    // Words behind a group would have to be part of a name that does not exist.
    if (match.rest.length > 0) return failure({ error: 'unknown' });
    return success({ kind: 'lines', rows: this.#list(match.members, hideSecrets) });
  }

  /** Calls `listener` after each change of a variable, or of any below a prefix. Returns unsubscribe. */
  onChange(prefix: string, listener: Listener): () => void {
    const entry = [prefix, listener] as const;
    this.#listeners ??= new Set();
    this.#listeners.add(entry);
    return () => this.#listeners?.delete(entry);
  }

  /** Keeps all changed values; resolves when they are durable. Spec: MOD-CMD-save. */
  save(): Promise<void> {
    return writeEntry(this.#store, savedKey, Buffer.from(this.export()));
  }

  /** Goes back to the saved values. Returns the names of those that are damaged and dropped. Spec: MOD-CMD-load. */
  async load(): Promise<readonly string[] | 'damaged'> {
    const saved = await this.#store.read(savedKey);
    if (!saved) {
      this.#replace(undefined);
      return [];
    }
    const imported = this.import(Buffer.from(saved).toString('utf8'));
    if (imported.ok) return imported.value;
    this.#replace(undefined);
    return 'damaged';
  }

  /** Erases the saved values; those in use stay until the next `load`. Resolves when that is durable. */
  erase(): Promise<void> {
    return this.#store.remove(savedKey);
  }

  /** Whether `export` has a password or key in it. */
  get holdsSecrets(): boolean {
    return Array.from(this.#changed?.keys() ?? []).some((key) => this.#row(key.split(' ')[0] ?? '').secret);
  }

  /** The changed values as text, for `import`. */
  export(): string {
    const values = Array.from(this.#changed ?? [], ([key, value]) => {
      const row = this.#row(key.split(' ')[0] ?? '');
      return [key, saveText(row.kind, value)];
    });
    return `${JSON.stringify({ format: savedFormat, values: Object.fromEntries(values) })}\n`;
  }

  /** Takes the place of all changed values; nothing changes when the text is no export. Returns the names it dropped. */
  import(text: string): Result<readonly string[], 'malformed'> {
    const values = savedValues(text);
    if (!values) return failure('malformed');
    const changed = new Map<string, Value>();
    const dropped: string[] = [];
    for (const [key, saved] of Object.entries(values)) {
      const accepted = this.#accept(key, saved);
      if (accepted === undefined) dropped.push(key);
      else if (accepted !== this.#default(this.#row(key.split(' ')[0] ?? ''), key.split(' ')[1])) {
        changed.set(key, accepted);
      }
    }
    this.#replace(changed.size > 0 ? changed : undefined);
    return success(dropped);
  }

  /** A saved value that is still valid; `undefined` otherwise. */
  #accept(key: string, saved: unknown): Value | undefined {
    const [name = '', index, ...more] = key.split(' ');
    const row = this.#names.find(name);
    if (row?.name !== name || row.read || typeof saved !== 'string' || more.length > 0) return undefined;
    if (row.index ? index === undefined || !this.#hasIndex(row, index) : index !== undefined) return undefined;
    const value = parseValue(row.kind, [saved], { ...this.#limits(), index });
    return value.ok ? value.value : undefined;
  }

  #queryOne(row: Variable, rest: readonly string[], hideSecrets: boolean): Result<QueryAnswer, VariableRefusal> {
    const [option, ...more] = rest;
    if (more.length > 0) return failure({ error: 'too-many' });
    // Spec: MOD-SET-indexed.
    if (row.index) {
      if (option === undefined || option === 'all') return success({ kind: 'lines', rows: this.#entryLines(row) });
      if (!this.#hasIndex(row, option)) return failure({ error: 'invalid' });
      const value = this.#value(row, this.#canonical(row, option));
      return success({ kind: 'value', text: printValue(row.kind, value) });
    }
    if (option !== undefined && !row.options) return failure({ error: 'too-many' });
    if (option !== undefined && !row.options?.includes(option)) return failure({ error: 'unknown' });
    if (row.kind.type === 'table') return success({ kind: 'lines', rows: this.#rows(row) });
    if (this.#isHidden(row, hideSecrets)) return success({ kind: 'value', text: '' });
    return success({ kind: 'value', text: printValue(row.kind, this.#read(row, option)) });
  }

  /** Spec: MOD-SET-output. */
  #list(variables: readonly Variable[], hideSecrets: boolean): readonly string[] {
    return variables.flatMap((row) => {
      const name = this.#names.nameOf(row);
      if (row.index) return this.#plainEntryLines(row);
      if (row.kind.type === 'table') return [`${name}:`, ...this.#rows(row)];
      return [`${name}: ${this.#isHidden(row, hideSecrets) ? '' : printValue(row.kind, this.#read(row, undefined))}`];
    });
  }

  /** Spec: MOD-SET-hidden. */
  #isHidden(row: Variable, hideSecrets: boolean): boolean {
    return (hideSecrets && row.secret === true) || row.hidden?.(this.#context) === true;
  }

  #entryLines(row: Variable): readonly string[] {
    const { entryLine } = row;
    if (!entryLine) return this.#plainEntryLines(row);
    return Array.from(this.#entries(row), ([index, value]) => entryLine(index, value));
  }

  #plainEntryLines(row: Variable): readonly string[] {
    const name = this.#names.nameOf(row);
    return Array.from(this.#entries(row), ([index, value]) => `${name} ${index}: ${printValue(row.kind, value)}`);
  }

  #row(name: string): Variable {
    const row = this.#names.find(name);
    if (!row) throw new Error(`There is no variable '${name}'`);
    return row;
  }

  #default(row: Variable, index?: string): Value {
    const special = this.#defaults?.get(keyOf(row, index));
    if (special !== undefined) return special;
    return typeof row.default === 'object' ? (row.default[index ?? ''] ?? '') : row.default;
  }

  #value(row: Variable, index?: string): Value {
    const changed = this.#changed?.get(keyOf(row, index));
    return changed ?? this.#default(row, index);
  }

  #read(row: Variable, option: string | undefined): Value {
    if (!row.read) return this.#value(row);
    const value = row.read(this.#context, option);
    return typeof value === 'object' ? value.join('\r\n') : value;
  }

  #rows(row: Variable): readonly string[] {
    const value = row.read?.(this.#context, undefined);
    return typeof value === 'object' ? value : [];
  }

  /** A list of words shows all of them; of the pins only those that have been set. */
  #entries(row: Variable): ReadonlyMap<string, Value> {
    if (!row.index) return new Map([['', this.#value(row)]]);
    if (row.index !== 'gpio') return new Map(row.index.words.map((index) => [index, this.#value(row, index)]));
    const keys = Array.from(this.#changed?.keys() ?? []).filter((key) => key.startsWith(`${row.name} `));
    const pins = keys.map((key) => Number(key.slice(row.name.length + 1))).sort((a, b) => a - b);
    return new Map(pins.map((pin) => [String(pin), this.#value(row, String(pin))]));
  }

  #limits(): { gpioCount: number } {
    return { gpioCount: this.#context.sources.gpioCount };
  }

  #hasIndex(row: Variable, index: string): boolean {
    if (row.index !== 'gpio') return row.index?.words.includes(index) ?? false;
    return /^\d{1,3}$/.test(index) && Number(index) < this.#context.sources.gpioCount;
  }

  /** `07` and `7` are one pin. */
  #canonical(row: Variable, index: string): string {
    return row.index === 'gpio' ? String(Number(index)) : index;
  }

  /** The refusal when a value names a pin that something else has. Reference: variables 4.1. */
  #takenPin(row: Variable, index: string | undefined, value: Value): VariableRefusal | undefined {
    if (!row.ownsPin) return undefined;
    const self = keyOf(row, index);
    const wanted = pinsNamed(row, index, value);
    if (wanted.length === 0) return undefined;
    const taken = pinClaims(this.#context).find(
      ({ owner, pin, isGpio }) => owner !== self && wanted.includes(pin) && !(isGpio && row.name === 'gpio.init'),
    );
    return taken && { error: 'failed', pin: taken.pin, owner: taken.owner };
  }

  #apply(row: Variable, index: string | undefined, value: Value): void {
    if (row.write) {
      row.write(this.#context, value);
      this.#notify(row.name);
      return;
    }
    this.#put(row, index, value);
    for (const [name, preset] of Object.entries(row.presets?.[String(value)] ?? {})) {
      this.#put(this.#row(name), undefined, preset);
    }
    for (const name of row.resets ?? []) this.#put(this.#row(name), undefined, this.#default(this.#row(name)));
  }

  #put(row: Variable, index: string | undefined, value: Value): void {
    const key = keyOf(row, index);
    if (this.#value(row, index) === value) return;
    if (value === this.#default(row, index)) this.#changed?.delete(key);
    else {
      this.#changed ??= new Map();
      this.#changed.set(key, value);
    }
    this.#notify(row.name);
  }

  #replace(changed: Map<string, Value> | undefined): void {
    const before = this.#changed;
    this.#changed = changed;
    const keys = new Set([...(before?.keys() ?? []), ...(changed?.keys() ?? [])]);
    for (const key of keys) if (before?.get(key) !== changed?.get(key)) this.#notify(key.split(' ')[0] ?? '');
    if (keys.size > 0) this.#context.sources.pins().ownersChanged();
  }

  #notify(name: string): void {
    for (const [prefix, listener] of this.#listeners ?? []) {
      // Only names out of the table get here.
      if (name === prefix || name.startsWith(`${prefix}.`)) listener(name as VariableName);
    }
  }
}

const pinOwners = new WeakMap<NameIndex, readonly Variable[]>();

/** Computed once for all modules that share the names. */
function pinOwnersOf(names: NameIndex): readonly Variable[] {
  const known = pinOwners.get(names) ?? names.variables.filter((variable) => variable.ownsPin);
  pinOwners.set(names, known);
  return known;
}

/** What a value is kept by: the name, or name and index with a space between. */
const keyOf = (row: Variable, index: string | undefined): string =>
  index === undefined ? row.name : `${row.name} ${index}`;

/** Whether a text is one that `export` has made. */
export const isExport = (text: string): boolean => savedValues(text) !== undefined;

/** The values of an export; `undefined` when the text is none. */
function savedValues(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    if (!('format' in parsed) || parsed.format !== savedFormat || !('values' in parsed)) return undefined;
    const { values } = parsed;
    // An object out of JSON has only text keys.
    return typeof values === 'object' && values !== null ? (values as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
