import { failure, type Result, success } from '@moorage/base';
import type { Command } from '../interpreter/command.ts';
import { Registry } from '../interpreter/registry.ts';
import { codes, fail } from '../interpreter/reply.ts';
import { neutralPersonality, type Personality } from '../personality/personality.ts';
import { isGuess } from '../variables/variable.ts';
import type { Board } from './board.ts';
import { allCommands } from './index.ts';

const registries = new WeakMap<Personality, Registry<Board>>();

/**
 * The commands under the names of a personality; all its modules share them. The refusal is one sentence that names
 * the alias which is wrong.
 */
export function registryOf(personality: Personality): Result<Registry<Board>, string> {
  const known = registries.get(personality);
  if (known) return success(known);
  const { commandAliases, optionOrder } = personality;
  for (const [key, named] of Object.entries({ commandAliases, optionOrder })) {
    const stray = Object.keys(named).find((name) => !allCommands.some((command) => command.name === name));
    if (stray !== undefined) return failure(`Personality key "${key}" names "${stray}", which is no command`);
  }
  const offered = personality.strict ? allCommands.filter((command) => !isGuess(command.evidence)) : allCommands;
  const commands = offered.map((command): Command<Board> => {
    const aliases = commandAliases[command.name];
    const order = optionOrder[command.name];
    const changed = {
      ...command,
      ...(aliases && { aliases: [...(command.aliases ?? []), ...aliases] }),
      ...(order && { optionOrder: order }),
    };
    return withPrefix(aliases || order ? changed : command, personality.cloudPrefix);
  });
  const taken = clash(commands);
  if (taken !== undefined) return failure(`Personality key "${taken.key}" gives "${taken.word}" to two commands`);
  const all = new Registry(commands);
  const registry = Object.keys(personality.commands).length === 0 ? all : new Registry(only(all, personality.commands));
  registries.set(personality, registry);
  return success(registry);
}

/** Longest shortcut, in characters. Spec: MOD-LIMIT-shortcut. */
const maxShortcutLength = 6;

/** The commands that are named, under these names: those of ours that are called so, by name, shortcut or alias. */
function only(all: Registry<Board>, named: Personality['commands']): readonly Command<Board>[] {
  const claimed = new Set(Object.keys(named));
  const listed = Object.entries(named).map(([name, given]): Command<Board> => {
    const isFree = given !== '' && given.length <= maxShortcutLength && !claimed.has(given);
    const shortcut = isFree ? given : name;
    claimed.add(shortcut);
    const own = all.find(name) ?? (given === '' ? undefined : all.find(given));
    const aliases = own?.name === name ? (own.aliases ?? []).filter((alias) => !claimed.has(alias)) : [];
    for (const alias of aliases) claimed.add(alias);
    return { ...(own ?? unknownCommand), name, shortcut, aliases, hidden: false };
  });
  // No list shows what is hidden.
  return [
    ...listed,
    ...all.commands.filter(({ name, shortcut, hidden }) => hidden && !claimed.has(name) && !claimed.has(shortcut)),
  ];
}

/** Stands for a command of another firmware, which does here what cannot be known. */
const unknownCommand: Omit<Command<Board>, 'name' | 'shortcut'> = {
  group: 'system',
  spec: '',
  evidence: 'seen',
  summary: 'A command of the original, which is not known here',
  args: { words: { kind: 'words', help: 'anything', optional: true } },
  options: {},
  run: () => fail(codes.FAILED),
};

/** What is wrong with the commands of a personality, as one sentence. A module cannot be made with it. */
export function commandProblem(personality: Personality): string | undefined {
  const registry = registryOf(personality);
  return registry.ok ? undefined : registry.error;
}

const neutralPrefix = `${neutralPersonality.cloudPrefix}_`;

/** A command of the cloud under the prefix of a personality; the neutral name calls it, too. */
function withPrefix(command: Command<Board>, prefix: string): Command<Board> {
  const { name, syntax, example, aliases = [] } = command;
  if (!name.startsWith(neutralPrefix) || `${prefix}_` === neutralPrefix) return command;
  const spell = (text: string): string => text.replaceAll(neutralPrefix, `${prefix}_`);
  return {
    ...command,
    name: spell(name),
    aliases: [...aliases, name],
    ...(syntax && { syntax: spell(syntax) }),
    ...(example && { example: spell(example) }),
  };
}

/** A word that calls more than one command, and the key that is to blame. */
function clash(commands: readonly Command<Board>[]): { word: string; key: string } | undefined {
  const owners = new Map<string, Command<Board>>();
  for (const command of commands) {
    for (const word of [command.name, command.shortcut, ...(command.aliases ?? [])]) {
      const owner = owners.get(word) ?? command;
      if (owner !== command) return { word, key: owner.name === command.name ? 'cloudPrefix' : 'commandAliases' };
      owners.set(word, command);
    }
  }
  return undefined;
}
