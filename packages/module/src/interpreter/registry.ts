import type { Command } from './command.ts';

/** A shortcut has at most six characters; a command without one repeats its name. Spec: MOD-LIMIT-shortcut. */
const maxShortcutLength = 6;

/** The commands of a module, found by name, shortcut or alias. One registry serves any number of boards. */
export class Registry<Board> {
  /** All commands in the order of their names, hidden ones too. */
  readonly commands: readonly Command<Board>[];
  readonly #byWord = new Map<string, Command<Board>>();

  /** Throws when a shortcut is too long or two commands claim one word: the list itself is wrong then. */
  constructor(commands: readonly Command<Board>[]) {
    this.commands = commands.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const command of this.commands) {
      if (command.shortcut.length > maxShortcutLength && command.shortcut !== command.name) {
        throw new Error(`Shortcut '${command.shortcut}' of '${command.name}' is longer than ${maxShortcutLength}`);
      }
      // Spec: MOD-RULE-shortcut, MOD-LINE-names.
      for (const word of new Set([command.name, command.shortcut, ...(command.aliases ?? [])])) {
        const other = this.#byWord.get(word);
        if (other) throw new Error(`Commands '${other.name}' and '${command.name}' both claim '${word}'`);
        this.#byWord.set(word, command);
      }
    }
  }

  /** The command that is called `word`, in exactly that spelling and letter case. */
  find(word: string): Command<Board> | undefined {
    return this.#byWord.get(word);
  }

  /** What help and completion may show; in safe mode only what is left there. */
  listed(safeMode = false): readonly Command<Board>[] {
    return this.commands.filter((command) => !command.hidden && (!safeMode || command.safeMode));
  }
}
