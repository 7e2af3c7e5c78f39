import type { Storage } from '../engine/db/storage.ts';
import { seal } from '../extensions/audit/queries.ts';
import { buildApp } from './build-app.ts';

/** Actions of the changes that wait for their places in the audit: while the clock stands still, all of them. */
export const auditedActions = async ({ db }: Pick<Storage, 'db'>): Promise<string[]> =>
  (await db.selectFrom('audit_queue').select('action').orderBy('id').execute()).map(({ action }) => action);

/** How often a user has made such a change, as the audit says. */
export async function auditedTimes(storage: Storage, action: string, { id }: { readonly id: string }): Promise<number> {
  await seal(storage);
  const rows = storage.db.selectFrom('audit').select('seq').where('action', '=', action).where('user_id', '=', id);
  return (await rows.execute()).length;
}

/** A service with an administrator who has made a platform. */
export async function auditWorld(storage: Storage) {
  const app = await buildApp(storage, { settings: { signUp: 'open', smtpUrl: 'smtp://127.0.0.1:1' } });
  const admin = await app.make.admin();
  const platform = await app.make.platform();
  return { app, admin, as: app.client.as(admin.token), platform };
}
