import { randomUUID } from 'node:crypto';
import {
  type FirmwareRecord,
  type FlavorRecord,
  type PlatformDetail,
  type platformsContract,
  type Refusal,
  refusal,
  refusalOfAll,
} from '@moorage/api';
import { failure, formatVersion, type Result, success, versionSortKey } from '@moorage/base';
import type { BlobInfo } from '../../engine/blobs/blob-store.ts';
import { recordBlob } from '../../engine/db/blob-records.ts';
import { transactionOverConflicts } from '../../engine/db/conflicts.ts';
import { byCaller, writeLog } from '../../engine/db/logs.ts';
import { noteMade } from '../../engine/db/observer.ts';
import { paging } from '../../engine/db/paging.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { nameOwner } from '../access/names.ts';
import { authorise, generalRoles, viewerFor } from '../access/rules.ts';
import type { Viewer } from '../access/viewer.ts';
import { type ReadUpload, readUpload } from '../files/uploads.ts';
import { readVersion } from '../files/versions.ts';
import { editions } from '../products/editions.ts';
import { editionCodes } from '../products/rules.ts';
import { accessRoutes } from './access.ts';
import {
  type FirmwareFileRow,
  type FlavorRow,
  filesOfFirmwares,
  firmwaresOfPlatform,
  firmwareTaken,
  flavorByCode,
  flavorById,
  flavorsOfPlatforms,
  hasFlavor,
  insertFirmware,
  insertFlavor,
  insertPlatform,
  linkFlavor,
  listPlatforms,
  openPlatform,
  type PlatformRow,
  platformById,
  platformTaken,
  setBaseEdition,
} from './queries.ts';
import { firmwareRecord, flavorRecord, platformDetail, platformRecord } from './records.ts';

type Contract = typeof platformsContract;

/** Largest file of a firmware, in bytes; the limit of a JSON body is met first. */
const firmwareFileLimitBytes = 16 * 1024 * 1024;

const refuseWriting = (caller: Caller): Refusal | undefined =>
  authorise('platform.write', generalRoles(caller), 'Platform');
const noPlatform = () => failure(refusal('NOT_FOUND', { what: 'Platform' }));

async function detailOf(db: Db, viewer: Viewer, platform: PlatformRow): Promise<PlatformDetail> {
  const flavors = await flavorsOfPlatforms(db, viewer, [platform.id]);
  const firmwares = await firmwaresOfPlatform(db, viewer, platform.id);
  return platformDetail(platform, flavors, firmwares, await filesOfFirmwares(db, platform.id));
}

/** API-EP-GET-platforms */
async function list({ storage }: Deps, { query, caller }: Call<Contract['list']>) {
  const viewer = viewerFor('platform.access', caller);
  const { items, total } = await listPlatforms(storage, viewer, query.q, paging(query, '-created_at'));
  const flavors = await flavorsOfPlatforms(
    storage.db,
    viewer,
    items.map(({ id }) => id),
  );
  const flavorsOf = (id: string) => flavors.filter(({ platform_id }) => platform_id === id);
  return success({ items: items.map((row) => platformRecord(row, flavorsOf(row.id))), total });
}

/** API-EP-GET-platforms-platform_id */
async function get({ storage }: Deps, { params, caller }: Call<Contract['get']>) {
  const viewer = viewerFor('platform.access', caller);
  const platform = await openPlatform(storage.db, viewer, params.platform_id);
  return platform ? success(await detailOf(storage.db, viewer, platform)) : noPlatform();
}

/** API-EP-POST-platforms */
async function create({ storage, clock }: Deps, call: Call<Contract['create']>) {
  const denied = refuseWriting(call.caller);
  if (denied) return failure(denied);
  const { body } = call;
  const row: PlatformRow = {
    id: randomUUID(),
    code: body.code,
    title: body.title,
    description: body.description ?? '',
    part_id: body.part_id ?? null,
    manufacturer: body.manufacturer ?? null,
    avatar_id: null,
    product_id: null,
    restricted: 0,
    created_at: clock.now(),
  };
  return transactionOverConflicts(storage, async (trx): Promise<Result<PlatformDetail, Refusal>> => {
    const taken = await platformTaken(trx, row.code, row.part_id);
    if (taken?.code === row.code) return failure(refusal('DUPLICATE', { what: 'Platform', value: row.code }));
    if (taken) return failure(refusal('DUPLICATE', { what: 'Part id', value: row.part_id ?? '' }));
    if (row.manufacturer !== null) {
      const owner = await nameOwner(trx, row.manufacturer);
      const isOwn = row.manufacturer.toLowerCase() === call.caller.username;
      if (owner !== undefined && owner !== 'manufacturer' && !isOwn)
        return failure(refusal('DUPLICATE', { what: 'Name', value: row.manufacturer }));
    }
    await insertPlatform(trx, row);
    noteMade(row.id);
    const message = `Platform ${row.code} added`;
    await writeLog(trx, {
      ...byCaller(call, row.created_at),
      type: 'platform.create',
      message,
      data: { platform_id: row.id },
    });
    return success(platformDetail(row, [], [], []));
  });
}

const newFlavor = (body: Call<Contract['addFlavor']>['body'], atMs: number): FlavorRow => ({
  id: randomUUID(),
  code: body.code,
  title: body.title ?? body.code,
  description: body.description ?? '',
  sdk: body.sdk ? 1 : 0,
  restricted: 0,
  created_at: atMs,
});

/** API-EP-POST-platforms-platform_id-flavors */
async function addFlavor({ storage, clock }: Deps, call: Call<Contract['addFlavor']>) {
  const denied = refuseWriting(call.caller);
  if (denied) return failure(denied);
  const atMs = clock.now();
  const fresh = newFlavor(call.body, atMs);
  return transactionOverConflicts(storage, async (trx): Promise<Result<FlavorRecord, Refusal>> => {
    const platform = await platformById(trx, call.params.platform_id);
    if (!platform) return noPlatform();
    const known = await flavorByCode(trx, fresh.code);
    if (known && (await hasFlavor(trx, platform.id, known.id))) {
      return failure(refusal('DUPLICATE', { what: 'Flavor', value: known.code }));
    }
    const flavor = known ?? fresh;
    const codes = editionCodes(platform, flavor.code, call.caller.username);
    const isBase = platform.product_id === null;
    if (isBase && (await editions.taken(trx, codes.product))) {
      return failure(refusal('DUPLICATE', { what: 'Product', value: codes.product }));
    }
    if (!known) await insertFlavor(trx, fresh);
    await linkFlavor(trx, platform.id, flavor.id);
    noteMade(flavor.id);
    const message = `Flavor ${flavor.code} added to platform ${platform.code}`;
    const data = { platform_id: platform.id, flavor_id: flavor.id };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'platform.update', message, data });
    if (isBase) {
      const title = `${platform.title} ${flavor.title}`;
      const ids = { platformId: platform.id, flavorId: flavor.id, userId: call.caller.userId };
      await setBaseEdition(trx, platform.id, await editions.add(trx, { ...codes, ...ids, title, atMs }));
    }
    return success(flavorRecord(flavor));
  });
}

/** Reads the files of a firmware, or names every field that is not right. */
function readFiles(files: Call<Contract['addFirmware']>['body']['files']): Result<ReadUpload[], Refusal> {
  const all = files.map((upload, index) => readUpload(upload, upload.filename, `files.${index}.`));
  const wrong = refusalOfAll(all.map((file) => (file.ok ? undefined : file.error)));
  if (wrong) return failure(wrong);
  const names = files.map(({ filename }) => filename);
  const twice = names.find((filename, index) => names.indexOf(filename) !== index);
  if (twice !== undefined) return failure(refusal('DUPLICATE', { what: 'File', value: twice }));
  return success(all.flatMap((file) => (file.ok ? [file.value] : [])));
}

/** Stores the bytes of files; the rows that will point at them come back. */
async function storeFiles({ blobs }: Deps, files: readonly ReadUpload[], firmwareId: string, atMs: number) {
  const stored: { readonly blob: BlobInfo; readonly row: FirmwareFileRow }[] = [];
  for (const { bytes, ...file } of files) {
    const blob = await blobs.put(bytes, firmwareFileLimitBytes);
    if (!blob) throw new Error(`File "${file.filename}" passed the limit of JSON bodies and not that of files`);
    const content = { sha256: blob.sha256, size: blob.size, crc: blob.crc };
    stored.push({ blob, row: { ...file, ...content, id: randomUUID(), firmware_id: firmwareId, created_at: atMs } });
  }
  return stored;
}

/** Why a firmware cannot be added, or the platform it is for. */
async function platformOfFirmware(
  db: Db,
  wanted: { platform_id: string; flavor_id: string; label: string; version: string },
): Promise<Result<PlatformRow, Refusal>> {
  const platform = await platformById(db, wanted.platform_id);
  if (!platform) return noPlatform();
  const flavor = await flavorById(db, wanted.flavor_id);
  if (!flavor) return failure(refusal('NOT_FOUND', { what: 'Flavor' }));
  if (!(await hasFlavor(db, platform.id, flavor.id))) {
    return failure(refusal('PLATFORM_MISMATCH', { what: `Flavor "${flavor.code}"`, platform: platform.code }));
  }
  if (await firmwareTaken(db, wanted)) {
    return failure(refusal('DUPLICATE', { what: 'Firmware', value: `${wanted.label}-${wanted.version}` }));
  }
  return success(platform);
}

/** API-EP-POST-platforms-platform_id-firmwares */
async function addFirmware(deps: Deps, call: Call<Contract['addFirmware']>) {
  const denied = refuseWriting(call.caller);
  if (denied) return failure(denied);
  const { body } = call;
  const version = readVersion(body.version);
  const files = readFiles(body.files);
  if (!version.ok) return failure((files.ok ? undefined : refusalOfAll([version.error, files.error])) ?? version.error);
  if (!files.ok) return files;
  const atMs = deps.clock.now();
  const row = {
    id: randomUUID(),
    platform_id: call.params.platform_id,
    flavor_id: body.flavor_id,
    label: body.label,
    version: formatVersion(version.value),
    version_key: versionSortKey(version.value),
    created_at: atMs,
  };
  // Asked before the bytes are stored, so that a refused upload leaves nothing behind, and again with the record.
  const early = await platformOfFirmware(deps.storage.db, row);
  if (!early.ok) return early;
  const stored = await storeFiles(deps, files.value, row.id, atMs);
  const rows = stored.map((file) => file.row);
  return transactionOverConflicts(deps.storage, async (trx): Promise<Result<FirmwareRecord, Refusal>> => {
    const platform = await platformOfFirmware(trx, row);
    if (!platform.ok) return platform;
    for (const { blob } of stored) await recordBlob(trx, blob, atMs, call.caller.userId);
    await insertFirmware(trx, row, rows);
    noteMade(row.id);
    const message = `Firmware ${row.label}-${row.version} added to platform ${platform.value.code}`;
    const data = { platform_id: row.platform_id, firmware_id: row.id };
    await writeLog(trx, { ...byCaller(call, atMs), type: 'firmware.create', message, data });
    return success(firmwareRecord(row, rows));
  });
}

/** Platforms, their flavors and firmware. Spec: API-EP-GET-platforms and the calls beside it. */
export const platformsRoutes = (deps: Deps): Handlers<Contract> => ({
  ...handlers(deps, { list, get, create, addFlavor, addFirmware }),
  ...accessRoutes(deps),
});
