import {
  type assetsContract,
  type deviceFilesContract,
  type FileTarget,
  type filesRoutesContract,
  gatewayStreamsPath,
  type Refusal,
  type ServiceAction,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Db } from '../../engine/db/storage.ts';
import type { Caller, Deps, DeviceCaller, Handlers } from '../../engine/http/types.ts';
import { allowedProduct, growingProduct } from '../access/products.ts';
import { type Action, type DeviceTies, isOpenToVendor, refuseDeviceFiles } from '../access/rules.ts';
import { type FindStore, listFiles, readFile, removeFile, writeFile } from './store.ts';

/** A device as the log of its files needs it. */
interface StoredDevice extends Pick<DeviceTies, 'user_id' | 'vendor_files'> {
  readonly id: string;
  readonly product_id: string;
}

/** What is in the log of the product is read by its vendor: names of files are, as far as the files themselves are. */
const subjectOf = (device: StoredDevice) => ({
  deviceId: device.id,
  productId: isOpenToVendor(device) ? device.product_id : null,
});

/** What the stores need of the slices whose things they belong to, handed in by the composition root. */
export interface FileDeps extends Pick<Deps, 'storage' | 'clock' | 'settings'> {
  /** The device of a path, if the caller may do this to it. */
  deviceFor(db: Db, caller: Caller, action: Action, name: string): Promise<Result<StoredDevice, Refusal>>;
  /** Sends an action to a device if it is connected. */
  readonly sendToDevice: (deviceId: string, action: ServiceAction) => void;
}

/** One call, as far as the stores look at it. */
interface UserCall<P> {
  readonly params: P;
  readonly caller: Caller;
  readonly ip: string;
}

const deviceStore =
  (deps: FileDeps, { caller, params, ip }: UserCall<{ readonly device_id: string }>): FindStore =>
  async (db) => {
    const device = await deps.deviceFor(db, caller, 'device.files', params.device_id);
    if (!device.ok) return device;
    return success({
      owner: { deviceId: device.value.id },
      subject: { userId: caller.userId, client: caller.client, ip, ...subjectOf(device.value) },
    });
  };

const assetStore =
  (
    { caller, params, ip }: UserCall<{ readonly product_id: string }>,
    action: Action,
    find: typeof growingProduct = allowedProduct,
  ): FindStore =>
  async (db) => {
    const product = await find(db, params.product_id, caller, action);
    if (!product.ok) return product;
    const productId = product.value.id;
    return success({ owner: { productId }, subject: { userId: caller.userId, client: caller.client, ip, productId } });
  };

type DeviceFileCall = UserCall<{ readonly device_id: string; readonly path: string }>;

/** The gateway of a device hears that a user has changed what it reads. */
async function notifyGateway(deps: FileDeps, { caller, params: { device_id, path } }: DeviceFileCall): Promise<void> {
  if (path !== gatewayStreamsPath) return;
  const device = await deps.deviceFor(deps.storage.db, caller, 'device.files', device_id);
  if (device.ok) deps.sendToDevice(device.value.id, { action: 'file', path });
}

/** Files of devices. Spec: API-RULE-files-1. */
export const deviceFilesRoutes = (deps: FileDeps): Handlers<typeof deviceFilesContract> => ({
  // API-EP-GET-devices-device_id-files
  list: (call) => listFiles(deps, deviceStore(deps, call), call.query),
  // API-EP-GET-devices-device_id-files-path
  get: (call) => readFile(deps, deviceStore(deps, call), call.params.path),
  // API-EP-POST-devices-device_id-files-path
  async upload(call) {
    const written = await writeFile(deps, deviceStore(deps, call), call);
    if (written.ok) await notifyGateway(deps, call);
    return written;
  },
  // API-EP-DELETE-devices-device_id-files-path
  async remove(call) {
    const removed = await removeFile(deps, deviceStore(deps, call), call);
    if (removed.ok) await notifyGateway(deps, call);
    return removed;
  },
});

/** Assets of products. Spec: API-RULE-files-2. */
export const assetsRoutes = (deps: Pick<Deps, 'storage' | 'clock' | 'settings'>): Handlers<typeof assetsContract> => ({
  // API-EP-GET-products-product_id-assets
  list: (call) => listFiles(deps, assetStore(call, 'asset.read'), call.query),
  // API-EP-GET-products-product_id-assets-path
  get: (call) => readFile(deps, assetStore(call, 'asset.read'), call.params.path),
  // API-EP-POST-products-product_id-assets-path
  upload: (call) => writeFile(deps, assetStore(call, 'product.change', growingProduct), call),
  // API-EP-DELETE-products-product_id-assets-path
  remove: (call) => removeFile(deps, assetStore(call, 'product.change'), call),
});

interface DeviceCall {
  readonly params: { readonly target: FileTarget };
  readonly caller: DeviceCaller;
  readonly ip: string;
}

/** The store that a device names, as far as it may use it. Spec: API-RULE-files-5. */
const targetStore =
  ({ params, caller, ip }: DeviceCall, doing: 'read' | 'write'): FindStore =>
  async () => {
    const refused = refuseDeviceFiles(params.target, doing);
    if (refused) return failure(refused);
    const { id: deviceId, product_id: productId, user_id: userId } = caller.row;
    return success({
      owner: params.target === 'device' ? { deviceId } : { productId },
      subject: { userId, ip, ...subjectOf(caller.row) },
    });
  };

/** The same stores, as a device sees them. */
export const filesDeviceRoutes = (
  deps: Pick<Deps, 'storage' | 'clock' | 'settings'>,
): Handlers<typeof filesRoutesContract> => ({
  // API-DEV-GET-files-target
  list: (call) => listFiles(deps, targetStore(call, 'read'), call.query),
  // API-DEV-GET-files-target-path
  get: (call) => readFile(deps, targetStore(call, 'read'), call.params.path),
  // API-DEV-POST-files-target-path
  upload: (call) => writeFile(deps, targetStore(call, 'write'), call),
  // API-DEV-DELETE-files-target-path
  remove: (call) => removeFile(deps, targetStore(call, 'write'), call),
});
