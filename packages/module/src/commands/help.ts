import type { Command, SessionPort } from '../interpreter/command.ts';
import type { Origin } from '../interpreter/origin.ts';
import { codes, fail, lines, type Reply } from '../interpreter/reply.ts';
import { usage } from '../interpreter/usage.ts';
import type { Kind } from '../variables/kinds.ts';
import { type Board, defineCommand } from './board.ts';

/** `help commands`: clients cut each line at the colon and trim. */
const commandRows = (board: Board): readonly string[] =>
  board.registry.listed(board.safeMode).map((command) => `${command.name.padEnd(20)}: ${command.shortcut}`);

/** `help variables`: clients squeeze the spaces and take the second word. */
const variableRows = (board: Board): readonly string[] =>
  board.variables.names().map((name) => `  ${name.padEnd(32)} : ${board.variables.lookup(name)?.shortcut ?? ''}`);

/** What a variable takes, as far as a usage line has room for it. */
function valueText(kind: Kind): string {
  if (kind.type === 'enum') return kind.words.join('/');
  return kind.type === 'int' ? `${kind.min}..${kind.max}` : 'value';
}

/** One command or variable by name or shortcut; `undefined` when there is none to show. */
function topicRows(board: Board, words: readonly string[], session: SessionPort): readonly string[] | undefined {
  const call = words.join(' ');
  const command = board.registry.find(call);
  if (command && !command.hidden && (command.safeMode || !board.safeMode)) return commandTopic(board, command, session);
  const variable = board.variables.lookup(call);
  if (!variable) return undefined;
  const name = board.variables.names().find((each) => board.variables.lookup(each) === variable) ?? variable.name;
  const index = variable.index ? ' <index>' : '';
  const forms = [
    `get ${name}${index}`,
    ...(variable.access === 'get' ? [] : [`set ${name}${index} <${valueText(variable.kind)}>`]),
  ];
  return [board.personality.text('usage', { syntax: forms.join(', ') }), variable.help];
}

/** Lines at which a person can sit; the others are programs. */
const personOrigins: ReadonlySet<Origin> = new Set(['serial', 'terminal', 'terminal-login']);

function commandTopic(board: Board, command: Command<Board>, session: SessionPort): readonly string[] {
  const options = Object.values(command.options).map((option) => {
    const flag = option.kind === 'letters' ? `-${option.letters}` : option.flag;
    return `  ${flag.padEnd(12)} ${option.help}`;
  });
  const args = Object.entries(command.args).map(([name, arg]) => `  ${`<${name}>`.padEnd(12)} ${arg.help}`);
  const { personality, variables } = board;
  const forPerson = personOrigins.has(session.origin) && !variables.get('system.cmd.header_enabled');
  const shows = personality.habits.helpExamples && forPerson;
  const example =
    shows && command.example !== undefined ? [personality.text('example', { line: command.example })] : [];
  return [personality.text('usage', { syntax: usage(command) }), command.summary, ...options, ...args, ...example];
}

const help = defineCommand({
  name: 'help',
  shortcut: 'help',
  aliases: ['?'],
  group: 'system',
  spec: 'MOD-CMD-help',
  evidence: 'spec',
  summary: 'List commands or variables, or explain one',
  safeMode: true,
  example: 'help wlan.ssid',
  completes: (board, words) =>
    words.length > 0
      ? undefined
      : {
          words: [
            ...['all', 'commands', 'variables'],
            ...board.registry.listed(board.safeMode).map((command) => command.name),
            ...board.variables.names(),
          ],
          dotted: true,
        },
  args: { topic: { kind: 'words', optional: true, help: 'all, commands, variables, or the name of one of them' } },
  syntax: 'help [all/commands/variables/<command>/<variable>]',
  run: (board, { topic = [] }, session): Reply => {
    const [first] = topic;
    const header = [board.personality.text('usage', { syntax: usage(help) })];
    if (first === undefined) return lines(header);
    if (topic.length === 1) {
      // Spec: MOD-OPT-help-all, MOD-OPT-help-commands, MOD-OPT-help-variables.
      if (first === 'all') return lines([...header, ...commandRows(board), ...variableRows(board)]);
      if (first === 'commands') return lines(commandRows(board));
      if (first === 'variables') return lines(variableRows(board));
    }
    // Spec: MOD-OPT-help-command, MOD-OPT-help-variable.
    const rows = topicRows(board, topic, session);
    return rows ? lines(rows) : fail(codes.UNKNOWN_NAME);
  },
});

export const helpCommands: readonly Command<Board>[] = [help];
