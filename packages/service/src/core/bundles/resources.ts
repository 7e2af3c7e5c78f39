import { randomUUID } from 'node:crypto';
import { artifactLimitBytes, type bundlesContract, type Refusal, refusal, resultOk } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { BlobInfo } from '../../engine/blobs/blob-store.ts';
import { type Digests, digestsOfPieces, recordBlob } from '../../engine/db/blob-records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import type { Db } from '../../engine/db/storage.ts';
import { refuseChanged } from '../../engine/http/conditions.ts';
import type { Call, Caller, Deps } from '../../engine/http/types.ts';
import { refuseTrashed } from '../access/products.ts';
import { refuseQuota } from '../access/quotas.ts';
import { mimeOfFilename } from '../files/file-types.ts';
import { fileReply } from '../files/replies.ts';
import { readUpload } from '../files/uploads.ts';
import { allowedBundle, readableBundle } from './access.ts';
import { type ArtifactHeader, contradiction, readMenderHeader, readSwuHeader } from './artifact-header.ts';
import { type BundleRow, deleteResource, filenameTaken, headersOf, insertResource, resourceById } from './queries.ts';
import { refuseResourceChange } from './rules.ts';

type Contract = typeof bundlesContract;

/** Largest resource, in bytes; the limit of a JSON body is met first. */
const resourceLimitBytes = 16 * 1024 * 1024;

/** The bundle, when the caller may change it and it takes changes of its resources. */
async function openBundle(
  db: Db,
  id: string,
  caller: Caller,
  change: 'add' | 'remove',
): Promise<Result<{ readonly bundle: BundleRow; readonly ownerId: string | null }, Refusal>> {
  const allowed = await allowedBundle(db, id, caller, 'product.change');
  if (!allowed.ok) return allowed;
  const { bundle, product } = allowed.value;
  const refused = (change === 'add' ? refuseTrashed(product) : undefined) ?? refuseResourceChange(bundle.state);
  return refused ? failure(refused) : success({ bundle, ownerId: product.user_id });
}

/** API-EP-POST-bundles-bundle_id-resources */
export async function addResource(deps: Deps, call: Call<Contract['addResource']>) {
  const { body, caller, params } = call;
  const id = randomUUID();
  const file = readUpload(body, `resource-${id.slice(0, 8)}.bin`);
  // Asked before the bytes are stored, so that a refused upload leaves nothing behind, and again with the record.
  const early = await openBundle(deps.storage.db, params.bundle_id, caller, 'add');
  if (!early.ok) return early;
  if (!file.ok) return file;
  const { bytes, ...described } = file.value;
  const full = await refuseQuota(deps.settings, deps.storage.db, early.value.ownerId, 'bytes', bytes.length);
  if (full) return failure(full);
  const counting = digestsOfPieces();
  counting.add(bytes);
  const blob = await deps.blobs.put(bytes, resourceLimitBytes);
  if (!blob) return failure(refusal('BODY_TOO_LARGE', { limitBytes: resourceLimitBytes }));
  const made = { id, ...described, exclude: body.exclude ? (1 as const) : (0 as const) };
  const added = await recordResource(deps, call, params.bundle_id, made, { blob, digests: counting.end() });
  return added.ok ? success({ id, size: blob.size }) : added;
}

type NewResource = Omit<Parameters<typeof insertResource>[1], 'bundle_id' | 'created_at' | 'sha256' | 'size' | 'crc'>;

/**
 * Records a file whose bytes are stored, whichever way it came, with what it says of itself; the bundle may have changed since
 * that began. Refusals: WRONG_ARTIFACT, DUPLICATE and those of the bundle.
 */
async function recordResource(
  deps: Deps,
  call: Pick<Call<Contract['addResource']>, 'caller' | 'ip'>,
  bundleId: string,
  resource: NewResource,
  { blob, digests }: { readonly blob: BlobInfo; readonly digests: Digests },
): Promise<Result<undefined, Refusal>> {
  const judged = await judge(deps, resource.filename, blob.sha256);
  if (!judged.ok) {
    await recordBlob(deps.storage.db, blob, deps.clock.now(), call.caller.userId);
    return judged;
  }
  const header = judged.value;
  const atMs = deps.clock.now();
  const { filename } = resource;
  const { sha256, size, crc } = blob;
  const recorded = await transactionOverConflicts(deps.storage, async (trx): Promise<Result<undefined, Refusal>> => {
    const bundle = await openBundle(trx, bundleId, call.caller, 'add');
    if (!bundle.ok) return bundle;
    const { product_id: productId, version } = bundle.value.bundle;
    const full = await refuseQuota(deps.settings, trx, bundle.value.ownerId, 'bytes', size);
    if (full) return failure(full);
    if (await filenameTaken(trx, bundleId, filename)) {
      return failure(refusal('DUPLICATE', { what: 'File', value: filename }));
    }
    await recordBlob(trx, blob, atMs, bundle.value.ownerId, digests);
    const detail = header && contradiction({ ...header, filename }, await headersOf(trx, bundleId), version);
    if (detail !== undefined) {
      return failure(refusal('WRONG_ARTIFACT', { detail }, { source: 'body', keys: [] }));
    }
    const row = { ...resource, sha256, size, crc, bundle_id: bundleId, created_at: atMs };
    await insertResource(trx, row, header);
    noteMade(resource.id);
    const message = `File "${filename}" added to bundle ${version}`;
    const data = { resource_id: resource.id, size };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'resource.add', message, productId, bundleId, data });
    return success(undefined);
  });
  if (!recorded.ok) await recordBlob(deps.storage.db, blob, atMs, call.caller.userId);
  return recorded;
}

/** What a stored artifact says of itself, by the ending of its name. Refusal: WRONG_ARTIFACT. Spec: API-RULE-artifact-1. */
async function judge(
  { blobs }: Deps,
  filename: string,
  sha256: string,
): Promise<Result<ArtifactHeader | undefined, Refusal>> {
  const isMender = filename.endsWith('.mender');
  if (!isMender && !filename.endsWith('.swu')) return success(undefined);
  const blob = await blobs.open(sha256);
  if (!blob) throw new Error(`Blob ${sha256} was put and is not stored`);
  try {
    return await (isMender ? readMenderHeader(blob) : readSwuHeader(blob));
  } finally {
    await blob.close();
  }
}

/** API-EP-POST-bundles-bundle_id-artifacts-name */
export async function addArtifact(deps: Deps, call: Call<Contract['addArtifact']>) {
  const { caller, params, upload } = call;
  const { bundle_id: bundleId, name: filename } = params;
  // Asked before the bytes come, so that an upload that has no place is refused unread.
  const early = await openBundle(deps.storage.db, bundleId, caller, 'add');
  if (!early.ok) return early;
  if (await filenameTaken(deps.storage.db, bundleId, filename)) {
    return failure(refusal('DUPLICATE', { what: 'File', value: filename }));
  }
  const announced = upload.announcedBytes ?? 1;
  const full = await refuseQuota(deps.settings, deps.storage.db, early.value.ownerId, 'bytes', announced);
  if (full) return failure(full);
  const counting = digestsOfPieces();
  const stored = await upload.store({ maxBytes: artifactLimitBytes, tap: counting.add });
  if (!stored.ok) return stored;
  const { blob, mime = mimeOfFilename(filename) } = stored.value;
  const digests = counting.end();
  const id = randomUUID();
  const made = { id, filename, mime, type: 'MISC_FIX_LEN', version: '1.0.0.0', exclude: 0 as const };
  const added = await recordResource(deps, call, bundleId, made, { blob, digests });
  return added.ok ? success({ id, size: blob.size, sha256: blob.sha256, ...digests }) : added;
}

/** API-EP-DELETE-bundles-bundle_id-resources-resource_id, API-ERR-2 */
export async function removeResource({ storage, clock }: Deps, call: Call<Contract['removeResource']>) {
  const atMs = clock.now();
  return storage.transaction(async (trx): Promise<Result<typeof resultOk, Refusal>> => {
    const bundle = await openBundle(trx, call.params.bundle_id, call.caller, 'remove');
    if (!bundle.ok) return bundle;
    const { id: bundleId, product_id: productId, version } = bundle.value.bundle;
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
}

/** API-EP-GET-bundles-bundle_id-resources-resource_id-binary */
export async function binary({ storage }: Deps, { params, caller }: Call<Contract['binary']>) {
  const readable = await readableBundle(storage.db, params.bundle_id, caller);
  if (!readable.ok) return readable;
  const { bundle, sight } = readable.value;
  const resource = await resourceById(storage.db, bundle.id, params.resource_id);
  if (!resource || (resource.exclude && sight !== 'all')) return failure(refusal('NOT_FOUND', { what: 'Resource' }));
  return success(fileReply(resource, resource.created_at));
}
