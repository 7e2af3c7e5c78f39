import type { NewRow, Row } from '../../engine/db/schema.ts';
import type { Db, Expressions } from '../../engine/db/storage.ts';
import { isOpenTo } from '../access/catalogue.ts';
import type { Viewer } from '../access/viewer.ts';

export type AvatarRow = Row<'avatars'>;

/** Whose picture. */
export type AvatarOwner = { readonly userId: string } | { readonly platformId: string };

/** Name of a user or platform, or `undefined` when the viewer knows of none. */
export async function nameOfOwner(
  db: Db,
  owner: AvatarOwner,
  viewer: Viewer = 'everyone',
): Promise<string | undefined> {
  if ('userId' in owner) {
    const user = await db.selectFrom('users').select('username').where('id', '=', owner.userId).executeTakeFirst();
    return user?.username;
  }
  const platform = await db
    .selectFrom('platforms')
    .select('code')
    .where('id', '=', owner.platformId)
    .where((eb) => isOpenTo(viewer, 'platform', eb.ref('platforms.id')))
    .executeTakeFirst();
  return platform?.code;
}

const ofOwner = (db: Db, owner: AvatarOwner) =>
  db
    .selectFrom('avatars')
    .selectAll()
    .where((where) =>
      'userId' in owner ? where('user_id', '=', owner.userId) : where('platform_id', '=', owner.platformId),
    );

/** The picture that a user or platform has now. */
export const avatarOf = (db: Db, owner: AvatarOwner): Promise<AvatarRow | undefined> =>
  ofOwner(db, owner).executeTakeFirst();

/** The same, for a change: of two that begin at once the later one sees what the first has written. */
export const lockAvatar = (trx: Db, { lockRows }: Expressions, owner: AvatarOwner): Promise<AvatarRow | undefined> =>
  lockRows(ofOwner(trx, owner)).executeTakeFirst();

/** Puts a picture in the place of the one that its owner had; records of the owner name it. */
export async function replaceAvatar(
  trx: Db,
  owner: AvatarOwner,
  earlier: AvatarRow | undefined,
  row: NewRow<'avatars'>,
): Promise<void> {
  if (earlier) await trx.deleteFrom('avatars').where('id', '=', earlier.id).execute();
  await trx.insertInto('avatars').values(row).execute();
  const change = { avatar_id: row.id };
  if ('userId' in owner) await trx.updateTable('users').set(change).where('id', '=', owner.userId).execute();
  else await trx.updateTable('platforms').set(change).where('id', '=', owner.platformId).execute();
}
