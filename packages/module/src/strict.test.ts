import { describe, expect, test } from 'vitest';
import { allCommands } from './commands/index.ts';
import { loadPersonality, neutralPersonality, strictPersonality } from './personality/personality.ts';
import { moduleRig } from './testing/module-rig.ts';
import { allVariables } from './variables/index.ts';
import { isGuess } from './variables/variable.ts';

const strict = () => moduleRig({ personality: strictPersonality(neutralPersonality) });
const guessedCommands = allCommands.filter((command) => isGuess(command.evidence));
const guessedVariables = allVariables.filter((variable) => isGuess(variable.evidence));

describe('a strict module', () => {
  test('refuses every command that is only a guess, and shows none of them', async () => {
    const { module, run } = await strict();
    const shown = await run('help commands');
    expect(guessedCommands.length).toBeGreaterThan(0);
    for (const { name, shortcut } of guessedCommands) {
      expect(await run(name)).toBe('3 Unknown command');
      expect(await run(shortcut)).toBe('3 Unknown command');
      expect(shown).not.toMatch(new RegExp(`^${name} `, 'm'));
    }
    expect(module.registry.commands).toHaveLength(allCommands.length - guessedCommands.length);
  });

  test('refuses every variable that is only a guess, and lists none of them', async () => {
    const { module, run } = await strict();
    const all = await run('get all');
    expect(guessedVariables.length).toBeGreaterThan(0);
    for (const { name, shortcut } of guessedVariables) {
      for (const line of [`get ${name}`, `set ${name} 1`, `help ${name}`, `help ${shortcut}`]) {
        expect([line, await run(line)]).toEqual([line, '6 Unknown variable']);
      }
      expect(all).not.toContain(`${name}:`);
    }
    expect(module.variables.names()).toHaveLength(allVariables.length - guessedVariables.length);
  });

  test('still acts on what it does not show', async () => {
    const { module } = await strict();
    expect(module.variables.get('system.string_substitution')).toBe(true);
  });

  test('keeps what is known, and the spelling of the personality', async () => {
    const loaded = loadPersonality('{"cloudPrefix":"ghm"}');
    if (!loaded.ok) throw new Error(loaded.error);
    const { run } = await moduleRig({ personality: strictPersonality(loaded.value) });
    expect(await run('get system.safemode')).toBe('0 0');
    expect(await run('get all')).toContain('ghm.solo.enabled: ');
  });

  test('is not what a module is by default', async () => {
    const { run } = await moduleRig();
    expect(await run('get system.string_substitution')).toBe('0 1');
  });
});
