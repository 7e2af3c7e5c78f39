import { describe, expect, it } from 'vitest';
import {
  type Action,
  authorisation,
  authorise,
  deviceRoles,
  may,
  productRoles,
  type Role,
  refuseDeviceFiles,
  roles,
} from './rules.ts';

/**
 * The matrix, cell by cell: x where the role may. Reference: rules 5.1. Columns are the roles in the order of `roles`:
 * anyone, onlooker, visitor, endUser, deviceOwner, trustedVendor, tester, operator, manager, owner, admin.
 */
const matrix: Readonly<Record<Action, string>> = {
  'user.self': 'x----------',
  'platform.read': 'x----------',
  'platform.write': '----------x',
  'platform.access': '----------x',
  'device.read': '----x-xxxxx',
  'device.update': '----x--xxxx',
  'device.tag': '----x--xxxx',
  'device.ota': '----x--xxxx',
  'device.private': '----x--xxxx',
  'device.files': '----xx----x',
  'device.trust': '----x------',
  'device.command': '----x--xxxx',
  'device.pin': '-------xxxx',
  'device.reset': '----x-----x',
  'device.delete': '----x-----x',
  'device.delete.any': '----------x',
  'device.activate': '----x-----x',
  'device.certificates': '----x-----x',
  'device.disable': '----x-----x',
  'device.unblock.any': '----------x',
  'device.provision.software': 'x---------x',
  'device.provision.hardware': '----------x',
  'product.create': 'x---------x',
  'product.read': '-xxxx-xxxxx',
  'bundle.read': '--xxx-xxxxx',
  'bundle.read.all': '------xxxxx',
  'asset.read': '----x-xxxxx',
  'product.activate': '--x---xxxxx',
  'product.change': '--------xxx',
  'product.admin': '---------xx',
  'product.connectors': '--------xxx',
  'product.service_accounts': '--------xxx',
  'product.fleet': '-------xxxx',
  'product.shape': '------xxxxx',
  'product.people': '-------xxxx',
  'product.claimable': '---------xx',
  'product.production': '----------x',
  'product.part_number': '----------x',
  'fleet.stop': '----------x',
  'customer.manage': '----------x',
  'customer.read': '------xxxxx',
  'customer.people': '---------xx',
  'invitation.manage': '----------x',
  'user.list': '----------x',
  'user.manage': '----------x',
  'authority.manage': '----------x',
  'log.all': '----------x',
  'audit.all': '----------x',
  'token.activation.create': '--------xxx',
  'metrics.read': '----------x',
};

// Safe: the table is typed by its own keys.
const actions = Object.keys(authorisation) as Action[];
const cells = actions.flatMap((action) => roles.map((role, column) => ({ action, role, column })));

// API-RULE-access-1
describe('authorisation table', () => {
  it.each(cells)('$action by $role', ({ action, role, column }) => {
    expect(may(action, [role])).toBe(matrix[action][column] === 'x');
  });

  it('adds up the roles of a caller, and refuses without one', () => {
    expect(may('device.reset', ['tester', 'deviceOwner'])).toBe(true);
    for (const action of actions) expect(may(action, [])).toBe(false);
  });
});

// API-RULE-access-2
describe('authorise', () => {
  it.each<[Action, Role[], string | undefined]>([
    ['device.read', ['anyone'], 'NOT_FOUND'],
    ['device.update', ['anyone'], 'NOT_FOUND'],
    ['device.update', ['anyone', 'tester'], 'FORBIDDEN'],
    ['device.update', ['anyone', 'manager'], undefined],
    ['product.change', ['anyone', 'visitor'], 'FORBIDDEN'],
    ['product.change', ['anyone'], 'NOT_FOUND'],
    ['bundle.read', ['anyone', 'onlooker'], 'NOT_FOUND'],
    ['bundle.read.all', ['anyone', 'visitor'], 'NOT_FOUND'],
    ['asset.read', ['anyone', 'visitor'], 'FORBIDDEN'],
    ['platform.write', ['anyone'], 'FORBIDDEN'],
    ['platform.write', ['anyone', 'admin'], undefined],
  ])('%s by %j is refused as %s', (action, held, code) => {
    expect(authorise(action, held, 'Thing')?.code).toBe(code);
  });

  it('says what is not there and what is not allowed', () => {
    expect(authorise('device.read', [], 'Device')?.message).toBe('Device not found');
    expect(authorise('device.reset', ['manager'], 'Device')?.message).toBe('You may not reset this device');
  });
});

// API-RULE-files-5
it.each([
  ['device', 'read', undefined],
  ['device', 'write', undefined],
  ['product', 'read', undefined],
  ['product', 'write', 'FORBIDDEN'],
] as const)('a device in the store of its %s: %s is refused as %s', (target, doing, code) => {
  expect(refuseDeviceFiles(target, doing)?.code).toBe(code);
});

const caller = { userId: 'me', role: 'user', customerId: 'firm', customerRole: 'owner' } as const;

describe('productRoles', () => {
  const product = {
    user_id: 'other',
    customer_id: null,
    publication: 'preview',
    trashed: 0,
    edition: 0,
    production: 0,
    membership: null,
    ownsDevice: false,
    reachable: 1,
  } as const;

  it.each([
    [{}, ['anyone']],
    [{ publication: 'published' }, ['anyone', 'visitor']],
    [{ publication: 'published', trashed: 1 }, ['anyone']],
    [{ publication: 'published', reachable: 0 }, ['anyone']],
    [{ user_id: 'me', reachable: 0 }, ['anyone', 'owner']],
    [{ publication: 'archive' }, ['anyone']],
    [{ edition: 1 }, ['anyone', 'visitor']],
    [{ publication: 'published', production: 1 }, ['anyone', 'onlooker']],
    [{ ownsDevice: true }, ['anyone', 'deviceOwner']],
    [{ ownsDevice: true, production: 1 }, ['anyone', 'endUser']],
    [{ membership: 'manager' }, ['anyone', 'manager']],
    [{ membership: 'tester' }, ['anyone', 'tester']],
    [{ user_id: 'me' }, ['anyone', 'owner']],
    [{ user_id: null, customer_id: 'firm' }, ['anyone', 'owner']],
    [{ user_id: null, customer_id: 'another' }, ['anyone']],
    [{ user_id: null }, ['anyone']],
  ] as const)('with %j are %j', (ties, expected) => {
    expect(productRoles(caller, { ...product, ...ties })).toEqual(expected);
  });

  // API-RULE-customer-1
  it.each([
    ['owner', 'owner'],
    ['maintainer', 'manager'],
    ['operator', 'operator'],
    ['viewer', 'tester'],
  ] as const)("of a customer's %s are %s, and nothing at another", (customerRole, role) => {
    const person = { ...caller, customerRole };
    expect(productRoles(person, { ...product, customer_id: 'firm' })).toEqual(['anyone', role]);
    expect(productRoles(person, { ...product, customer_id: 'another' })).toEqual(['anyone']);
    // What is their own is theirs, whatever they are at the customer.
    expect(productRoles(person, { ...product, user_id: 'me' })).toEqual(['anyone', 'owner']);
  });

  it('of an administrator have admin, and no customer is not everybody', () => {
    expect(productRoles({ ...caller, role: 'admin' }, product)).toEqual(['anyone', 'admin']);
    expect(productRoles({ ...caller, customerId: null }, { ...product, user_id: null })).toEqual(['anyone']);
  });
});

describe('deviceRoles', () => {
  const device = {
    user_id: 'other',
    vendor_files: 0,
    product_user_id: null,
    customer_id: null,
    membership: null,
  } as const;

  it.each([
    [{}, ['anyone']],
    [{ user_id: 'me' }, ['anyone', 'deviceOwner']],
    [{ product_user_id: 'me' }, ['anyone', 'owner']],
    [{ customer_id: 'firm' }, ['anyone', 'owner']],
    [{ customer_id: 'firm', vendor_files: 1 }, ['anyone', 'owner', 'trustedVendor']],
    [{ membership: 'tester', user_id: 'me' }, ['anyone', 'deviceOwner', 'tester']],
    [{ membership: 'tester', vendor_files: 1 }, ['anyone', 'tester']],
    [{ membership: 'manager' }, ['anyone', 'manager']],
    [{ membership: 'manager', vendor_files: 1 }, ['anyone', 'manager', 'trustedVendor']],
    [{ product_user_id: 'me', vendor_files: 1 }, ['anyone', 'owner', 'trustedVendor']],
    [{ product_user_id: 'me', user_id: null }, ['anyone', 'owner', 'trustedVendor']],
  ] as const)('with %j are %j', (ties, expected) => {
    expect(deviceRoles(caller, { ...device, ...ties })).toEqual(expected);
  });

  // API-RULE-customer-1
  it.each([
    ['maintainer', ['anyone', 'manager', 'trustedVendor']],
    ['operator', ['anyone', 'operator']],
    ['viewer', ['anyone', 'tester']],
  ] as const)("of a customer's %s are %j", (customerRole, expected) => {
    const open = { ...device, customer_id: 'firm', vendor_files: 1 } as const;
    expect(deviceRoles({ ...caller, customerRole }, open)).toEqual(expected);
  });
});
