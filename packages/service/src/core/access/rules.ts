import { type CustomerRole, type FileTarget, type Refusal, refusal } from '@moorage/api';
import { defined, failure, type Result, success } from '@moorage/base';

/**
 * What a caller is to the thing in question. Everybody with a token is `anyone`; a `visitor` is anyone where the
 * product is published or an edition, an `onlooker` where it is a published production product; a `deviceOwner` owns
 * the device, or a device that is activated to the product, an `endUser` one that is activated to a production product;
 * a `trustedVendor` owns or manages the product of a device whose owner lets its vendor at the files, or has no owner;
 * an `operator` of a customer runs the devices of its products, and changes no product.
 */
export const roles = [
  'anyone',
  'onlooker',
  'visitor',
  'endUser',
  'deviceOwner',
  'trustedVendor',
  'tester',
  'operator',
  'manager',
  'owner',
  'admin',
] as const;
export type Role = (typeof roles)[number];

interface Row {
  /** Completes "You may not …". */
  readonly doing: string;
  readonly may: readonly Role[];
  /** The action that shows whether the thing is visible at all; without it everybody knows of it. */
  readonly sight?: string;
}

const row = (doing: string, may: readonly Role[], sight?: string): Row => defined({ doing, may, sight });

/** Those who change a product, with those who run its devices, with those who look at it. */
const changing = ['manager', 'owner', 'admin'] as const;
const running = ['operator', ...changing] as const;
const looking = ['tester', ...running] as const;

/** Who may do what: the one place. Spec: API-RULE-access-1. Reference: rules 5.1. */
export const authorisation = {
  'user.self': row('manage this account', ['anyone']),
  'platform.read': row('read platforms', ['anyone']),
  'platform.write': row('change platforms, flavors and firmware', ['admin']),
  'platform.access': row('say who may use platforms and flavors', ['admin']),

  'device.read': row('read this device', ['deviceOwner', ...looking], 'device.read'),
  'device.update': row('change this device', ['deviceOwner', ...running], 'device.read'),
  'device.tag': row('tag this device', ['deviceOwner', ...running], 'device.read'),
  'device.ota': row('update this device', ['deviceOwner', ...running], 'device.read'),
  'device.private': row('see messages, addresses and place of this device', ['deviceOwner', ...running], 'device.read'),
  'device.files': row(
    'use the files of this device unless its owner allows it',
    ['deviceOwner', 'trustedVendor', 'admin'],
    'device.read',
  ),
  'device.trust': row('let its vendor at the files of this device', ['deviceOwner'], 'device.read'),
  'device.command': row('send commands to this device', ['deviceOwner', ...running], 'device.read'),
  'device.pin': row('hold this device at a version', running, 'device.read'),
  'device.reset': row('reset this device', ['deviceOwner', 'admin'], 'device.read'),
  'device.delete': row('delete this device', ['deviceOwner', 'admin'], 'device.read'),
  'device.delete.any': row('delete any device', ['admin']),
  'device.activate': row('activate this device', ['deviceOwner', 'admin'], 'device.read'),
  'device.certificates': row('fetch the certificates of this device', ['deviceOwner', 'admin'], 'device.read'),
  'device.disable': row('block this device', ['deviceOwner', 'admin'], 'device.read'),
  'device.unblock.any': row('let in a device that an administrator has blocked', ['admin']),
  'device.provision.software': row('provision a software device', ['anyone', 'admin']),
  'device.provision.hardware': row('provision module hardware', ['admin']),

  'product.create': row('create products', ['anyone', 'admin']),
  'product.read': row(
    'read this product',
    ['onlooker', 'visitor', 'endUser', 'deviceOwner', ...looking],
    'product.read',
  ),
  'bundle.read': row('read this bundle', ['visitor', 'endUser', 'deviceOwner', ...looking], 'bundle.read'),
  // Drafts, archived bundles and excluded files too: what no device gets is for the people of the product.
  'bundle.read.all': row('read this bundle', looking, 'bundle.read.all'),
  'asset.read': row('read the assets of this product', ['deviceOwner', ...looking], 'product.read'),
  'product.activate': row('activate devices to this product', ['visitor', ...looking], 'product.read'),
  'product.change': row('change this product', changing, 'product.read'),
  'product.admin': row('administer this product', ['owner', 'admin'], 'product.read'),
  'product.connectors': row('use the connectors of this product', changing, 'product.read'),
  'product.fleet': row('manage the fleet of this product', running, 'product.read'),
  'product.shape': row('see what the fleet of this product is like', looking, 'product.read'),
  'product.people': row('see who works on this product', running, 'product.read'),
  'product.service_accounts': row('manage the service accounts of this product', changing, 'product.read'),
  'product.claimable': row('make this product claimable', ['owner', 'admin'], 'product.read'),
  'product.production': row('create production products', ['admin']),
  'product.part_number': row('assign part numbers', ['admin'], 'product.read'),
  'fleet.stop': row('stop the updates of everybody', ['admin']),
  'customer.manage': row('manage customers', ['admin']),
  'customer.read': row('see this customer', looking, 'customer.read'),
  'customer.people': row('say who belongs to this customer', ['owner', 'admin']),
  'invitation.manage': row('manage invitations', ['admin']),
  'user.list': row('list accounts', ['admin']),
  'user.manage': row('manage accounts', ['admin']),
  'authority.manage': row('manage the authorities', ['admin']),
  'metrics.read': row('read the figures for monitoring', ['admin']),
  'log.all': row('read the logs of everybody', ['admin']),
  'audit.all': row('read the audit of everybody, and check it', ['admin']),
  'token.activation.create': row('make activation tokens', changing, 'product.read'),
} as const satisfies Record<string, Row>;

export type Action = keyof typeof authorisation;

/** Whether any of the caller's roles allows the action. */
export function may(action: Action, held: Iterable<Role>): boolean {
  const allowed: readonly Role[] = authorisation[action].may;
  for (const role of held) if (allowed.includes(role)) return true;
  return false;
}

/**
 * The refusal of an action, if there is one: NOT_FOUND when the caller may not even see the thing, FORBIDDEN when it
 * may be seen but this is not allowed. Spec: API-RULE-access-2.
 *
 * @param what the thing, for the message: `Device`, `Product`, `Bundle`
 */
export function authorise(action: Action, held: readonly Role[], what: string): Refusal | undefined {
  if (may(action, held)) return undefined;
  const { sight, doing }: Row = authorisation[action];
  if (sight !== undefined && !may(sight as Action, held)) return refusal('NOT_FOUND', { what });
  return refusal('FORBIDDEN', { action: doing });
}

/**
 * What a device may do with the stores of files that it can name: its own, and that of the product it is activated to.
 * Spec: API-RULE-files-5.
 */
const deviceFileRights = {
  device: ['read', 'write'],
  product: ['read'],
} as const satisfies Record<FileTarget, readonly ('read' | 'write')[]>;

/** The refusal of a device's call to a store, if there is one: FORBIDDEN. */
export function refuseDeviceFiles(target: FileTarget, doing: 'read' | 'write'): Refusal | undefined {
  const rights: readonly string[] = deviceFileRights[target];
  return rights.includes(doing) ? undefined : refusal('FORBIDDEN', { action: 'change the assets of your product' });
}

/** What the roles of a caller towards a product follow from. */
export interface ProductTies {
  readonly user_id: string | null;
  readonly customer_id: string | null;
  readonly publication: 'preview' | 'published' | 'archive';
  readonly trashed: 0 | 1;
  readonly edition: 0 | 1;
  readonly production: 0 | 1;
  /** Platform and flavor are open to the caller: 1, otherwise 0. */
  readonly reachable: number;
  /** The caller's row in product_users, if there is one. */
  readonly membership: 'manager' | 'tester' | null;
  /** The caller owns a device that is activated to the product. */
  readonly ownsDevice: boolean;
}

/** A user, as far as roles follow from them. */
export interface WhoCalls {
  readonly userId: string;
  readonly role: 'user' | 'customer' | 'admin';
  readonly customerId: string | null;
  /** The role among the people of the customer; without one it says nothing. */
  readonly customerRole: CustomerRole;
}

/** Whether an account is that of a program, which belongs to a product: names of people have no colon. */
export const isServiceAccount = ({ username }: { readonly username: string }): boolean => username.includes(':');

/** What the people of a customer are to all that it owns, by their role in it. Spec: API-RULE-customer-1. */
export const customerRoles = {
  owner: 'owner',
  maintainer: 'manager',
  operator: 'operator',
  viewer: 'tester',
} as const satisfies Record<CustomerRole, Role>;

/** What a caller is to what a user or a customer owns. */
export const ownershipRoles = (
  { userId, customerId, customerRole }: Pick<WhoCalls, 'userId' | 'customerId' | 'customerRole'>,
  tied: { readonly user_id: string | null; readonly customer_id: string | null },
): (typeof customerRoles)[CustomerRole][] => [
  ...(tied.user_id === userId ? ['owner' as const] : []),
  ...(tied.customer_id !== null && tied.customer_id === customerId ? [customerRoles[customerRole]] : []),
];

/** The roles of a caller towards a product. */
export function productRoles(caller: WhoCalls, product: ProductTies): Role[] {
  const held: Role[] = ['anyone'];
  const isPublic = product.reachable && !product.trashed && (product.edition || product.publication === 'published');
  if (isPublic) held.push(product.production ? 'onlooker' : 'visitor');
  if (product.ownsDevice) held.push(product.production ? 'endUser' : 'deviceOwner');
  if (product.membership) held.push(product.membership);
  held.push(...ownershipRoles(caller, product));
  if (caller.role === 'admin') held.push('admin');
  return held;
}

/** What the roles of a caller towards a device follow from: its owner, and the product it is activated to. */
export interface DeviceTies {
  /** Owner of the device. */
  readonly user_id: string | null;
  /** The owner lets those who own or manage the product at the device's files. */
  readonly vendor_files: 0 | 1;
  /** Owners of the product. */
  readonly product_user_id: string | null;
  readonly customer_id: string | null;
  /** The caller's row in product_users of that product, if there is one. */
  readonly membership: 'manager' | 'tester' | null;
}

/** Whether the files of a device are open to those who own or manage its product. */
export const isOpenToVendor = ({ user_id, vendor_files }: Pick<DeviceTies, 'user_id' | 'vendor_files'>): boolean =>
  user_id === null || vendor_files === 1;

/** The roles of a caller towards a device. The devices of a public product are not public. */
export function deviceRoles(caller: WhoCalls, device: DeviceTies): Role[] {
  const held: Role[] = ['anyone'];
  if (device.user_id === caller.userId) held.push('deviceOwner');
  if (device.membership) held.push(device.membership);
  held.push(...ownershipRoles(caller, { user_id: device.product_user_id, customer_id: device.customer_id }));
  const isVendor = held.includes('owner') || held.includes('manager');
  if (isVendor && isOpenToVendor(device)) held.push('trustedVendor');
  if (caller.role === 'admin') held.push('admin');
  return held;
}

/** The roles of a caller where no device or product is in question. */
export const generalRoles = (caller: WhoCalls): Role[] => (caller.role === 'admin' ? ['anyone', 'admin'] : ['anyone']);

/** For whom a list or a count is: for everybody, where the caller may do this to all things alike. */
export const viewerFor = <C extends WhoCalls>(action: Action, caller: C): 'everyone' | C =>
  may(action, generalRoles(caller)) ? 'everyone' : caller;

/**
 * A product that was looked up for a caller, if they may do this with it, or with something that belongs to it.
 * Refusals: NOT_FOUND, FORBIDDEN. Spec: API-RULE-access-1, API-RULE-access-2.
 *
 * @param what the thing, for the message: `Product`, `Bundle`, `Connector`
 */
export function allowProduct<P extends ProductTies>(
  product: P | undefined,
  caller: WhoCalls,
  action: Action,
  what = 'Product',
): Result<P, Refusal> {
  if (!product) return failure(refusal('NOT_FOUND', { what }));
  const refused = authorise(action, productRoles(caller, product), what);
  return refused ? failure(refused) : success(product);
}
