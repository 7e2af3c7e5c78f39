import { deviceStates, spellings } from '@moorage/api';
import { transition } from '@moorage/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActivationTarget,
  bundleVersion,
  type DeviceStanding,
  defaultTitle,
  degreesOf,
  deviceTransitions,
  locationColumns,
  parseDeviceKey,
  planProvision,
  refuseActivation,
  refuseClaim,
  refuseReset,
  refuseTokenClaim,
} from './rules.ts';

const uuid = '200f6c1e5d0f4f0b9d550a4f7a7f4b1e01020304';

describe('device state machine', () => {
  const triggers = ['provision', 'contact', 'reset', 'disable', 'enable'] as const;
  // API-STATE-device-none-enabled, -enabled-active, -active-enabled, -any-disabled; "-" is refused.
  const expected = {
    none: ['enabled', '-', '-', '-', '-'],
    enabled: ['-', 'active', 'enabled', 'disabled', '-'],
    active: ['-', 'active', 'enabled', 'disabled', '-'],
    disabled: ['-', '-', '-', '-', 'enabled'],
  } as const;
  const states = ['none', ...deviceStates] as const;
  it.each(
    states.flatMap((state) => triggers.map((trigger, column) => [state, trigger, expected[state][column]] as const)),
  )('device in state %s on %s becomes %s', (state, trigger, to) => {
    expect(transition(deviceTransitions, state, trigger) ?? '-').toBe(to);
  });
});

describe('device key', () => {
  // API-RULE-ids-1, API-RULE-ids-2, API-RULE-ids-3
  it.each([
    ['6F1C1F3E-6D0F-4F0B-9D55-0A4F7A7F4B1E', 'id', '6f1c1f3e-6d0f-4f0b-9d55-0a4f7a7f4b1e'],
    [uuid.toUpperCase(), 'uuid', uuid],
    ['4c:55:cc:10:78:9b', 'address', '4C:55:CC:10:78:9B'],
    ['4C-55-CC-10-78-9B', 'address', '4C:55:CC:10:78:9B'],
    ['4c55.cc10.789b', 'address', '4C:55:CC:10:78:9B'],
    ['4C55CC10789b', 'address', '4C:55:CC:10:78:9B'],
  ])('name %s is read as %s', (text, by, value) => {
    expect(parseDeviceKey(spellings.device(text))).toEqual({ by, value });
  });

  it.each(['', 'x', uuid.slice(1), `${uuid}0`, '4c:55:cc:10:78', "' or 1=1 --"])('name "%s" is none', (text) => {
    expect(parseDeviceKey(spellings.device(text))).toBeUndefined();
  });
});

describe('provisioning', () => {
  const platform = { code: 'PLAT', part_id: '200f6c1e', product_id: 'edition' };
  const software = { code: 'SOFT', part_id: null, product_id: 'edition' };
  const plan = (
    request: { uuid: string; mac?: string; title?: string },
    at = platform as typeof platform | typeof software,
    isAdmin = true,
  ) => planProvision({ mac: null, ...request }, at, isAdmin);

  // API-RULE-provision-2
  it('a new device stands on the base edition of its platform, under its last 6 digits', () => {
    const plain = { uuid, title: '020304', productId: 'edition', ownedByCaller: false };
    expect(plan({ uuid })).toEqual({ ok: true, value: plain });
  });

  it('a software device is provisioned by anyone and owned by them', () => {
    expect(plan({ uuid, title: 'Gateway' }, software, false)).toMatchObject({
      value: { title: 'Gateway', ownedByCaller: true },
    });
  });

  // API-RULE-provision-1
  it.each([
    ['a uuid that is too short', { uuid: uuid.slice(2) }, platform, true, 'INVALID_DEVICE_UUID'],
    ['a uuid of other letters', { uuid: `${uuid.slice(1)}z` }, platform, true, 'INVALID_DEVICE_UUID'],
    ['hardware by a user', { uuid }, platform, false, 'FORBIDDEN'],
    ['the uuid of another platform', { uuid: `3${uuid.slice(1)}` }, platform, true, 'UUID_OF_ANOTHER_PLATFORM'],
    ['a platform without edition', { uuid }, { ...platform, product_id: null }, true, 'PLATFORM_WITHOUT_EDITION'],
  ])('provisioning is refused: %s', (_, request, at, isAdmin, code) => {
    expect(planProvision({ mac: null, ...request }, at, isAdmin)).toMatchObject({ ok: false, error: { code } });
  });

  it('default title is taken from the address, where there is one', () => {
    expect(defaultTitle({ mac: '4C:55:CC:10:78:9B', uuid })).toBe('10789B');
  });
});

const device = (more: Partial<DeviceStanding> = {}): DeviceStanding => ({
  state: 'active',
  platform_id: 'platform',
  platform: 'PLAT',
  user_id: 'owner',
  product_id: 'edition',
  product: 'MAKER-PLAT_W',
  production: 0,
  claimable: 1,
  base_product_id: null,
  ...more,
});

const target = (more: Partial<ActivationTarget> = {}): ActivationTarget => ({
  id: 'thing',
  product: 'MAKER-PLAT_THING',
  platform_id: 'platform',
  publication: 'preview',
  accessible: true,
  ...more,
});

describe('activation', () => {
  it.each([
    ['of an unlocked device of the platform', {}, {}],
    ['to a published product', {}, { publication: 'published' }],
    ['to the product that it has', { product_id: 'thing' }, {}],
    ['to the archived product that it has', { product_id: 'thing' }, { publication: 'archive' }],
    ['from a locked product to the base edition', { claimable: 0, base_product_id: 'thing' }, {}],
    ['from a production product to the base edition', { production: 1, claimable: 0, base_product_id: 'thing' }, {}],
    [
      'to an archived, hidden base edition',
      { base_product_id: 'thing' },
      { publication: 'archive', accessible: false },
    ],
    ['from a base edition that is locked', { claimable: 0, base_product_id: 'edition' }, {}],
    ['to the production product that it has', { product_id: 'thing', production: 1, claimable: 0 }, {}],
  ] as const)('activation is allowed: %s', (_, of, to) => {
    expect(refuseActivation(device(of), target(to))).toBeUndefined();
  });

  it.each([
    // API-RULE-activate-3
    ['to a product without access', {}, { accessible: false }, 'NOT_FOUND'],
    ['to its own product without access', { product_id: 'thing' }, { accessible: false }, 'NOT_FOUND'],
    // API-RULE-activate-2
    ['of a locked device', { claimable: 0 }, {}, 'DEVICE_LOCKED'],
    // API-RULE-activate-1
    ['of another platform', { platform_id: 'else' }, {}, 'PLATFORM_MISMATCH'],
    // API-RULE-production-1
    ['of a production device', { production: 1, claimable: 1 }, {}, 'PRODUCTION_DEVICE'],
    ['to an archived product', {}, { publication: 'archive' }, 'PRODUCT_ARCHIVED'],
    ['of a disabled device', { state: 'disabled' }, {}, 'DEVICE_DISABLED'],
    [
      'of a disabled device to the base edition',
      { state: 'disabled', base_product_id: 'thing' },
      {},
      'DEVICE_DISABLED',
    ],
  ] as const)('activation is refused: %s', (_, of, to, code) => {
    expect(refuseActivation(device(of), target(to))).toMatchObject({ code });
  });
});

describe('claim', () => {
  // API-RULE-claim-1
  it.each([
    ['of a device without an owner', { user_id: null }, undefined],
    ['of a device that one owns', { user_id: 'me' }, undefined],
    ['of the device of another user', { user_id: 'other' }, 'DEVICE_OF_ANOTHER_USER'],
    ['of a locked device', { user_id: null, claimable: 0 }, 'DEVICE_LOCKED'],
  ] as const)('claim by account: %s', (_, of, code) => {
    expect(refuseClaim(device(of), 'me')?.code).toBe(code);
  });

  // API-RULE-claim-2
  const good = { product_id: 'thing', uses_left: 1 };
  it.each([
    ['of a device without an owner', { user_id: null }, {}, good, undefined],
    ['of a device of the same owner', { user_id: 'me' }, {}, good, undefined],
    [
      'repeated, with the token used up',
      { user_id: 'me', product_id: 'thing' },
      {},
      { ...good, uses_left: 0 },
      undefined,
    ],
    ['with a token used up', { user_id: null }, {}, { ...good, uses_left: 0 }, 'WRONG_ACTIVATION_TOKEN'],
    ['with a token of another product', { user_id: null }, {}, { ...good, product_id: 'x' }, 'WRONG_ACTIVATION_TOKEN'],
    ['of the device of another user', { user_id: 'other' }, {}, good, 'DEVICE_OF_ANOTHER_USER'],
    ['of a locked device', { user_id: null, claimable: 0 }, {}, good, 'DEVICE_LOCKED'],
    [
      'of a locked device on the product',
      { user_id: null, claimable: 0, product_id: 'thing' },
      {},
      good,
      'DEVICE_LOCKED',
    ],
    ['of another platform', { user_id: null, platform_id: 'x' }, {}, good, 'PLATFORM_MISMATCH'],
  ] as const)('claim by token: %s', (_, of, to, token, code) => {
    expect(refuseTokenClaim(device(of), target(to), token, 'me')?.code).toBe(code);
  });
});

describe('reset', () => {
  // API-RULE-reset-1
  it.each([
    ['a claimable device', {}, undefined],
    ['a locked device', { claimable: 0 }, 'DEVICE_LOCKED'],
    ['a disabled device', { state: 'disabled' }, 'DEVICE_DISABLED'],
  ] as const)('reset of %s', (_, of, code) => {
    expect(refuseReset(device(of))?.code).toBe(code);
  });
});

// API-RULE-location-1
it('location of up to six decimals reads back as it was set', () => {
  const millionths = (most: number) => fc.integer({ min: -most * 1_000_000, max: most * 1_000_000 });
  fc.assert(
    fc.property(millionths(90), millionths(180), (latE6, lonE6) => {
      const location = { lat: latE6 / 1_000_000, lon: lonE6 / 1_000_000, city: 'Hamburg', country: 'DE' };
      expect(degreesOf(locationColumns(location))).toEqual(location);
    }),
  );
});

it.each([
  ['MAKER-PLAT_THING-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0', '1.2.3.4'],
  ['MAKER-PLAT_OTHER-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0', null],
  ['MAKER-PLAT_THING-PRO-1.2.3.4, 2026-01-01T00:00:00Z, FW-1.0.0.0', null],
  ['Moorage-2.2.0.12, Built:2015-04-08', null],
  ['something else', null],
  [null, null],
])('the version of a bundle in %j is %j', (bversion, version) => {
  expect(bundleVersion(bversion, 'MAKER-PLAT_THING')).toBe(version);
});
