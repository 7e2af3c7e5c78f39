import { randomUUID } from 'node:crypto';
import { type BundleDetail, type bundlesContract, type Refusal, refusal, resultOk } from '@moorage/api';
import {
  failure,
  formatVersion,
  maxFreeVersionPart,
  parseFullVersion,
  type Result,
  success,
  unwrap,
  versionSortKey,
} from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import { goesWith, nothingGoes } from '../../engine/db/references.ts';
import type { Db } from '../../engine/db/storage.ts';
import { listed } from '../../engine/http/record-from.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { allowedProduct, growingProduct, type ProductForCaller } from '../access/products.ts';
import { refuseQuota } from '../access/quotas.ts';
import { viewerFor } from '../access/rules.ts';
import { fitsProduct } from '../products/rules.ts';
import { allowedBundle, readableBundle, sightOf } from './access.ts';
import type { BundleDeps } from './hooks.ts';
import {
  bundleByTag,
  bundleView,
  clearTag,
  deleteBundle,
  firmwareForBundle,
  highestVersion,
  insertBundle,
  isOnOffer,
  listBundles,
  type Offered,
  resourcesOfBundle,
  setBundleState,
  setBundleTag,
  versionTaken,
} from './queries.ts';
import { bundleDetail, bundleRecord } from './records.ts';
import { addArtifact, addResource, binary, removeResource } from './resources.ts';
import { changeBundleState, changeBundleTag, chooseBundleVersion } from './rules.ts';

type Contract = typeof bundlesContract;

/** The record of a bundle with its resources; NOT_FOUND when it has gone meanwhile. */
async function detailOf(db: Db, id: string, sight: 'all' | Offered = 'all'): Promise<Result<BundleDetail, Refusal>> {
  const view = await bundleView(db, id, sight);
  if (!view) return failure(refusal('NOT_FOUND', { what: 'Bundle' }));
  const resources = await resourcesOfBundle(db, id);
  return success(
    bundleDetail(
      view,
      resources.filter(({ exclude }) => sight === 'all' || !exclude),
    ),
  );
}

/** API-EP-GET-products-product_id-bundles */
async function list({ storage }: Deps, { params, query, caller }: Call<Contract['list']>) {
  const allowed = await allowedProduct(storage.db, params.product_id, caller, 'product.read');
  if (!allowed.ok) return allowed;
  const page = paging(query, '-created_at');
  const sight = sightOf(allowed.value, caller);
  return listed(listBundles(storage.db, allowed.value.id, query, page, sight), bundleRecord);
}

/** API-EP-GET-products-product_id-bundles-tag */
async function byTag({ storage }: Deps, { params, caller }: Call<Contract['byTag']>) {
  const allowed = await allowedProduct(storage.db, params.product_id, caller, 'product.read');
  if (!allowed.ok) return allowed;
  const sight = sightOf(allowed.value, caller);
  const tagged = await bundleByTag(storage.db, allowed.value.id, params.tag);
  const isSeen = tagged && (sight === 'all' || (await isOnOffer(storage.db, tagged.id, sight)));
  if (!isSeen) return failure(refusal('NOT_FOUND', { what: 'Bundle with this tag' }));
  return detailOf(storage.db, tagged.id, sight);
}

/** API-EP-GET-bundles-bundle_id */
async function get({ storage }: Deps, { params, caller }: Call<Contract['get']>) {
  const readable = await readableBundle(storage.db, params.bundle_id, caller);
  return readable.ok ? detailOf(storage.db, readable.value.bundle.id, readable.value.sight) : readable;
}

/** Why a new bundle of the product cannot have this firmware: not open to the caller, or for another platform or edition. */
async function fittingFirmware(
  db: Db,
  product: ProductForCaller,
  id: string,
  caller: Caller,
): Promise<Refusal | undefined> {
  const firmware = await firmwareForBundle(db, id, viewerFor('platform.access', caller));
  if (!firmware) return refusal('NOT_FOUND', { what: 'Firmware' });
  if (fitsProduct(product, firmware)) return undefined;
  const platform = `${product.platform}${firmware.platform_id === product.platform_id ? ' in this edition' : ''}`;
  return refusal('PLATFORM_MISMATCH', { what: `Firmware "${firmware.label}"`, platform });
}

/** The version of a new bundle, free in its product. Spec: API-RULE-bundle-create-2, -3. */
async function versionFor(db: Db, productId: string, wanted: string | null | undefined) {
  const highest = await highestVersion(db, productId);
  const version = chooseBundleVersion(wanted, highest && unwrap(parseFullVersion(highest.version, maxFreeVersionPart)));
  if (!version.ok) return version;
  const text = formatVersion(version.value);
  if (await versionTaken(db, productId, text)) {
    return failure(refusal('DUPLICATE', { what: 'Version', value: text })); // API-ERR-3
  }
  return version;
}

/** API-EP-POST-products-product_id-bundles */
async function create({ storage, clock, settings }: Deps, call: Call<Contract['create']>) {
  const { params, body, caller } = call;
  if (body.product_id !== params.product_id) {
    const detail = 'Field "product_id" of the body is not the product of the path';
    return failure(refusal('INVALID_REQUEST', { detail }, { source: 'body', keys: ['product_id'] }));
  }
  const atMs = clock.now();
  // Another creator may take the version between the look and the write: the index refuses it, and this looks again.
  return transactionOverConflicts(storage, async (trx): Promise<Result<BundleDetail, Refusal>> => {
    const allowed = await growingProduct(trx, params.product_id, caller, 'product.change');
    if (!allowed.ok) return allowed;
    const product = allowed.value;
    const unfit = await fittingFirmware(trx, product, body.firmware_id, caller);
    if (unfit) return failure(unfit);
    const version = await versionFor(trx, product.id, body.version);
    if (!version.ok) return version;
    const full = await refuseQuota(settings, trx, product.user_id, 'bundles');
    if (full) return failure(full);
    const id = randomUUID();
    const text = formatVersion(version.value);
    await insertBundle(trx, {
      id,
      product_id: product.id,
      firmware_id: body.firmware_id,
      user_id: caller.userId,
      state: 'preview', // API-RULE-bundle-create-4
      tag: null,
      version: text,
      version_key: versionSortKey(version.value),
      description: '',
      remote_id: null,
      remote_product: null,
      created_at: atMs,
    });
    noteMade(id);
    const message = `Bundle ${text} of product ${product.product} made`;
    const ids = { productId: product.id, bundleId: id };
    await writeLog(trx, { ...byCaller(call, atMs), ...ids, type: 'bundle.create', message });
    return detailOf(trx, id);
  });
}

/** API-EP-POST-bundles-bundle_id-state, API-ERR-1 */
async function setState({ storage, clock, hooks }: BundleDeps, call: Call<Contract['setState']>) {
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const allowed = await allowedBundle(trx, call.params.bundle_id, call.caller, 'product.change');
    if (!allowed.ok) return allowed;
    const { bundle, product } = allowed.value;
    const to = changeBundleState(bundle, call.body.state);
    if (!to.ok) return to;
    if (to.value === undefined) return success(resultOk);
    if (to.value !== 'published') {
      const { id, version } = bundle;
      const leaving = { id, version, to: to.value === 'trash' ? 'trashed' : 'archived' } as const;
      const inUse = await hooks.bundleLeaves(trx, { ...leaving, abortsRollouts: call.body.abort_rollouts ?? false });
      if (inUse) return failure(inUse);
    }
    const taken = to.value === 'trash' ? await goesWith(storage, trx, 'bundles', bundle.id) : nothingGoes;
    if (to.value === 'trash') await deleteBundle(trx, bundle.id);
    else await setBundleState(trx, bundle.id, to.value);
    await writeLog(trx, {
      ...byCaller(call, atMs),
      type: 'bundle.state',
      message: `Bundle ${bundle.version} of product ${product.product} is ${to.value} now${taken.text}`,
      productId: product.id,
      bundleId: bundle.id,
      data: { from: bundle.state, to: to.value, ...taken.data },
    });
    return success(resultOk);
  });
}

/** API-EP-POST-bundles-bundle_id-tag, API-ERR-1 */
async function setTag({ storage, clock, hooks }: BundleDeps, call: Call<Contract['setTag']>) {
  const atMs = clock.now();
  let productId: string | undefined;
  const done = await transactionOverConflicts(storage, async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    productId = undefined;
    const allowed = await allowedBundle(trx, call.params.bundle_id, call.caller, 'product.change');
    if (!allowed.ok) return allowed;
    const { bundle, product } = allowed.value;
    const tag = changeBundleTag(bundle, call.body.tag);
    if (!tag.ok) return tag;
    if (tag.value === undefined) return success(resultOk);
    // API-RULE-tag-1: first taken from the bundle that holds it, then given, in one transaction.
    if (tag.value !== null) await clearTag(trx, product.id, tag.value);
    await setBundleTag(trx, bundle.id, tag.value);
    // The bundle has one tag: it gives up another for it.
    await hooks.tagMoved(
      trx,
      product.id,
      [tag.value, bundle.tag].filter((one) => one !== null),
    );
    await writeLog(trx, {
      ...byCaller(call, atMs),
      type: 'bundle.tag',
      message:
        tag.value === null
          ? `Bundle ${bundle.version} of product ${product.product} lost tag ${bundle.tag}`
          : `Bundle ${bundle.version} of product ${product.product} carries tag ${tag.value} now`,
      productId: product.id,
      bundleId: bundle.id,
      data: { from: bundle.tag, to: tag.value },
    });
    productId = product.id;
    return success(resultOk);
  });
  // A change of state makes no update due: only what carries a tag is offered unasked, and that is published and stays so.
  if (done.ok && productId !== undefined) storage.bus.publish(topics.otaDue, { productId });
  return done;
}

/** Bundles of products, and their resources. Spec: API-EP-GET-bundles-bundle_id and the calls beside it. */
export const bundlesRoutes = (deps: BundleDeps): Handlers<Contract> =>
  handlers(deps, { list, create, byTag, get, addResource, addArtifact, removeResource, binary, setState, setTag });
