import { randomUUID } from 'node:crypto';
import { tags } from '@moorage/api';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import {
  bundleById,
  bundleByTag,
  clearTag,
  headersOf,
  insertBundle,
  insertResource,
  resourcesOfBundle,
  setBundleTag,
} from './queries.ts';

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

/**
 * Copies the bundle of a product that has the highest tag, with its resources, version and tag, to a product without
 * bundles. False when no bundle has a tag: nothing was copied. Spec: API-RULE-production-2.
 */
export async function copyReleaseCandidate(
  trx: Db,
  from: string,
  to: { readonly productId: string; readonly userId: string; readonly atMs: number },
): Promise<boolean> {
  for (const tag of [...tags].reverse()) {
    const found = await bundleByTag(trx, from, tag);
    const bundle = found && (await bundleById(trx, found.id));
    if (!bundle) continue;
    const id = randomUUID();
    await insertBundle(trx, { ...bundle, id, product_id: to.productId, user_id: to.userId, created_at: to.atMs });
    const headers = new Map((await headersOf(trx, bundle.id)).map((header) => [header.filename, header]));
    for (const resource of await resourcesOfBundle(trx, bundle.id)) {
      const copy = { ...resource, id: randomUUID(), bundle_id: id };
      await insertResource(trx, copy, headers.get(resource.filename));
    }
    return true;
  }
  return false;
}
