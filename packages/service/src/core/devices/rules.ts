import { type DeviceState, type Refusal, refusal } from '@moorage/api';
import {
  failure,
  isDeviceUuid,
  isUuid,
  parseMac,
  platformPartId,
  type Result,
  success,
  type Transition,
  transition,
} from '@moorage/base';
import { authorisation } from '../access/rules.ts';

export type DeviceTrigger = 'provision' | 'contact' | 'reset' | 'disable' | 'enable';

/** Life of a device at the service. Reference: rules 1.1. A blocked device has no row for contact: it is refused. */
export const deviceTransitions: readonly Transition<'none' | DeviceState, DeviceTrigger>[] = [
  { from: 'none', trigger: 'provision', to: 'enabled' }, // API-STATE-device-none-enabled
  { from: 'enabled', trigger: 'contact', to: 'active' }, // API-STATE-device-enabled-active
  { from: 'active', trigger: 'contact', to: 'active' },
  { from: 'active', trigger: 'reset', to: 'enabled' }, // API-STATE-device-active-enabled
  { from: 'enabled', trigger: 'reset', to: 'enabled' },
  { from: 'enabled', trigger: 'disable', to: 'disabled' }, // API-STATE-device-any-disabled
  { from: 'active', trigger: 'disable', to: 'disabled' },
  { from: 'disabled', trigger: 'enable', to: 'enabled' },
];

/**
 * The state of a device after a request to block it or to let it in: the same as before when there is
 * nothing to do, as for asking twice. Spec: API-STATE-device-any-disabled.
 */
const requestedState = (from: DeviceState, wanted: 'disabled' | 'enabled'): DeviceState => {
  const next = transition(deviceTransitions, from, wanted === 'disabled' ? 'disable' : 'enable');
  return next === undefined || next === 'none' ? from : next;
};

/** Whether a device is blocked, and by whom. */
export interface Block {
  readonly state: DeviceState;
  readonly blocked_by: 'owner' | 'admin' | null;
}

/**
 * What is asked of a device's block, as its record shall hold it. A block by an administrator stays until an
 * administrator lifts it: the owner may be the one who had to be stopped. Refusal: FORBIDDEN.
 */
export function planBlock(
  device: Block,
  wanted: 'disabled' | 'enabled',
  isAdministrator: boolean,
): Result<Block, Refusal> {
  const state = requestedState(device.state, wanted);
  if (state === 'disabled') {
    return success({ state, blocked_by: isAdministrator ? 'admin' : (device.blocked_by ?? 'owner') });
  }
  if (device.blocked_by === 'admin' && !isAdministrator) {
    return failure(refusal('FORBIDDEN', { action: authorisation['device.unblock.any'].doing }));
  }
  return success({ state, blocked_by: null });
}

/** What a device is looked up by. */
export interface DeviceKey {
  readonly by: 'id' | 'uuid' | 'address';
  /** As records hold it: lower case, but addresses as `AA:BB:CC:DD:EE:FF`. */
  readonly value: string;
}

/** Tells by which of its names, as records spell it, a device is looked up; `undefined` when the text is none of them. Spec: API-RULE-ids-1, API-RULE-ids-2. */
export function parseDeviceKey(text: string): DeviceKey | undefined {
  if (isUuid(text)) return { by: 'id', value: text };
  if (isDeviceUuid(text)) return { by: 'uuid', value: text }; // API-RULE-ids-3
  return parseMac(text).ok ? { by: 'address', value: text } : undefined;
}

/** Platform of devices without module hardware, which users provision themselves. Reference: model 1.1. */
export const softwarePlatform = 'SOFT';

interface ProvisionPlatform {
  readonly code: string;
  readonly part_id: string | null;
  readonly product_id: string | null;
}

/** What provisioning decides about a new device. */
export interface ProvisionPlan {
  readonly uuid: string;
  readonly title: string;
  /** The base edition product of the platform. */
  readonly productId: string;
  readonly ownedByCaller: boolean;
}

/**
 * Checks a provisioning. That the uuid and the address are new is the table's to say.
 * Refusals: INVALID_DEVICE_UUID, FORBIDDEN, UUID_OF_ANOTHER_PLATFORM, PLATFORM_WITHOUT_EDITION.
 * Spec: API-RULE-provision-1, API-RULE-provision-2.
 */
export function planProvision(
  request: { readonly uuid: string; readonly mac: string | null; readonly title?: string | undefined },
  platform: ProvisionPlatform,
  isAdministrator: boolean,
): Result<ProvisionPlan, Refusal> {
  if (!isDeviceUuid(request.uuid)) {
    return failure(refusal('INVALID_DEVICE_UUID', {}, { source: 'body', keys: ['uuid'] }));
  }
  const isSoftware = platform.code === softwarePlatform;
  if (!isSoftware && !isAdministrator) {
    return failure(refusal('FORBIDDEN', { action: authorisation['device.provision.hardware'].doing }));
  }
  const { uuid } = request;
  const found = platformPartId(uuid);
  if (platform.part_id !== null && platform.part_id !== found) {
    const blanks = { found, platform: platform.code, partId: platform.part_id };
    return failure(refusal('UUID_OF_ANOTHER_PLATFORM', blanks, { source: 'body', keys: ['uuid'] }));
  }
  if (platform.product_id === null) return failure(refusal('PLATFORM_WITHOUT_EDITION', { platform: platform.code }));
  const title = request.title || defaultTitle({ mac: request.mac, uuid });
  return success({ uuid, title, productId: platform.product_id, ownedByCaller: isSoftware });
}

/** Title of a device that has not been named: the last 6 digits of its address or uuid. Reference: records 1.1. */
export const defaultTitle = ({ mac, uuid }: { readonly mac: string | null; readonly uuid: string }): string =>
  (mac ?? uuid).replaceAll(':', '').slice(-6);

/** A device and the product it is activated to, as claim, activation and reset see them. */
export interface DeviceStanding {
  readonly state: DeviceState;
  readonly platform_id: string;
  readonly platform: string;
  readonly user_id: string | null;
  readonly product_id: string;
  readonly product: string;
  readonly production: 0 | 1;
  readonly claimable: 0 | 1;
  /** The base edition of its platform. */
  readonly base_product_id: string | null;
}

/** The product that a device shall be activated to, and whether the owner of the device has access to it. */
export interface ActivationTarget {
  readonly id: string;
  readonly product: string;
  readonly platform_id: string;
  readonly publication: 'preview' | 'published' | 'archive';
  readonly accessible: boolean;
}

/**
 * Whether a device may be activated to a product; `undefined` when it may. To the product it is activated to already
 * it always may, and nothing changes. To leave is always the owner's: neither a lock nor production keeps a device
 * from the base edition of its platform, and on that nothing locks it. Refusals, in the order of the checks: NOT_FOUND, PRODUCTION_DEVICE,
 * DEVICE_LOCKED, DEVICE_DISABLED, PLATFORM_MISMATCH, PRODUCT_ARCHIVED.
 */
export function refuseActivation(device: DeviceStanding, target: ActivationTarget): Refusal | undefined {
  const leaves = target.id === device.base_product_id;
  if (!target.accessible && !leaves) return refusal('NOT_FOUND', { what: 'Product' }); // API-RULE-activate-3
  if (device.product_id === target.id) return undefined;
  // API-RULE-production-1
  if (device.production && !leaves) return refusal('PRODUCTION_DEVICE', { product: device.product });
  const isHeld = !device.claimable && device.product_id !== device.base_product_id;
  if (isHeld && !leaves) return refusal('DEVICE_LOCKED', { product: device.product }); // API-RULE-activate-2
  if (device.state === 'disabled') return refusal('DEVICE_DISABLED');
  if (device.platform_id !== target.platform_id) {
    // API-RULE-activate-1
    return refusal('PLATFORM_MISMATCH', { what: `Product "${target.product}"`, platform: device.platform });
  }
  if (target.publication === 'archive' && !leaves) return refusal('PRODUCT_ARCHIVED', { product: target.product });
  return undefined;
}

/**
 * Whether a user may claim a device; `undefined` when they may. Claiming what one owns already changes nothing, but is
 * allowed. Refusals: DEVICE_OF_ANOTHER_USER, DEVICE_LOCKED. Spec: API-RULE-claim-1.
 */
export function refuseClaim(device: DeviceStanding, userId: string): Refusal | undefined {
  if (device.user_id !== null && device.user_id !== userId) return refusal('DEVICE_OF_ANOTHER_USER');
  if (!device.claimable) return refusal('DEVICE_LOCKED', { product: device.product });
  return undefined;
}

/** What is known of an activation token that a device has shown. */
export interface ShownToken {
  readonly product_id: string;
  readonly uses_left: number;
}

/**
 * Whether a device may be claimed and activated with a token of `target`; `undefined` when it may. A token used up by
 * this very device is no refusal: the reply to its first claim may have been lost. Spec: API-RULE-claim-2.
 *
 * @param ownerId the owner of the product, who will own the device
 */
export function refuseTokenClaim(
  device: DeviceStanding,
  target: ActivationTarget,
  token: ShownToken,
  ownerId: string,
): Refusal | undefined {
  if (token.product_id !== target.id) return refusal('WRONG_ACTIVATION_TOKEN');
  if (device.product_id === target.id && device.user_id === ownerId) return undefined;
  if (token.uses_left < 1) return refusal('WRONG_ACTIVATION_TOKEN');
  if (device.user_id !== null && device.user_id !== ownerId) return refusal('DEVICE_OF_ANOTHER_USER');
  return (
    refuseActivation(device, target) ??
    (device.claimable ? undefined : refusal('DEVICE_LOCKED', { product: device.product }))
  );
}

/**
 * Whether a device may be reset; `undefined` when it may. Who may ask is not decided here.
 * Refusals: DEVICE_LOCKED, DEVICE_DISABLED. Spec: API-RULE-reset-1.
 */
export function refuseReset(device: DeviceStanding): Refusal | undefined {
  if (!device.claimable) return refusal('DEVICE_LOCKED', { product: device.product });
  if (device.state === 'disabled') return refusal('DEVICE_DISABLED');
  return undefined;
}

/**
 * Whether a device may be deleted; `undefined` when it may. Who may ask is not decided here. An owner can neither shake
 * off a block or a lock by deleting the device and provisioning it anew, nor delete hardware, which would not come back.
 * Refusals: HARDWARE_DEVICE, DEVICE_LOCKED, DEVICE_DISABLED. Spec: API-RULE-delete-1.
 */
export function refuseDelete(
  device: DeviceStanding & Pick<Block, 'blocked_by'>,
  isAdministrator: boolean,
): Refusal | undefined {
  if (isAdministrator) return undefined;
  if (device.platform !== softwarePlatform) return refusal('HARDWARE_DEVICE');
  if (!device.claimable) return refusal('DEVICE_LOCKED', { product: device.product });
  return device.blocked_by === 'admin' ? refusal('DEVICE_DISABLED') : undefined;
}

/** Where a device is: degrees, and names for people, empty when unknown. Reference: records 1.1. */
export interface Location {
  readonly lat: number;
  readonly lon: number;
  readonly city: string;
  readonly country: string;
}

/** A location as records hold it: millionths of a degree, about a tenth of a metre. */
export interface LocationColumns {
  readonly lat_e6: number | null;
  readonly lon_e6: number | null;
  readonly city: string | null;
  readonly country: string | null;
}

const perDegree = 1_000_000;

/** The location of a record; `null` when none is known. Spec: API-RULE-location-1. */
export const degreesOf = ({ lat_e6, lon_e6, city, country }: LocationColumns): Location | null =>
  lat_e6 === null || lon_e6 === null
    ? null
    : { lat: lat_e6 / perDegree, lon: lon_e6 / perDegree, city: city ?? '', country: country ?? '' };

/** A location as a record shall hold it; `null` forgets it. */
export const locationColumns = (
  location: { lat: number; lon: number; city?: string | undefined; country?: string | undefined } | null,
): LocationColumns =>
  location === null
    ? { lat_e6: null, lon_e6: null, city: null, country: null }
    : {
        lat_e6: Math.round(location.lat * perDegree),
        lon_e6: Math.round(location.lon * perDegree),
        city: location.city ?? '',
        country: location.country ?? '',
      };

/** Whether two records say the same place, names and all. */
export const sameLocation = (one: LocationColumns, other: LocationColumns): boolean =>
  one.lat_e6 === other.lat_e6 &&
  one.lon_e6 === other.lon_e6 &&
  one.city === other.city &&
  one.country === other.country;

/** The four-part version in what a device reports, when that is a bundle of its product: `CODE-1.2.3.4, …`; firmware is none. */
export function bundleVersion(bversion: string | null, product: string): string | null {
  const head = `${product}-`;
  if (!bversion?.startsWith(head)) return null;
  return /^\d+(?:\.\d+){3}(?=,)/.exec(bversion.slice(head.length))?.[0] ?? null;
}
