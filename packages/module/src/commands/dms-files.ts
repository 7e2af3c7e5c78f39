import type { FileRecord, FileTarget } from '@moorage/api';
import type { RemoteFiles } from '@moorage/device';
import { isFileName } from '../device/flash.ts';
import { codes, fail, lines, ok, type Reply } from '../interpreter/reply.ts';
import type { Board } from './board.ts';
import { sayServiceFailure } from './cloud-refusals.ts';
import { statLine } from './file-listing.ts';

/** The stores by name, and by the number that applications of the module give them. Reference: api 3.1. */
const targets: Readonly<Record<string, FileTarget>> = {
  device: 'device',
  product: 'product',
  1: 'device',
  2: 'product',
};

interface FileAction {
  /** Words behind the target. */
  readonly least: number;
  readonly most: number;
  readonly run: (board: Board, target: FileTarget, words: readonly string[]) => Promise<Reply>;
}

/** What `RemoteFiles` refuses. */
type Refused = Extract<Awaited<ReturnType<RemoteFiles['stat']>>, { readonly ok: false }>;

/** Spec: MOD-FILES-cloud. */
const actions: Readonly<Record<string, FileAction>> = {
  list: {
    least: 0,
    most: 1,
    run: async (board, target, [filter]) => {
      const found = await board.client.files.list(target, filter);
      if (!found.ok) return refused(board, found);
      const { personality } = board;
      const rows = found.value.map(({ size, crc, updated_at, path }, index) =>
        personality.row('cloudFiles', index, size, crc.toUpperCase(), timeOf(updated_at), path),
      );
      return lines([personality.text('cloudFilesHead'), ...rows]);
    },
  },
  stat: {
    least: 1,
    most: 1,
    run: async (board, target, [path = '']) => {
      const found = await board.client.files.stat(target, path);
      return found.ok ? lines(statLines(found.value)) : refused(board, found);
    },
  },
  download: {
    least: 1,
    most: 2,
    run: async (board, target, [path = '', name = path]) => {
      if (!isFileName(name)) return fail(codes.INVALID);
      const downloaded = await board.client.files.download(target, path, name);
      if (!downloaded.ok) return refused(board, downloaded);
      const info = board.flash.stat(name);
      return info ? ok(statLine(info)) : fail(codes.FAILED);
    },
  },
  upload: {
    least: 1,
    most: 2,
    run: async (board, target, [name = '', path = name]) => {
      const uploaded = await board.client.files.upload(target, name, path);
      return uploaded.ok ? success(board) : refused(board, uploaded);
    },
  },
  delete: {
    least: 1,
    most: 1,
    run: async (board, target, [path = '']) => {
      const removed = await board.client.files.remove(target, path);
      return removed.ok ? success(board) : refused(board, removed);
    },
  },
};

/** `dms file <action> <target> …`. */
export function fileAction(
  board: Board,
  [name = '', targetName = '', ...words]: readonly string[],
): Reply | Promise<Reply> {
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  const target = Object.hasOwn(targets, targetName) ? targets[targetName] : undefined;
  if (!action || !target) return fail(codes.INVALID);
  if (words.length < action.least) return fail(codes.TOO_FEW);
  if (words.length > action.most) return fail(codes.TOO_MANY);
  return action.run(board, target, words);
}

const success = (board: Board): Reply => ok(board.personality.text('success'));

function refused(board: Board, { error }: Refused): Reply {
  sayServiceFailure(board, error);
  return fail(codes.FAILED);
}

/** In the form of a group of variables, which host software can read already. */
const statLines = ({ path, size, crc, mime, version, updated_at }: FileRecord): readonly string[] => [
  `path: ${path}`,
  `size: ${size}`,
  `crc: ${crc.toUpperCase()}`,
  `mime: ${mime}`,
  `version: ${version ?? ''}`,
  `updated: ${timeOf(updated_at)}`,
];

/** `2026-01-31T12:34:56Z` of the service's epoch milliseconds. */
const timeOf = (timestamp: string): string => `${new Date(Number(timestamp)).toISOString().slice(0, 19)}Z`;
