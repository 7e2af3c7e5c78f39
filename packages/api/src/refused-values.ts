import type { ErrorCode } from './errors.ts';

/** A code of the error table, and when it is the answer. */
export type RefusedValue = readonly [code: ErrorCode, when: string];

const filter: RefusedValue = [
  'INVALID_FILTER',
  'the filter is not RSQL, or names a field, operator or value that there is not; the message says where',
];
const target: RefusedValue = ['TARGET_NOT_ALLOWED', 'the target is inside the network of the service'];
const stages: RefusedValue = ['INVALID_REQUEST', 'settings contradict each other, or there are none'];
const image: RefusedValue = ['NOT_AN_IMAGE', 'the bytes are not a PNG, JPEG, GIF or WebP image'];
const weak: RefusedValue = ['WEAK_PASSWORD', 'the password is short, or one of the most common'];
const bundle: RefusedValue = ['WRONG_BUNDLE', 'the bundle is not a published one of the product of the device'];

/**
 * Requests that fit their schemas and are refused with 400 all the same, by endpoint: what decides is stored, or lies
 * in two values together, so that no schema can say it. The OpenAPI document does.
 */
export const refusedValues: Readonly<Record<string, readonly RefusedValue[]>> = {
  'auth.signup': [weak],
  'devices.list': [filter],
  'devices.provision': [['UUID_OF_ANOTHER_PLATFORM', 'the uuid does not begin with the part id of the platform']],
  'deviceUpdates.query': [bundle],
  'deviceUpdates.report': [bundle],
  'segments.create': [filter],
  'segments.update': [filter],
  'rollouts.create': [filter, stages, target, bundle],
  'rollouts.reach': [
    filter,
    [stages[0], 'what the change needs is missing, or stages contradict each other'],
    target,
    bundle,
  ],
  'rollouts.setFleetSettings': [filter, stages, target],
  'rollouts.act': [bundle, ['INVALID_REQUEST', 'a bundle is named for another action than roll_back']],
  'rollouts.retry': [bundle],
  'rollouts.pin': [bundle],
  'products.update': [['INVALID_REQUEST', 'the code is another than that of the product']],
  'productPeople.move': [['INVALID_REQUEST', 'neither a user nor a customer is named, or both are']],
  'bundles.create': [['INVALID_REQUEST', 'the product of the body is not that of the path']],
  'doors.addKeys': [['INVALID_REQUEST', 'a key is neither a public key nor the SHA-256 of one']],
  'connectors.create': [target],
  'connectors.test': [target],
  'connectors.update': [
    target,
    ['INVALID_REQUEST', 'the type changes, or the target does while a secret is sent back masked'],
  ],
  'avatars.setUser': [image],
  'avatars.setPlatform': [image],
  'data.setControl': [['WRONG_VALUE', 'the value is not one that the capabilities of the device allow']],
  'metrics.activity': [['INVALID_REQUEST', '"from" is not before "to", or more than 2,500 intervals lie between them']],
};
