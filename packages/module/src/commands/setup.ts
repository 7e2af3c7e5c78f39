import { defined } from '@moorage/base';
import { refusalTexts } from '../interpreter/board-port.ts';
import { type Command, unattended } from '../interpreter/command.ts';
import { payloadText } from '../interpreter/framing.ts';
import { prepare } from '../interpreter/prepare.ts';
import { codes, fail, ok, type Response, type ResponseCode } from '../interpreter/reply.ts';
import { decodeText } from '../interpreter/text.ts';
import { tokenise } from '../interpreter/tokeniser.ts';
import { type Board, defineCommand } from './board.ts';
import { refuseFile } from './file-reasons.ts';

/** Largest script, in bytes. */
const maxScriptBytes = 65_536;
const defaultScript = 'default_setup.script';

/** A failure of a line, with what it has left to do after the response; `undefined` for a line without a command. */
interface LineOutcome {
  readonly code: ResponseCode;
  readonly after?: Response['after'];
}

const refused: LineOutcome = { code: codes.FAILED };

/**
 * Runs one line of a script in a turn of its own: the script itself has let others run. Its response becomes lines of
 * the log. A command whose data would follow has none here.
 */
async function runLine(board: Board, line: string, signal: AbortSignal): Promise<LineOutcome | undefined> {
  const prepared = prepare(board, board.registry, line, unattended('script'));
  if (prepared.kind === 'empty') return undefined;
  const reply =
    prepared.kind === 'refused' ? prepared.response : await board.queue.run(() => prepared.run(signal), prepared.waits);
  if (reply === undefined) return refused;
  if (reply.kind === 'silence') return { code: codes.SUCCESS };
  if (reply.kind === 'data') await reply.sink.abort();
  const response = reply.kind === 'data' ? fail(codes.FAILED) : reply;
  const { code, payload, after } = response;
  const text = code === codes.SUCCESS ? payload : board.personality.text(refusalTexts[code]);
  if (text.length > 0) board.log.line(payloadText(text));
  return { code, ...defined({ after }) };
}

/**
 * A script: one command on each line, `#` comments and empty lines; ends at the first failure, or with a command that
 * makes the module start again. Reference: commands 3.5.
 */
export async function runScript(board: Board, name: string, signal: AbortSignal): Promise<Response> {
  const content = await board.flash.readAll(name, maxScriptBytes);
  if (!content.ok) return refuseFile(board, content.error);
  const commands = decodeText(Buffer.from(content.value)).split(/\r\n|\r|\n/);
  for (const [index, line] of commands.entries()) {
    if (/^\s*#/.test(line)) continue;
    const outcome = refuseSetup(board, line) ? refused : await runLine(board, line.trim(), signal);
    if (outcome === undefined) continue;
    if (signal.aborted) return fail(codes.FAILED);
    if (outcome.code !== codes.SUCCESS) {
      board.log.say('scriptLineFailed', { name, line: index + 1 });
      return fail(codes.FAILED);
    }
    if (outcome.after) return { ...ok(board.personality.text('success')), after: outcome.after };
  }
  return ok(board.personality.text('success'));
}

/** Commands that run scripts; the data cloud's does so with `-s`. */
const runsScripts: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
  'MOD-CMD-setup': () => true,
  'MOD-CMD-cloud_capabilities': (words) => words.includes('-s'),
};

/** A script that ran scripts might never end, and neither might a `setup cmd` that is its own command. */
function refuseSetup(board: Board, line: string, what?: string): boolean {
  const tokens = tokenise(line);
  const [command = '', ...words] = tokens.ok ? tokens.value.map(({ text }) => text) : [];
  const called = board.registry.find(command);
  if (!called || !runsScripts[called.spec]?.(words)) return false;
  if (what !== undefined && words[0] !== what) return false;
  board.log.say('setupNested');
  return true;
}

/** Runs what the setup pin would run. */
async function runPinCommand(board: Board, signal: AbortSignal): Promise<Response> {
  const line = board.variables.get('setup.gpio.cmd');
  if (line.trim() === '') {
    board.log.say('setupNoCommand');
    return fail(codes.FAILED);
  }
  if (refuseSetup(board, line, 'cmd')) return fail(codes.FAILED);
  const outcome = await runLine(board, line, signal);
  if (outcome?.code !== codes.SUCCESS) return fail(codes.FAILED);
  return { ...ok(board.personality.text('success')), ...defined({ after: outcome.after }) };
}

/** Answers at once; log lines report the outcome. */
function startWebSetup(board: Board): Response {
  board.webSetup.start();
  return ok(board.personality.text('inProgress'));
}

/** Words that do not name a script. What they do, given how many words follow that they may have. */
const actions: Readonly<
  Record<
    string,
    {
      readonly words: number;
      readonly run: (board: Board, signal: AbortSignal, word?: string) => Response | Promise<Response>;
    }
  >
> = {
  script: { words: 1, run: (board, signal, name = defaultScript) => runScript(board, name, signal) },
  cmd: { words: 0, run: runPinCommand },
  status: { words: 0, run: (board) => ok(String(board.webSetup.status)) },
  stop: {
    words: 0,
    run: (board) => {
      board.webSetup.stop();
      return ok(board.personality.text('success'));
    },
  },
  web: { words: 0, run: startWebSetup },
};

const setup = defineCommand({
  name: 'setup',
  shortcut: 'setup',
  group: 'system',
  spec: 'MOD-CMD-setup',
  evidence: 'documented',
  summary: 'Run a setup script, or the command of the setup pin',
  example: 'setup script boot.script',
  waitsFor: 'commands of the script',
  syntax: 'setup <script file>/script [file]/cmd/status/stop/web',
  args: {
    what: {
      kind: 'file',
      offers: ['script', 'cmd', 'status', 'stop', 'web'],
      help: 'script file, or script, cmd, status, stop or web',
    },
    file: { kind: 'file', optional: true, help: `script file, ${defaultScript} when it is left out` },
  },
  run: (board, { what, file }, { signal }) => {
    const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
    const given = file === undefined ? 0 : 1;
    if (given > (action?.words ?? 0)) return fail(codes.TOO_MANY);
    return action ? action.run(board, signal, file) : runScript(board, what, signal);
  },
});

export const setupCommands: readonly Command<Board>[] = [setup];
