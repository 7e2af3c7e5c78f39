import type { Command, OptionSpec } from '../../packages/module/src/interpreter/command.ts';
import { usage } from '../../packages/module/src/interpreter/usage.ts';
import type { Text } from '../../packages/module/src/personality/texts.ts';
import type { Kind } from '../../packages/module/src/variables/kinds.ts';
import type { Variable } from '../../packages/module/src/variables/variable.ts';
import { code, page, table } from '../support/markdown.ts';
import { importOptional } from '../support/project.ts';
import { loadCommands, loadVariables } from '../support/tables.ts';

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

const evidenceText =
  'Evidence says how sure an entry is: in the specification (`spec`), documented elsewhere, seen in use, inferred, or proposed by us.';

const optionLabel = (spec: OptionSpec): string => (spec.kind === 'letters' ? `-${spec.letters}` : spec.flag);

const argumentTexts = (command: Command<never>): string =>
  [
    ...Object.values(command.options).map((spec) => `${code(optionLabel(spec))} ${spec.help}`),
    ...Object.entries(command.args).map(([name, spec]) => `${code(name)} ${spec.help}`),
  ].join('; ');

/** docs/generated/commands.md: every command of the module. */
export async function renderCommands(): Promise<string | undefined> {
  const commands = await loadCommands();
  if (!commands.length) return undefined;
  return page(
    'Commands of the module',
    evidenceText,
    table(
      ['command', 'short', 'group', 'syntax', 'does', 'options and arguments', 'evidence'],
      commands
        .toSorted(byName)
        .map((command) => [
          code(command.name) + (command.hidden ? ' (not listed)' : ''),
          code(command.shortcut),
          command.group,
          code(usage(command)),
          command.summary,
          argumentTexts(command),
          command.evidence,
        ]),
    ),
  );
}

/** What a kind accepts, for a reader. */
function kindText(kind: Kind): string {
  switch (kind.type) {
    case 'int':
      return `${kind.min} to ${kind.max}`;
    case 'enum':
      return kind.words.join(', ');
    case 'str':
    case 'key':
      return `text of ${kind.min} to ${kind.max} bytes, or empty`;
    case 'hex':
      return `hex to ${kind.max.toString(16).toUpperCase()}`;
    default:
      return kind.type;
  }
}

const defaultText = (variable: Variable): string => {
  if (variable.read) return '';
  if (typeof variable.default !== 'object') return code(String(variable.default));
  return Object.entries(variable.default)
    .map(([index, value]) => code(`${index}: ${value}`))
    .join(' ');
};

/** docs/generated/variables.md: every variable of the module. */
export async function renderVariables(): Promise<string | undefined> {
  const variables = await loadVariables();
  if (!variables.length) return undefined;
  return page(
    'Variables of the module',
    `${evidenceText} A change acts at once (\`now\`), when the interface restarts (\`net\`), at \`boot\`, with the \`uart\`, or at the next web \`setup\`.`,
    table(
      ['variable', 'short', 'access', 'values', 'default', 'acts', 'meaning', 'evidence'],
      variables
        .toSorted(byName)
        .map((variable) => [
          code(variable.name),
          code(variable.shortcut),
          variable.access ?? 'get-set',
          kindText(variable.kind),
          defaultText(variable),
          variable.apply ?? 'now',
          variable.inert === undefined ? variable.help : `${variable.help} (${variable.inert})`,
          variable.evidence,
        ]),
    ),
  );
}

/** docs/generated/response-codes.md: response codes of the module with the texts of the built-in personality. */
export async function renderResponseCodes(): Promise<string | undefined> {
  const reply = await importOptional('packages/module/src/interpreter/reply.ts');
  const board = await importOptional('packages/module/src/interpreter/board-port.ts');
  const personality = await importOptional('packages/module/src/personality/texts.ts');
  if (!reply || !board || !personality) return undefined;
  // The types of the tables are erased by the dynamic import.
  const codes = reply.codes as Readonly<Record<string, number>>;
  // Success has a text of its own for many commands; this is the one for those that return nothing.
  const keys: Readonly<Record<number, string>> = {
    0: 'success',
    ...(board.refusalTexts as Readonly<Record<number, string>>),
  };
  const texts = personality.neutralTexts as Readonly<Record<string, Text>>;
  return page(
    'Response codes of the module',
    `First digit of a response header, with the text of the built-in personality. ${evidenceText}`,
    table(
      ['code', 'name', 'text', 'evidence of the text'],
      Object.entries(codes).map(([name, value]) => {
        const text = texts[keys[value] ?? ''];
        return [String(value), code(name), text?.text ?? '', text?.evidence ?? ''];
      }),
    ),
  );
}
