import { randomUUID } from 'node:crypto';
import { avatarLimitBytes, type avatarsContract, type Refusal, type ReplyOf, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { recordBlob } from '../../engine/db/blob-records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, type LogEntry, writeLog } from '../../engine/db/logs.ts';
import { refuseChanged } from '../../engine/http/conditions.ts';
import {
  type BytesReply,
  type Call,
  type Deps,
  type FileReply,
  type Handlers,
  handlers,
} from '../../engine/http/types.ts';
import { refuseQuota } from '../access/quotas.ts';
import { authorise, generalRoles, viewerFor } from '../access/rules.ts';
import type { Viewer } from '../access/viewer.ts';
import { fileReply } from '../files/replies.ts';
import { type AvatarOwner, avatarOf, lockAvatar, nameOfOwner, replaceAvatar } from './queries.ts';
import { imageHeadBytes, imageMime, placeholder, refuseImage } from './rules.ts';

type Contract = typeof avatarsContract;
type SetAvatar = ReplyOf<Contract['setUser']>;

const whatOf = (owner: AvatarOwner): string => ('userId' in owner ? 'User' : 'Platform');
const idOf = (owner: AvatarOwner): string => ('userId' in owner ? owner.userId : owner.platformId);

/** The picture of a user or platform: that of an id, the current one, or a placeholder. Spec: API-RULE-avatar-1. */
async function readAvatar(
  { storage: { db } }: Deps,
  owner: AvatarOwner,
  id: string | undefined,
  viewer?: Viewer,
): Promise<Result<FileReply | BytesReply, Refusal>> {
  const name = await nameOfOwner(db, owner, viewer);
  if (name === undefined) return failure(refusal('NOT_FOUND', { what: whatOf(owner) }));
  const row = await avatarOf(db, owner);
  if (id !== undefined && row?.id !== id) return failure(refusal('NOT_FOUND', { what: 'Avatar' }));
  if (!row) return success({ bytes: Buffer.from(placeholder(idOf(owner), name)), mime: 'image/svg+xml' });
  return success(fileReply(row, row.created_at));
}

/** Stores a picture and makes it the current one; the one before is forgotten. Spec: API-LIMIT-avatar. */
async function setAvatar(
  { storage, clock, settings }: Deps,
  owner: AvatarOwner,
  call: Pick<Call<Contract['setUser']>, 'headers' | 'caller' | 'ip' | 'upload'>,
  log: Pick<LogEntry, 'type' | 'message'>,
): Promise<Result<SetAvatar, Refusal>> {
  // Asked before the bytes come, and again with the record.
  const row = await avatarOf(storage.db, owner);
  const early = refuseChanged(call.headers, row && fileReply(row, row.created_at));
  if (early) return failure(early);
  let mime = '';
  const stored = await call.upload.store({
    maxBytes: avatarLimitBytes,
    headBytes: imageHeadBytes,
    inspect: (head) => {
      mime = imageMime(head) ?? '';
      return refuseImage(head);
    },
  });
  if (!stored.ok) return stored;
  const { blob } = stored.value;
  const id = randomUUID();
  const atMs = clock.now();
  const set = await transactionOverConflicts(storage, async (trx): Promise<Result<SetAvatar, Refusal>> => {
    const earlier = await lockAvatar(trx, storage.expressions, owner);
    const refused = refuseChanged(call.headers, earlier && fileReply(earlier, earlier.created_at));
    if (refused) return failure(refused);
    const full = await refuseQuota(settings, trx, call.caller.userId, 'bytes', blob.size);
    if (full) return failure(full);
    await recordBlob(trx, blob, atMs, call.caller.userId);
    const ids =
      'userId' in owner
        ? { user_id: owner.userId, platform_id: null }
        : { user_id: null, platform_id: owner.platformId };
    const content = { mime, size: blob.size, crc: blob.crc, sha256: blob.sha256 };
    await replaceAvatar(trx, owner, earlier, { id, ...ids, ...content, created_at: atMs });
    await writeLog(trx, { ...log, ...byCaller(call, atMs), data: { avatar_id: id, size: blob.size } });
    return success({ result: 'ok', avatar_id: id });
  });
  if (!set.ok) await recordBlob(storage.db, blob, atMs, call.caller.userId);
  return set;
}

/** API-EP-POST-users-user_id-avatar */
async function setUser(deps: Deps, call: Call<Contract['setUser']>) {
  const owner = { userId: call.params.user_id };
  // An account is managed by its user alone, not by administrators.
  const roles = owner.userId === call.caller.userId ? generalRoles(call.caller) : [];
  if ((await nameOfOwner(deps.storage.db, owner)) === undefined) return failure(refusal('NOT_FOUND', { what: 'User' }));
  const refused = authorise('user.self', roles, 'User');
  if (refused) return failure(refused);
  return setAvatar(deps, owner, call, { type: 'user.update', message: 'Avatar changed' });
}

/** API-EP-POST-platforms-platform_id-avatar */
async function setPlatform(deps: Deps, call: Call<Contract['setPlatform']>) {
  const refused = authorise('platform.write', generalRoles(call.caller), 'Platform');
  if (refused) return failure(refused);
  const owner = { platformId: call.params.platform_id };
  const code = await nameOfOwner(deps.storage.db, owner);
  if (code === undefined) return failure(refusal('NOT_FOUND', { what: 'Platform' }));
  return setAvatar(deps, owner, call, { type: 'platform.update', message: `Avatar of platform ${code} changed` });
}

/** Pictures of users and platforms. */
export const avatarsRoutes = (deps: Deps): Handlers<Contract> => ({
  ...handlers(deps, { setUser, setPlatform }),
  // API-EP-GET-users-user_id-avatar-avatar_id
  user: ({ params }) => readAvatar(deps, { userId: params.user_id }, params.avatar_id),
  // API-EP-GET-platforms-platform_id-avatar-avatar_id
  platform: ({ params, caller }) =>
    readAvatar(deps, { platformId: params.platform_id }, params.avatar_id, viewerFor('platform.access', caller)),
});
