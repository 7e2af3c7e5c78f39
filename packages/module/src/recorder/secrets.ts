import { unwrap } from '@moorage/base';
import { registryOf } from '../commands/registry.ts';
import { restOf, textOf, tokenise } from '../interpreter/tokeniser.ts';
import { neutralPersonality } from '../personality/personality.ts';
import type { Entry, Side } from './recording.ts';

const registry = unwrap(registryOf(neutralPersonality));
const { names } = neutralPersonality;

/** Shorter texts are blanked only where they were typed: elsewhere they would be anything. */
const leastLength = 4;

/** Which words of a command are a password or key. */
const secretWords: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  'MOD-CMD-cloud_activate': (words) => words.slice(1, 2),
  'MOD-CMD-cloud_deactivate': (words) => words.slice(1, 2),
  'MOD-CMD-dms': (words) => (words[0] === 'claim' ? words.slice(2, 3) : []),
  'MOD-CMD-network_verify': (words) => words.slice(5, 6),
  'MOD-CMD-set': (words) => {
    const match = names.match(words.map(textOf));
    return match?.kind === 'variable' && match.variable.secret ? words.slice(words.length - match.rest.length) : [];
  },
};

/** What a line of the host has in it that is secret: as it was typed, and what that stands for. */
function secretsOf(line: string): readonly string[] {
  const tokens = tokenise(line);
  const [name = '', ...words] = tokens.ok ? tokens.value.map(({ text, typed = text }) => typed) : [];
  const secret = secretWords[registry.find(name)?.spec ?? '']?.(words) ?? [];
  const [typed = ''] = new RegExp(secret.map((word) => word.replace(/[^\w ]/g, '\\$&')).join(' +')).exec(line) ?? [];
  return [typed, typed.replace(/^"|"$/g, ''), restOf(secret)];
}

/** Whether a line asks for a password or key, alone. */
function asksForSecret(line: string): boolean {
  const [name = '', ...words] = line.split(' ').filter((word) => word !== '');
  const match = registry.find(name)?.spec === 'MOD-CMD-get' ? names.match(words) : undefined;
  return match?.kind === 'variable' && match.variable.secret === true;
}

const secretNames = names.variables.flatMap((variable) => (variable.secret ? [variable.name] : []));
const listed = new RegExp(`^(?:${secretNames.map((name) => name.replaceAll('.', '\\.')).join('|')}): (.+)$`);
const header = /^[RLS]\d{6}$/;
const questions = [neutralPersonality.text('askPasskey'), neutralPersonality.text('askTerminalPassword')];

/**
 * Blanks passwords and keys in what is recorded: those that the host sets or types, and those that the module shows. The
 * lengths stay, so that a framing can still be read.
 */
export class Secrets {
  readonly #known = new Set<string>();
  #asked = false;

  /** One exchange after another, each whole. */
  blank(entries: readonly Entry[]): readonly Entry[] {
    const text = (from: Side): string =>
      entries.flatMap((entry) => (entry.from === from ? [entry.bytes] : [])).join('');
    const found = new Set(this.#known);
    for (const secret of this.#learn(text('host'), text('module'))) {
      if (secret === '') continue;
      found.add(secret);
      if (secret.length >= leastLength) this.#known.add(secret);
    }
    const masked = { host: masking(text('host'), found), module: masking(text('module'), found) };
    const at = { host: 0, module: 0 };
    return entries.map((entry) => {
      const from = at[entry.from];
      at[entry.from] += entry.bytes.length;
      return { ...entry, bytes: masked[entry.from].slice(from, at[entry.from]) };
    });
  }

  #learn(host: string, module: string): readonly string[] {
    const lines = host.split(/\r\n|\r|\n/).filter((line) => line !== '');
    const secrets = [...lines.flatMap(secretsOf), ...(this.#asked ? lines.slice(0, 1) : [])];
    const shown = module.split(/\r?\n/).filter((line) => line !== '' && !header.test(line) && !lines.includes(line));
    for (const line of shown) secrets.push(listed.exec(line)?.[1] ?? '');
    if (lines.length === 1 && asksForSecret(lines[0] ?? ''))
      secrets.push(shown[0]?.startsWith('> ') ? '' : (shown[0] ?? ''));
    this.#asked = questions.some((question) => question !== '' && module.trimEnd().endsWith(question.trimEnd()));
    return secrets;
  }
}

function masking(text: string, secrets: ReadonlySet<string>): string {
  let masked = text;
  for (const secret of [...secrets].toSorted((a, b) => b.length - a.length))
    masked = masked.replaceAll(secret, '*'.repeat(secret.length));
  return masked;
}
