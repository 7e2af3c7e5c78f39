import { randomUUID } from 'node:crypto';
import { type bundlesContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { refuseTrashed } from '../access/products.ts';
import { recordBlob } from '../blobs/blob-records.ts';
import { refuseChanged } from '../core/conditions.ts';
import type { Caller, Deps, Handler } from '../core/types.ts';
import { transactionOverConflicts } from '../db/conflicts.ts';
import { byCaller, writeLog } from '../db/logs.ts';
import type { Db } from '../db/storage.ts';
import { fileReply } from '../files/replies.ts';
import { readUpload } from '../files/uploads.ts';
import { allowedBundle, readableBundle } from './access.ts';
import { type BundleRow, deleteResource, filenameTaken, insertResource, resourceById } from './queries.ts';
import { refuseResourceChange } from './rules.ts';

type Contract = typeof bundlesContract;
type Added = { id: string; size: number };

/** Largest resource, in bytes; the limit of a JSON body is met first. */
const resourceLimitBytes = 16 * 1024 * 1024;

/** The bundle, when the caller may change it and it takes changes of its resources. */
async function openBundle(
  db: Db,
  id: string,
  caller: Caller,
  change: 'add' | 'remove',
): Promise<Result<BundleRow, Refusal>> {
  const allowed = await allowedBundle(db, id, caller, 'product.change');
  if (!allowed.ok) return allowed;
  const { bundle, product } = allowed.value;
  const refused = (change === 'add' ? refuseTrashed(product) : undefined) ?? refuseResourceChange(bundle.state);
  return refused ? failure(refused) : success(bundle);
}

/** API-EP-POST-bundles-bundle_id-resources */
export const addResource =
  (deps: Deps): Handler<Contract['addResource']> =>
  async (call) => {
    const { body, caller, params } = call;
    const id = randomUUID();
    const file = readUpload(body, `resource-${id.slice(0, 8)}.bin`);
    // Asked before the bytes are stored, so that a refused upload leaves nothing behind, and again with the record.
    const early = await openBundle(deps.storage.db, params.bundle_id, caller, 'add');
    if (!early.ok) return early;
    if (!file.ok) return file;
    const { bytes, ...described } = file.value;
    const blob = await deps.blobs.put(bytes, resourceLimitBytes);
    if (!blob) return failure(refusal('BODY_TOO_LARGE', { limitBytes: resourceLimitBytes }));
    const atMs = deps.clock.now();
    return transactionOverConflicts(deps.storage, async (trx): Promise<Result<Added, Refusal>> => {
      const bundle = await openBundle(trx, params.bundle_id, caller, 'add');
      if (!bundle.ok) return bundle;
      const { id: bundleId, product_id: productId, version } = bundle.value;
      if (await filenameTaken(trx, bundleId, described.filename)) {
        return failure(refusal('DUPLICATE', { what: 'File', value: described.filename }));
      }
      await recordBlob(trx, blob, atMs);
      const exclude = body.exclude ? 1 : 0;
      await insertResource(trx, { ...described, ...blob, id, bundle_id: bundleId, exclude, created_at: atMs });
      const message = `File "${described.filename}" added to bundle ${version}`;
      const data = { resource_id: id, size: blob.size };
      await writeLog(trx, { ...byCaller(call, atMs), type: 'resource.add', message, productId, bundleId, data });
      return success({ id, size: blob.size });
    });
  };

/** API-EP-DELETE-bundles-bundle_id-resources-resource_id, API-ERR-2 */
export const removeResource =
  ({ storage, clock }: Deps): Handler<Contract['removeResource']> =>
  async (call) => {
    const atMs = clock.now();
    return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
      const bundle = await openBundle(trx, call.params.bundle_id, call.caller, 'remove');
      if (!bundle.ok) return bundle;
      const { id: bundleId, product_id: productId, version } = bundle.value;
      const resource = await resourceById(trx, bundleId, call.params.resource_id);
      if (!resource) return failure(refusal('NOT_FOUND', { what: 'Resource' }));
      const refused = refuseChanged(call.headers, fileReply(resource, resource.created_at));
      if (refused) return failure(refused);
      await deleteResource(trx, resource.id);
      const message = `File "${resource.filename}" removed from bundle ${version}`;
      const data = { resource_id: resource.id };
      await writeLog(trx, { ...byCaller(call, atMs), type: 'resource.delete', message, productId, bundleId, data });
      return success(resultOk);
    });
  };

/** API-EP-GET-bundles-bundle_id-resources-resource_id-binary */
export const binary =
  ({ storage }: Deps): Handler<Contract['binary']> =>
  async ({ params, caller }) => {
    const readable = await readableBundle(storage.db, params.bundle_id, caller);
    if (!readable.ok) return readable;
    const { bundle, sight } = readable.value;
    const resource = await resourceById(storage.db, bundle.id, params.resource_id);
    if (!resource || (resource.exclude && sight !== 'all')) return failure(refusal('NOT_FOUND', { what: 'Resource' }));
    return success(fileReply(resource, resource.created_at));
  };
