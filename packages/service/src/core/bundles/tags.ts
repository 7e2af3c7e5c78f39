import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { clearTag, setBundleTag } from './queries.ts';

/** Gives a bundle a tag, which is taken from the one that has it; a bundle that is not published stays as it is. */
export async function giveTag(
  trx: Db,
  bundleId: string,
  tag: 'alpha' | 'beta' | 'release',
  atMs: number,
): Promise<void> {
  const bundle = await trx.selectFrom('bundles').selectAll().where('id', '=', bundleId).executeTakeFirst();
  if (bundle?.state !== 'published' || bundle.tag === tag) return;
  await clearTag(trx, bundle.product_id, tag);
  await setBundleTag(trx, bundleId, tag);
  const message = `Bundle ${bundle.version} carries tag ${tag} now`;
  const data = { from: bundle.tag, to: tag };
  await writeLog(trx, { type: 'bundle.tag', message, atMs, productId: bundle.product_id, bundleId, data });
}
