import type { Result } from '@moorage/base';
import { claimOf } from '../cloud/claim.ts';
import type { LinkFailure } from '../cloud/link.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, lines, ok, type Reply } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';

/** Words that each action of `dms` takes behind it. */
const actionWords = { activate: 1, claim: 2, info: 0, products: 0, provision: 0 } as const;

type Action = keyof typeof actionWords;

const actions: Readonly<Record<Action, (board: Board, first: string, second: string) => Promise<Reply>>> = {
  activate: async (board, product) => answer(board, await board.link.activate(product)),
  claim: async (board, first, second) => answer(board, await board.link.claim(claimOf(first, second))),
  info: async (board) => {
    const info = await board.link.info();
    // In the form of a group of variables, which host software can read already.
    return info.ok
      ? lines(Object.entries(info.value).map(([name, value]) => `${name}: ${value ?? ''}`))
      : refuse(board, info);
  },
  products: async (board) => {
    const products = await board.link.products();
    if (!products.ok) return refuse(board, products);
    const { personality } = board;
    const rows = products.value.map(({ product, version, title }, index) =>
      personality.row('products', index, product, version ?? '-', title),
    );
    return lines([personality.text('productsHead'), ...rows]);
  },
  provision: async (board) =>
    answer(board, await board.link.provision(board.variables.get('dms.provision.token') || undefined)),
};

const answer = (board: Board, result: Result<unknown, LinkFailure>): Reply =>
  result.ok ? ok(board.personality.text('success')) : refuse(board, result);

/** The service's own words, then the code. Spec: reference service 10. */
function refuse(board: Board, { error }: { readonly error: LinkFailure }): Reply {
  if (!error.printed) board.log.line(error.message);
  return fail(codes.FAILED);
}

/** Commands that talk to the device service. */
export const dmsCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'dms',
    shortcut: 'dms',
    group: 'dms',
    spec: 'MOD-CMD-dms',
    evidence: 'documented',
    summary: 'Talk to the device management service',
    syntax:
      'dms claim <username> <password> | claim <product> <token> | activate <product> | info | products | provision',
    args: {
      action: { kind: 'choice', choices: ['activate', 'claim', 'info', 'products', 'provision'], help: 'what to do' },
      first: { kind: 'word', maxLength: 254, optional: true, help: 'user name or product code' },
      second: { kind: 'word', maxLength: 1024, optional: true, help: 'password or activation token' },
    },
    run: (board, { action, first, second }) => {
      const given = [first, second].filter((word) => word !== undefined).length;
      if (given < actionWords[action]) return fail(codes.TOO_FEW);
      if (given > actionWords[action]) return fail(codes.TOO_MANY);
      return actions[action](board, first ?? '', second ?? '');
    },
  }),
  defineCommand({
    name: 'ota',
    shortcut: 'ota',
    group: 'dms',
    spec: 'MOD-CMD-ota',
    evidence: 'documented',
    summary: 'Update over the air; the module restarts when something has changed',
    options: {
      force: { kind: 'switch', flag: '-f', help: 'fetch everything even when it is there already' },
      bundle: {
        kind: 'value',
        flag: '-b',
        value: { kind: 'word', maxLength: 40, help: 'id or version' },
        help: 'a published bundle instead of the one that the service chooses',
      },
    },
    safeMode: true,
    run: async (board, { force, bundle }) => {
      const { link, log, personality } = board;
      log.say('checkingForUpdates');
      const unwatch = link.onEvent((event) => {
        if (event.type === 'progress' && event.receivedBytes === 0) log.say('updatingFile', { file: event.file });
      });
      try {
        const updated = await link.update({ force, bundle });
        if (!updated.ok) return refuse(board, updated);
        if (updated.value === 'installed') {
          return { ...ok(personality.text('rebooting')), after: () => board.reboot() };
        }
        log.say('upToDate');
        return ok(personality.text('success'));
      } finally {
        unwatch();
      }
    },
  }),
];
