import { randomUUID } from 'node:crypto';
import { contract, type EndpointShape, endpointsOf } from '@moorage/api';
import { type Action, authorisation } from '../core/access/rules.ts';
import { type AccessScene, exampleFor, paramsOf, type Values } from './access-scene.ts';

/** What a call of an endpoint needs beside an example of its body and the things of the scene. */
interface Input {
  /** The row of the authorisation table that decides; the first that the entry names without it. */
  readonly action?: Action;
  /** A good body: what is refused, is refused for the caller's sake. */
  readonly body?: Values | ((scene: AccessScene) => Values);
  /** Other values for the blanks of the path. */
  readonly params?: (scene: AccessScene) => Readonly<Record<string, string>>;
}

const excluded = (scene: AccessScene) => ({ resource_id: scene.excludedResource });
const preview = (scene: AccessScene) => ({ bundle_id: scene.draft, resource_id: scene.draftResource });

const rolloutOf = ({ bundle }: AccessScene) => ({ title: 'x', bundle_id: bundle, settings: { stages: [{}] } });
const randomDigits = (): string => (randomUUID() + randomUUID()).replaceAll('-', '').slice(0, 40);

const inputs: Readonly<Record<string, Input | readonly Input[]>> = {
  'tokens.create': { body: {} },
  'productPeople.add': { body: ({ bystander }) => ({ user: bystander, role: 'tester' }) },
  'productPeople.move': { body: ({ caller }) => ({ user: caller.username }) },
  'devices.activate': { body: ({ published }) => ({ product_id: published }) },
  'manyDevices.activate': { body: ({ device, published }) => ({ device_ids: [device], product_id: published }) },
  'rollouts.create': { body: rolloutOf },
  'rollouts.reach': { body: (scene) => ({ change: 'rollout', rollout: rolloutOf(scene) }) },
  'rollouts.setFleetSettings': { body: {} },
  'platforms.flavorAccess': { params: ({ flavor }) => ({ flavor_id: flavor }) },
  'platforms.setFlavorAccess': { params: ({ flavor }) => ({ flavor_id: flavor }), body: { restricted: false } },
  'products.update': [
    { body: ({ code }) => ({ code }) },
    { action: 'product.claimable', body: ({ code }) => ({ code, claimable: false }) },
    { action: 'product.part_number', body: ({ code }) => ({ code, part_number: randomUUID() }) },
  ],
  'products.removeToken': { params: ({ activation }) => ({ token_id: activation }) },
  'productPeople.remove': { params: ({ colleague }) => ({ user_id: colleague }) },
  'customers.removeUser': { params: ({ member }) => ({ user_id: member }) },
  'bundles.get': [{}, { action: 'bundle.read.all', params: preview }],
  'bundles.addResource': { params: preview, body: { filename: 'x', base64: '' } },
  'bundles.addArtifact': { params: (s) => ({ ...preview(s), name: randomUUID() }) },
  'bundles.removeResource': { params: preview },
  'bundles.binary': [
    {},
    { action: 'bundle.read.all', params: preview },
    { action: 'bundle.read.all', params: excluded },
  ],
  'devices.provision': [
    { body: ({ platform, part }) => ({ uuid: (part + randomDigits()).slice(0, 40), platform_id: platform }) },
    { action: 'device.provision.software', body: ({ software }) => ({ uuid: randomDigits(), platform_id: software }) },
  ],
  'devices.update': [
    { body: { title: 'x' } },
    { action: 'device.trust', body: ({ trust }) => ({ vendor_files: trust === 'on' }) },
  ],
  'rollouts.act': { body: { action: 'start' } },
  'doors.removeToken': { params: ({ doorToken }) => ({ token_id: doorToken }) },
  'doors.removeKey': { params: ({ doorKey }) => ({ key_id: doorKey }) },
  'avatars.user': { params: ({ colleague }) => ({ user_id: colleague }) },
  'invitations.revoke': { params: () => ({ invitation_id: randomUUID() }) },
};

/** A call of the walk, and what decides who may make it. */
export interface Row {
  readonly name: string;
  readonly shape: EndpointShape;
  /** Not for what everybody may, each of what they see. */
  readonly action: Action | undefined;
  /** What a caller's right is about. */
  readonly on: 'product' | 'device' | 'other';
  readonly params: (scene: AccessScene) => Readonly<Record<string, string>>;
  readonly body: (scene: AccessScene) => Values | undefined;
}

function subjectOf(action: Action | undefined): Row['on'] {
  const row: { readonly sight?: string } = action === undefined ? {} : authorisation[action];
  if (row.sight?.startsWith('device.')) return 'device';
  return /^(product|bundle)\./.test(row.sight ?? '') ? 'product' : 'other';
}

/** The calls of an endpoint: one for each right that its entry names. */
function rowsOf(name: string, shape: EndpointShape): Row[] {
  const named: readonly string[] = [shape.access ?? []].flat();
  return [inputs[name] ?? {}].flat().map(({ action, body, params }: Input) => {
    // Safe: they are rows of the table, as the type below says.
    const decides = (action ?? named[0]) as Action;
    const right = named[0] === 'filtered' ? undefined : decides;
    return {
      name,
      shape,
      action: right,
      on: subjectOf(right),
      params: (scene) => ({ ...paramsOf(scene), ...params?.(scene) }),
      body: (scene) => (typeof body === 'function' ? body(scene) : body) ?? exampleFor(shape, scene),
    };
  });
}

/** The rights that entries name: rows of the authorisation table, and nothing else. */
type Rights = Readonly<
  Record<string, Record<string, { readonly method: string; readonly access?: 'filtered' | Action | readonly Action[] }>>
>;

/** Every call of every endpoint that users show a token to. */
export const walk: readonly Row[] = endpointsOf(contract satisfies Rights)
  .filter(({ shape }) => shape.auth === 'bearer')
  .flatMap(({ name, shape }) => rowsOf(name, shape));
