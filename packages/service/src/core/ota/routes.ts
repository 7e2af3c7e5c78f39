import {
  type BridgeFile,
  type deviceUpdatesContract,
  type otaRoutesContract,
  type Refusal,
  type ReportedAttributes,
  refusal,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Db } from '../../engine/db/storage.ts';
import { calledAddress } from '../../engine/http/called-address.ts';
import { type Call, type Caller, type Deps, type FileReply, type Handlers, handlers } from '../../engine/http/types.ts';
import type { Action } from '../access/rules.ts';
import { locationColumns } from '../devices/rules.ts';
import { fileReply } from '../files/replies.ts';
import type { OtaEngine, OtaResponse } from './engine.ts';
import { filesOfBundle, listUpdates, toUpdateRecord } from './queries.ts';
import { type BundleFile, downloadPercent, filesMissing, filesOfUpdate, manifestFile, totalSize } from './rules.ts';
import type { Requester } from './steps.ts';

/** Bundles whose file lists are remembered. */
const rememberedBundles = 200;

/**
 * The files of updates by bundle. What has been on offer was published, and the files of a published bundle and of its
 * firmware never change, so a remembered list is never stale.
 */
export function updateFiles(): (db: Db, bundleId: string) => Promise<readonly BundleFile[]> {
  const known = new Map<string, readonly BundleFile[]>();
  return async (db, bundleId) => {
    const files = known.get(bundleId) ?? filesOfUpdate(await filesOfBundle(db, bundleId));
    known.delete(bundleId);
    known.set(bundleId, files);
    const oldest = known.size > rememberedBundles ? known.keys().next() : undefined;
    if (oldest && !oldest.done) known.delete(oldest.value);
    return files;
  };
}

export interface OtaDeps extends Deps {
  readonly engine: OtaEngine;
  /** Keeps what a device reports of itself; resolves when it is durable. */
  keepAttributes(deviceId: string, reported: ReportedAttributes, atMs: number): Promise<void>;
  readonly filesOf: ReturnType<typeof updateFiles>;
  /** The device of a path, if the caller may do this to it. Refusals: NOT_FOUND, FORBIDDEN. */
  deviceFor(caller: Caller, action: Action, name: string): Promise<Result<DeviceRow, Refusal>>;
}

/** Records that a download has begun. Without room for that the device gets its bytes all the same, and what it gets next is recorded. */
async function noteStart({ engine, health }: OtaDeps, device: DeviceRow, updateId: number): Promise<void> {
  try {
    await engine.fetching(device, updateId);
  } catch (error) {
    if (health.troubleOf(error)?.kind !== 'full') throw error;
  }
}

/** A file of the bundle that the device has on offer, or had last. Spec: API-DEV-GET-ota-bundle_id-name. */
export async function openFile(
  deps: OtaDeps,
  device: DeviceRow,
  bundleId: string,
  name: string,
): Promise<Result<FileReply, Refusal>> {
  const { engine, filesOf, storage } = deps;
  const update = await engine.current(storage.db, device);
  if (update?.to_bundle_id !== bundleId) return failure(refusal('NOT_FOUND', { what: 'Bundle for this device' }));
  const files = await filesOf(storage.db, bundleId);
  const at = files.findIndex(({ filename }) => filename === name);
  const file = files[at];
  if (!file) return failure(refusal('NOT_FOUND', { what: 'File' }));
  const percentOf = downloadPercent(files, at);
  let percent: number | undefined;
  return success({
    ...fileReply(file, file.created_at),
    onProgress(sentTo: number): void {
      const next = percentOf(sentTo);
      if (next !== percent) engine.progress(device.id, update.id, next);
      percent = next;
    },
    ...(update.state === 'offered' && { onStart: () => noteStart(deps, device, update.id) }),
  });
}

const none = ({ bundle: { id, bversion } }: OtaResponse) => ({ result: 'none' as const, bundle_id: id, bversion });

const nextPoll = ({ nextPollS }: OtaResponse) => (nextPollS === undefined ? {} : { next_poll_s: nextPollS });

const installHint = ({ install }: OtaResponse) =>
  install ? { install: { force: install.force, wait_s: Math.ceil(install.waitMs / 1000) } } : {};

const offerOf = ({ bundle }: OtaResponse, files: readonly BundleFile[]) => ({
  result: 'update' as const,
  bundle_id: bundle.id,
  version: bundle.version,
  bversion: bundle.bversion,
  tag: bundle.tag,
  total_size: totalSize(files),
});

const bySelf = (ip: string): Requester => ({ cause: 'device', userId: null, client: null, ip });

const byPerson = ({ userId, client }: Caller, ip: string): Requester => ({ cause: 'bridge', userId, client, ip });

async function queryBySelf(deps: OtaDeps, { caller, body, headers, ip }: Call<(typeof otaRoutesContract)['query']>) {
  if (body.attributes) await deps.keepAttributes(caller.deviceId, body.attributes, deps.clock.now());
  const request = { ...body, location: body.location && locationColumns(body.location) };
  const response = await deps.engine.request(caller.row, request, bySelf(ip));
  if (!response.ok) return response;
  if (response.value.kind === 'none') return success({ ...none(response.value), ...nextPoll(response.value) });
  const address = calledAddress(headers, deps.settings);
  if (!address.ok) return address;
  const all = await deps.filesOf(deps.storage.db, response.value.bundle.id);
  const files = filesMissing(all, body.files ?? []);
  const path = `${address.value}/ota/${response.value.bundle.id}/%s`;
  const hints = { ...installHint(response.value), ...nextPoll(response.value) };
  return success({ ...offerOf(response.value, files), path, files: files.map(manifestFile), ...hints });
}

async function reportBySelf(deps: OtaDeps, { caller, body, ip }: Call<(typeof otaRoutesContract)['report']>) {
  const reported = await deps.engine.report(caller.row, body, bySelf(ip));
  return reported.ok ? success(resultOk) : reported;
}

/** Updates as devices ask for them themselves. Spec: API-DEV-POST-ota and the following. */
export const otaDeviceRoutes = (deps: OtaDeps): Handlers<typeof otaRoutesContract> => ({
  ...handlers(deps, { query: queryBySelf, report: reportBySelf }),
  file: ({ caller, params }) => openFile(deps, caller.row, params.bundle_id, params.name),
});

/** Where a bridging host gets a file: resources from their bundle, files of the firmware from the device. */
const bridgeFile = (deviceId: string, bundleId: string, file: BundleFile): BridgeFile => {
  const manifest = manifestFile(file);
  const url =
    file.source === 'resource'
      ? `/api/bundles/${bundleId}/resources/${file.id}/binary`
      : `/api/devices/${deviceId}/ota/${bundleId}/${manifest.remote}`;
  return { ...manifest, url };
};

/** API-EP-POST-devices-device_id-ota */
async function queryByBridge(
  deps: OtaDeps,
  { caller, params, body, ip }: Call<(typeof deviceUpdatesContract)['query']>,
) {
  const device = await deps.deviceFor(caller, 'device.ota', params.device_id);
  if (!device.ok) return device;
  const { bid, bundle_id } = body;
  const response = await deps.engine.request(device.value, { bid, bundle_id }, byPerson(caller, ip));
  if (!response.ok) return response;
  if (response.value.kind === 'none') return success(none(response.value));
  const { id } = response.value.bundle;
  const files = await deps.filesOf(deps.storage.db, id);
  const path = `/api/devices/${device.value.id}/ota/${id}/%s`;
  const manifest = files.map((file) => bridgeFile(device.value.id, id, file));
  return success({ ...offerOf(response.value, files), path, files: manifest });
}

/** API-EP-POST-devices-device_id-ota-result */
async function reportByBridge(
  deps: OtaDeps,
  { caller, params, body, ip }: Call<(typeof deviceUpdatesContract)['report']>,
) {
  const device = await deps.deviceFor(caller, 'device.ota', params.device_id);
  if (!device.ok) return device;
  const reported = await deps.engine.reportBridged(device.value, body.bundle_id, byPerson(caller, ip));
  return reported.ok ? success(resultOk) : reported;
}

async function file(deps: OtaDeps, { caller, params }: Call<(typeof deviceUpdatesContract)['file']>) {
  const device = await deps.deviceFor(caller, 'device.ota', params.device_id);
  return device.ok ? openFile(deps, device.value, params.bundle_id, params.name) : device;
}

async function list(deps: OtaDeps, { caller, params, query }: Call<(typeof deviceUpdatesContract)['list']>) {
  const device = await deps.deviceFor(caller, 'device.read', params.device_id);
  if (!device.ok) return device;
  const { items, total } = await listUpdates(deps.storage.db, device.value.id, query);
  return success({ items: items.map(toUpdateRecord), total });
}

/** Updates on behalf of BLE devices, and the history of any device. */
export const deviceUpdatesRoutes = (deps: OtaDeps): Handlers<typeof deviceUpdatesContract> =>
  handlers(deps, { query: queryByBridge, report: reportByBridge, file, list });
