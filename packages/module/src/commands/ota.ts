import { isUuid } from '@moorage/base';
import { runUpdate } from '../cloud/run-update.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Reply } from '../interpreter/reply.ts';
import { type Board, defineCommand } from './board.ts';
import { refuse } from './dms.ts';

/** Longest id of an activation and longest password, in characters. */
const maxActivationLength = 120;

const success = (board: Board): Reply => ok(board.personality.text('success'));

/**
 * `ota -a <id> <password>`: the id is a product, or a bundle of the product that the device has; the password is an
 * activation token of that product. A bundle becomes the one that `ota` asks for by itself. Spec: MOD-OTA-activate.
 */
async function activate(board: Board, id: string, password: string): Promise<Reply> {
  const { client, variables } = board;
  const named = isUuid(id) ? await client.info() : undefined;
  if (named && !named.ok) return refuse(board, named.error);
  const claimed = await client.claim({ product: named ? named.value.product : id, token: password });
  if (!claimed.ok) return refuse(board, claimed.error);
  // A bundle of another product would be refused from now on.
  const bound = named ? id : '';
  if (variables.get('ota.bundle_id') !== bound) {
    variables.set('ota.bundle_id', bound);
    // The update that follows restarts the module.
    await variables.save();
  }
  return success(board);
}

async function update(
  board: Board,
  options: { readonly force: boolean; readonly bundle: string | undefined; readonly files: readonly string[] },
  signal: AbortSignal,
): Promise<Reply> {
  const { log, personality } = board;
  log.say('checkingForUpdates');
  const updated = await runUpdate(board, options, signal);
  if (!updated.ok) return refuse(board, updated.error);
  if (updated.value === 'installed') return { ...ok(personality.text('rebooting')), after: () => board.reboot() };
  if (updated.value === 'none') log.say('upToDate');
  return success(board);
}

/** Updates over the air. Spec: MOD-CMD-ota. */
export const otaCommands: readonly Command<Board>[] = [
  defineCommand({
    name: 'ota',
    shortcut: 'ota',
    group: 'dms',
    spec: 'MOD-CMD-ota',
    evidence: 'documented',
    summary: 'Update over the air; the module restarts when something has changed',
    example: 'ota -f',
    waitsFor: 'service',
    syntax: 'ota [-f] [-b <bundle>] [<file>...] | ota -a <id> <password>',
    options: {
      force: { kind: 'switch', flag: '-f', help: 'fetch everything even when it is there already' },
      bundle: {
        kind: 'value',
        flag: '-b',
        value: { kind: 'word', maxLength: 40, help: 'id or version' },
        help: 'a published bundle instead of the one that the service chooses',
      },
      activation: {
        kind: 'value',
        flag: '-a',
        value: { kind: 'word', maxLength: maxActivationLength, help: 'product, or id of a bundle' },
        help: 'bind the device to a product or bundle; its activation token follows',
      },
    },
    args: { words: { kind: 'words', optional: true, help: 'files to fetch; all without any' } },
    safeMode: true,
    run: (board, { force, bundle, activation, words = [] }, { signal }): Promise<Reply> | Reply => {
      if (activation === undefined) return update(board, { force, bundle, files: words }, signal);
      const [password, ...more] = words;
      if (password === undefined) return fail(codes.TOO_FEW);
      if (more.length > 0 || force || bundle !== undefined) return fail(codes.TOO_MANY);
      if (password.length > maxActivationLength) return fail(codes.INVALID);
      return activate(board, activation, password);
    },
  }),
];
