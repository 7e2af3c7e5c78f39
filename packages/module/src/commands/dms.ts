import type { Result } from '@moorage/base';
import type { ServiceFailure } from '@moorage/device';
import { sendTelemetry } from '../cloud/channel-service.ts';
import { claimOf } from '../cloud/claim.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, ok, type Reply } from '../interpreter/reply.ts';
import { textOf } from '../interpreter/tokeniser.ts';
import { type Board, defineCommand } from './board.ts';
import { sayServiceFailure } from './cloud-refusals.ts';
import { fileAction } from './dms-files.ts';

/** What `dms` does, and how many words it takes behind that. */
interface Action {
  readonly least: number;
  readonly most: number;
  /** @param words what they stand for; @param typed with their quotes */
  readonly run: (board: Board, words: readonly string[], typed: readonly string[]) => Reply | Promise<Reply>;
}

/** How long an answer over the message channel is waited for, in ms. Reference: channel 2.1. */
const echoTimeoutMs = 3_000;
const webhookTimeoutMs = 90_000;

/** Most words of a text or of JSON. */
const textWords = 256;

const actions = {
  activate: {
    least: 1,
    most: 1,
    run: async (board, [product = '']) => answer(board, await board.client.activate(product)),
  },
  claim: {
    least: 2,
    most: 2,
    run: async (board, [first = '', second = '']) => answer(board, await board.client.claim(claimOf(first, second))),
  },
  echo: {
    least: 1,
    most: textWords,
    run: async (board, words) => {
      const data = words.join(' ');
      return replyOf(board, await board.client.channelRequest({ request: 'echo', data }, echoTimeoutMs));
    },
  },
  file: { least: 2, most: 4, run: fileAction },
  info: { least: 0, most: 0, run: showInfo },
  products: { least: 0, most: 0, run: showProducts },
  provision: {
    least: 0,
    most: 0,
    run: async (board) =>
      answer(board, await board.client.provision(board.variables.get('dms.provision.token') || undefined)),
  },
  status: { least: 0, most: 0, run: (board) => ok(board.client.isOnline ? '1' : '0') },
  // Spec: MOD-CHAN-telemetry.
  telemetry: {
    least: 0,
    most: textWords,
    run: async (board, _words, typed) => {
      const added = typed.length === 0 ? {} : dictionary(typed.join(' '));
      if (!added) return fail(codes.INVALID);
      const iface = board.wlan.interfaceOf(board.variables.get('dms.interface'));
      return replyOf(board, await sendTelemetry(board, iface, added));
    },
  },
  webhook: {
    least: 1,
    most: textWords,
    run: async (board, [code = '', ...words], [, ...typed]) => {
      // Data that is no JSON is a text.
      const data = typed.length === 0 ? null : (json(typed.join(' ')) ?? words.join(' '));
      return replyOf(board, await board.client.channelRequest({ request: 'webhook', code, data }, webhookTimeoutMs));
    },
  },
} as const satisfies Readonly<Record<string, Action>>;

const actionNames = Object.keys(actions) as readonly (keyof typeof actions)[];

/** The value of a JSON text; `undefined` for any other text. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dictionary(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = json(text);
  // Safe: keys of what JSON has as an object are texts.
  return typeof value === 'object' && value && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

async function showInfo(board: Board): Promise<Reply> {
  const info = await board.client.info();
  // In the form of a group of variables, which host software can read already.
  return info.ok
    ? lines(Object.entries(info.value).map(([name, value]) => `${name}: ${value ?? ''}`))
    : refuse(board, info.error);
}

async function showProducts(board: Board): Promise<Reply> {
  const products = await board.client.products();
  if (!products.ok) return refuse(board, products.error);
  const { personality } = board;
  const rows = products.value.map(({ product, version, title }, index) =>
    personality.row('products', index, product, version ?? '-', title),
  );
  return lines([personality.text('productsHead'), ...rows]);
}

const answer = (board: Board, result: Result<unknown, ServiceFailure>): Reply =>
  result.ok ? ok(board.personality.text('success')) : refuse(board, result.error);

/** The service's own words, then the code. Reference: commands 7.1. */
export function refuse(board: Board, error: ServiceFailure): Reply {
  sayServiceFailure(board, error);
  return fail(codes.FAILED);
}

/** What has come over the message channel: a text as it is, other values as JSON, bytes in them as base64. */
function replyOf(board: Board, answered: Result<unknown, string>): Reply {
  if (!answered.ok) {
    board.log.say('serviceText', { text: answered.error });
    return fail(codes.FAILED);
  }
  const { value } = answered;
  if (value === null) return ok(board.personality.text('success'));
  if (typeof value === 'string') return ok(value);
  return ok(
    JSON.stringify(value, (_key, inner: unknown) =>
      inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
    ),
  );
}

/** The commands of the device service. Spec: MOD-CMD-dms. */
export const dmsCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'dms',
    shortcut: 'dms',
    group: 'dms',
    spec: 'MOD-CMD-dms',
    evidence: 'documented',
    summary: 'Talk to the device management service',
    example: 'dms info',
    waitsFor: 'service',
    syntax:
      'dms claim <username> <password> | claim <product> <token> | activate <product> | info | products | provision | ' +
      'status | echo <text> | webhook <code> [<data>] | telemetry [<values>] | ' +
      'file list/stat/download/upload/delete <device/product> ...',
    args: {
      action: { kind: 'choice', choices: actionNames, help: 'what to do' },
      words: { kind: 'words', optional: true, typed: true, help: 'what the action takes' },
    },
    run: (board, { action, words: typed = [] }) => {
      const { least, most, run }: Action = actions[action];
      if (typed.length < least) return fail(codes.TOO_FEW);
      if (typed.length > most) return fail(codes.TOO_MANY);
      return run(board, typed.map(textOf), typed);
    },
  }),
];
