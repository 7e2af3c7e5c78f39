import type { Variable } from './variable.ts';

/** What the leading words of a `get` or `set` line name, and the words behind that. */
export type Match =
  | { readonly kind: 'variable'; readonly variable: Variable; readonly rest: readonly string[] }
  | { readonly kind: 'group'; readonly members: readonly Variable[]; readonly rest: readonly string[] };

/** The prefix that personalities may spell differently, and the first words of its shortcuts. */
const neutralPrefix = 'cloud';
const neutralShortcut = 'cl';
const originalShortcut = 'gh';

/**
 * All the ways to call variables and groups of them. It is the same for all modules of one personality, and shared.
 * Spec: MOD-SET-shortcut.
 */
export class NameIndex {
  /** Variables in the alphabetical order of their spelled names. */
  readonly variables: readonly Variable[];
  readonly #prefix: string;
  readonly #byCall = new Map<string, Variable>();
  readonly #groups = new Map<string, Variable[]>();
  readonly #spelled = new Map<Variable, string>();
  #longest = 1;

  /** Throws when two variables claim one name or shortcut: the table itself is wrong then. */
  constructor(variables: readonly Variable[], cloudPrefix: string = neutralPrefix) {
    this.#prefix = cloudPrefix;
    for (const variable of variables) this.#spelled.set(variable, this.#spell(variable.name));
    this.variables = variables.toSorted((a, b) => (this.nameOf(a) < this.nameOf(b) ? -1 : 1));
    for (const variable of this.variables) {
      const names = new Set([this.nameOf(variable), variable.name, ...(variable.aliases ?? [])]);
      for (const call of [...names, ...this.shortcutsOf(variable)]) this.#claim(call, variable);
      const groups = [...prefixes(this.nameOf(variable), '.'), ...prefixes(variable.name, '.')];
      for (const shortcut of this.shortcutsOf(variable)) groups.push(...prefixes(shortcut, ' '));
      for (const group of new Set(groups)) this.#groups.set(group, [...(this.#groups.get(group) ?? []), variable]);
    }
  }

  /** The name as this personality spells it. */
  nameOf(variable: Variable): string {
    return this.#spelled.get(variable) ?? variable.name;
  }

  /** Shortcuts, the usual one first. */
  shortcutsOf(variable: Variable): readonly string[] {
    const shortcuts = [variable.shortcut, ...(variable.shortcuts ?? [])];
    if (!variable.name.startsWith(`${neutralPrefix}.`)) return shortcuts;
    return [...shortcuts, ...shortcuts.map((shortcut) => shortcut.replace(neutralShortcut, originalShortcut))];
  }

  /** The variable called by exactly this name, shortcut or alias. */
  find(call: string): Variable | undefined {
    return this.#byCall.get(call);
  }

  /** The longest run of leading words that calls a variable, or else a group of them. */
  match(words: readonly string[]): Match | undefined {
    for (let length = Math.min(words.length, this.#longest); length > 0; length--) {
      const call = words.slice(0, length).join(' ');
      // A word that was quoted may hold spaces; it is no shortcut.
      if (length === 1 && call.includes(' ')) continue;
      const rest = words.slice(length);
      const variable = this.#byCall.get(call);
      if (variable) return { kind: 'variable', variable, rest };
      const members = this.#groups.get(call);
      if (members) return { kind: 'group', members, rest };
    }
    return undefined;
  }

  #spell(name: string): string {
    return name.startsWith(`${neutralPrefix}.`) ? `${this.#prefix}${name.slice(neutralPrefix.length)}` : name;
  }

  #claim(call: string, variable: Variable): void {
    const other = this.#byCall.get(call);
    if (other) throw new Error(`Variables '${other.name}' and '${variable.name}' both claim '${call}'`);
    this.#byCall.set(call, variable);
    this.#longest = Math.max(this.#longest, call.split(' ').length);
  }
}

/** Everything in front of a separator: `a.b.c` gives `a` and `a.b`. */
function prefixes(text: string, separator: string): readonly string[] {
  const parts = text.split(separator);
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(separator));
}
