import {
  type DeviceInfo,
  type deviceRoutesContract,
  type Refusal,
  refusal,
  renewalHeaders,
  resultOk,
} from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { topics } from '../../engine/bus/topics.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { Db } from '../../engine/db/storage.ts';
import { type Call, type DeviceCaller, type Handlers, handlers } from '../../engine/http/types.ts';
import { hashSecret } from '../../engine/secrets.ts';
import { refuseQuota } from '../access/quotas.ts';
import { activate, moveTo, productChoices } from './activation.ts';
import { acknowledgementOf, issueCertificate, renewCertificate } from './certificates.ts';
import type { DeviceDeps } from './deps.ts';
import { findActivationToken, findPerson, findTargetsByCode } from './product-queries.ts';
import {
  changeDevice,
  type DetailedDevice,
  findByProvisionToken,
  findDevice,
  lockDevice,
  retireCertificate,
} from './queries.ts';
import { refuseClaim, refuseTokenClaim } from './rules.ts';

type Contract = typeof deviceRoutesContract;

const gone = () => failure(refusal('NOT_FOUND', { what: 'Device' }));

const subjectOf = ({ clock }: Pick<DeviceDeps, 'clock'>, device: DetailedDevice, ip: string) => ({
  atMs: clock.now(),
  deviceId: device.id,
  productId: device.product_id,
  userId: device.user_id,
  ip,
});

type Work<T> = (trx: Db, device: DetailedDevice) => Promise<Result<T, Refusal>>;

/** Works on the calling device in one transaction, in which it is locked. */
const withDevice = <T>(
  { storage }: DeviceDeps,
  { deviceId }: DeviceCaller,
  work: Work<T>,
): Promise<Result<T, Refusal>> =>
  storage.transaction(async (trx) => {
    const device = await lockDevice(trx, storage.expressions, deviceId);
    return device ? work(trx, device) : gone();
  });

const headerText = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** Exchanges a provisioning token for a certificate. Spec: API-DEV-POST-provision. */
async function provision(
  deps: DeviceDeps,
  request: { readonly token?: string | undefined; readonly uuid?: string | undefined },
  ip: string,
) {
  const hash = request.token === undefined ? undefined : hashSecret(request.token);
  const found = hash === undefined ? undefined : await findByProvisionToken(deps.storage.db, hash);
  const isOther = request.uuid !== undefined && request.uuid !== found?.uuid;
  if (!found || isOther) return failure(refusal('WRONG_PROVISIONING_TOKEN'));
  const subject = { atMs: deps.clock.now(), deviceId: found.id, productId: found.product_id, ip };
  const issued = await issueCertificate(deps, found, subject, hash);
  if (!issued.ok) return issued;
  const { certificate, key, ca } = issued.value;
  return success({ uuid: found.uuid, certificate, key, ca });
}

interface Claimed {
  readonly result: 'ok';
  readonly product: string;
  readonly user: string | null;
}

/** Claims a device for the account of a user. Spec: API-RULE-claim-1. */
export async function claimByAccount(
  deps: DeviceDeps,
  caller: DeviceCaller,
  login: { readonly username: string; readonly password: string },
  ip: string,
): Promise<Result<Claimed, Refusal>> {
  const account = await deps.checkLogin({ ...login, ip });
  if (!account.ok) return account;
  const { id, username } = account.value;
  return withDevice(deps, caller, async (trx, device) => {
    const refused = refuseClaim(device, id);
    if (refused) return failure(refused);
    const full = device.user_id === id ? undefined : await ownBy(deps, trx, device, { id, username }, ip);
    if (full) return failure(full);
    return success({ result: 'ok', product: device.product, user: username });
  });
}

/** Makes a device that of a user, unless they have as many as they may. */
async function ownBy(
  deps: DeviceDeps,
  trx: Db,
  device: DetailedDevice,
  { id, username }: { readonly id: string; readonly username: string },
  ip: string,
): Promise<Refusal | undefined> {
  const full = await refuseQuota(deps.settings, trx, id, 'devices');
  if (full) return full;
  await changeDevice(trx, device.id, { user_id: id, claimed_at: deps.clock.now(), vendor_files: 0 });
  const subject = { ...subjectOf(deps, device, ip), userId: id };
  await writeLog(trx, {
    ...subject,
    type: 'device.claim',
    message: `Device claimed for "${username}"`,
    data: { user: username },
  });
  return undefined;
}

/** Claims a device for the owner of a product and activates it to that product. Spec: API-RULE-claim-2. */
const claimByToken = (
  deps: DeviceDeps,
  caller: DeviceCaller,
  shown: { readonly product: string; readonly token: string },
  ip: string,
): Promise<Result<Claimed, Refusal>> =>
  withDevice(deps, caller, async (trx, device) => {
    const candidates = await findTargetsByCode(trx, shown.product);
    if (candidates.length === 0) return failure(refusal('NOT_FOUND', { what: 'Product' }));
    const token = await findActivationToken(trx, hashSecret(shown.token));
    // A short code that several products have means the one that the token is of.
    const target = candidates.find(({ id }) => id === token?.product_id);
    if (!token || !target) return failure(refusal('WRONG_ACTIVATION_TOKEN'));
    const owner = await findPerson(trx, target.user_id ?? token.user_id);
    if (!owner) return failure(refusal('WRONG_ACTIVATION_TOKEN'));
    const refused = refuseTokenClaim(device, { ...target, accessible: true }, token, owner.userId);
    if (refused) return failure(refused);
    const claimed = success({ result: 'ok', product: target.product, user: owner.username } as const);
    if (device.product_id === target.id && device.user_id === owner.userId) return claimed;
    if (!(await deps.spendActivationToken(trx, token.id))) return failure(refusal('WRONG_ACTIVATION_TOKEN'));
    const owning = { id: owner.userId, username: owner.username };
    const full = device.user_id === owner.userId ? undefined : await ownBy(deps, trx, device, owning, ip);
    if (full) return failure(full);
    const subject = { ...subjectOf(deps, device, ip), userId: owner.userId };
    await writeLog(trx, {
      ...subject,
      type: 'activation_token.use',
      productId: target.id,
      message: 'Activation token used',
    });
    if (device.product_id !== target.id) await moveTo(deps, trx, device, target, subject);
    return claimed;
  });

/** After a call that may have moved the device: notices to the devices of its new product go to it as well. */
async function thenMoved<T>(
  { storage }: DeviceDeps,
  { deviceId, row }: DeviceCaller,
  done: Promise<Result<T, Refusal>>,
): Promise<Result<T, Refusal>> {
  const result = await done;
  const productId = result.ok ? (await storage.hot.deviceById(deviceId))?.product_id : undefined;
  if (productId !== undefined && productId !== row.product_id)
    storage.bus.publish(topics.deviceMoved, { deviceId, productId });
  return result;
}

/** Activates the calling device to a product of its owner. Spec: API-DEV-POST-activate. */
const activateSelf = (deps: DeviceDeps, caller: DeviceCaller, code: string, ip: string) =>
  withDevice(deps, caller, async (trx, device) => {
    const owner = device.user_id === null ? undefined : await findPerson(trx, device.user_id);
    if (!owner) return failure(refusal('DEVICE_UNCLAIMED'));
    const refused = await activate(deps, trx, device, { code }, owner, subjectOf(deps, device, ip));
    if (refused) return failure(refused);
    const now = await findDevice(trx, { by: 'id', value: device.id });
    if (!now) return gone();
    const bundle = await deps.bundleOnOffer(trx, now);
    return success({ result: 'ok' as const, product: now.product, bundle });
  });

/** Notes that a device has stored its certificate; the token has done its work, and so has the certificate before it. */
async function acknowledge(deps: DeviceDeps, caller: DeviceCaller, known: readonly string[], ip: string) {
  const done = await withDevice(deps, caller, async (trx, device) => {
    const found = acknowledgementOf(device, caller.certificate, known, deps.settings.deviceInsecure);
    if (!found) return success(undefined);
    await changeDevice(trx, device.id, found.change);
    const subject = subjectOf(deps, device, ip);
    if (found.retired !== null) await retireCertificate(trx, device.id, found.retired, subject.atMs);
    await writeLog(trx, { ...subject, type: 'device.certificate', message: found.message });
    return success(found.change.certificate_fingerprint);
  });
  if (!done.ok) return done;
  if (done.value) {
    const { deviceId, uuid } = caller;
    deps.storage.bus.publish(topics.deviceRenewed, { deviceId, uuid, certificate: done.value });
  }
  return success(resultOk);
}

/** Issues the calling device a new certificate. */
async function renew(deps: DeviceDeps, caller: DeviceCaller, ip: string) {
  const { row, certificate: shown } = caller;
  const subject = { atMs: deps.clock.now(), deviceId: row.id, productId: row.product_id, userId: row.user_id, ip };
  const issued = await renewCertificate(deps, row, shown, subject);
  if (!issued.ok) return issued;
  const { certificate, key, ca } = issued.value;
  return success({ uuid: row.uuid, certificate, key, ca });
}

const infoOf = (device: DetailedDevice): DeviceInfo => ({
  id: device.id,
  uuid: device.uuid,
  title: device.title,
  platform: device.platform,
  product: device.product,
  tag: device.tag,
  bundle_id: device.to_bundle_id,
  state: device.state,
  claimable: device.claimable === 1,
});

/** API-DEV-GET-products */
async function products(deps: DeviceDeps, { caller }: Call<Contract['products']>) {
  const device = await findDevice(deps.storage.db, { by: 'id', value: caller.deviceId });
  if (!device) return gone();
  const choices = await productChoices(deps.storage.db, device, undefined);
  return success(choices.map(({ product_id, ...choice }) => choice));
}

/** API-DEV-GET-info */
async function info(deps: DeviceDeps, { caller }: Call<Contract['info']>) {
  const device = await findDevice(deps.storage.db, { by: 'id', value: caller.deviceId });
  return device ? success(infoOf(device)) : gone();
}

/** Identity and account of a device, as it asks itself. */
export const accountDeviceRoutes = (deps: DeviceDeps): Handlers<Contract> => ({
  ...handlers(deps, { products, info }),
  provision: ({ body, headers, ip }) =>
    provision(deps, { token: headerText(headers['x-device-token']) ?? body.token, uuid: body.uuid }, ip),
  acknowledge: ({ caller, headers, ip }) =>
    acknowledge(deps, caller, headerText(headers[renewalHeaders.known])?.split(',') ?? [], ip),
  // API-DEV-POST-certificate
  renew: ({ caller, ip }) => renew(deps, caller, ip),
  claim: ({ caller, body, ip }) =>
    body.username !== undefined
      ? claimByAccount(deps, caller, body, ip)
      : thenMoved(deps, caller, claimByToken(deps, caller, body, ip)),
  activate: ({ caller, body, ip }) => thenMoved(deps, caller, activateSelf(deps, caller, body.product, ip)),
});
