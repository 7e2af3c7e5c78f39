import { randomUUID } from 'node:crypto';
import type { Action } from '../auth/rules.ts';
import type { AccessScene } from './access-scene.ts';

/**
 * What a caller's right is about: a product or what belongs to it, a device or what belongs to it, the service as a
 * whole, the caller alone, or a list that leaves out what the caller may not see.
 */
export type Subject = 'product' | 'device' | 'service' | 'self' | 'filtered' | 'unowned';

/** A call of the table, and what decides who may make it. */
export interface Row {
  readonly on: Subject;
  /** The row of the authorisation table that decides; not for what everybody may. */
  readonly action?: Action;
  /** A good body: what is refused, is refused for the caller's sake. */
  readonly body?: Readonly<Record<string, unknown>> | ((scene: AccessScene) => Readonly<Record<string, unknown>>);
  /** Other values for the blanks of the path. */
  readonly params?: (scene: AccessScene) => Readonly<Record<string, string>>;
}

const product = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'product', action, ...more });
const device = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'device', action, ...more });
const service = (action: Action, more: Partial<Row> = {}): Row => ({ on: 'service', action, ...more });
const self = (more: Partial<Row> = {}): Row => ({ on: 'self', action: 'user.self', ...more });
export const filtered: Row = { on: 'filtered' };
const unowned: Row = { on: 'unowned' };

const excluded = (scene: AccessScene) => ({ resource_id: scene.excludedResource });
const preview = (scene: AccessScene) => ({ bundle_id: scene.draft, resource_id: scene.draftResource });

const rolloutOf = ({ bundle }: AccessScene) => ({ title: 'x', bundle_id: bundle, settings: { stages: [{}] } });
const randomDigits = (): string => (randomUUID() + randomUUID()).replaceAll('-', '').slice(0, 40);

/** Every endpoint of the contract that users call: one that is missing here fails the test. */
export const walk: Readonly<Record<string, Row | readonly Row[]>> = {
  'auth.login': unowned,
  'auth.signup': unowned,
  'auth.policy': unowned,
  'auth.invitation': unowned,
  'session.open': unowned,
  'session.signup': unowned,
  'session.get': self(),
  'session.close': self(),
  // The accounts of the scene have no password; who has the current one may.
  'session.changePassword': unowned,
  'users.list': service('user.list'),
  'accounts.get': service('user.manage'),
  'accounts.update': service('user.manage', { body: {} }),
  'accounts.resetPassword': service('user.manage'),
  'accounts.endSessions': service('user.manage'),
  'accounts.remove': service('user.manage'),
  'users.get': self(),
  'users.quotas': self(),
  'users.update': self({ body: { name_given: 'x' } }),
  'views.list': self(),
  'views.create': self({ body: { page: 'devices', title: 'x', state: '' } }),
  'views.update': self({ body: { title: 'x' } }),
  'views.remove': self(),
  'tokens.list': self(),
  'tokens.create': self(),
  'tokens.rename': self({ body: { title: 'x' } }),
  'tokens.revoke': self(),
  'overview.init': self(),
  'overview.status': self(),
  'platforms.list': filtered,
  'platforms.get': service('platform.read'),
  'platforms.create': service('platform.write', { body: () => ({ code: randomUUID().slice(0, 8), title: 'x' }) }),
  'platforms.addFlavor': service('platform.write', { body: () => ({ code: randomUUID().slice(0, 8) }) }),
  'platforms.addFirmware': service('platform.write', {
    body: ({ flavor }) => ({ flavor_id: flavor, label: 'x', version: '9.0.0.0', files: [] }),
  }),
  'platforms.access': service('platform.access'),
  'platforms.setAccess': service('platform.access', { body: { restricted: false } }),
  'platforms.flavorAccess': service('platform.access', { params: ({ flavor }) => ({ flavor_id: flavor }) }),
  'platforms.setFlavorAccess': service('platform.access', {
    params: ({ flavor }) => ({ flavor_id: flavor }),
    body: { restricted: false },
  }),
  'products.list': filtered,
  'products.create': service('product.create', {
    body: ({ platform }) => ({ title: 'x', code: randomUUID(), meta: '', platform_id: platform }),
  }),
  'products.get': product('product.read'),
  'products.description': product('product.read'),
  'products.preview': self({ body: { text: 'x' } }),
  'products.update': [
    product('product.change', { body: ({ code }) => ({ code }) }),
    product('product.claimable', { body: ({ code }) => ({ code, claimable: false }) }),
    product('product.part_number', { body: ({ code }) => ({ code, part_number: randomUUID() }) }),
  ],
  'products.remove': product('product.admin'),
  'products.setState': product('product.change', { body: { state: 'trash' } }),
  'products.listTokens': product('token.activation.create'),
  'products.addToken': product('token.activation.create', { body: {} }),
  'products.removeToken': product('token.activation.create', {
    params: ({ activation }) => ({ token_id: activation }),
  }),
  'productPeople.list': product('product.people'),
  'productPeople.add': product('product.admin', { body: ({ bystander }) => ({ user: bystander, role: 'tester' }) }),
  'productPeople.remove': product('product.admin', { params: ({ colleague }) => ({ user_id: colleague }) }),
  'productPeople.makeProduction': service('product.production', {
    body: ({ customer }) => ({ customer_id: customer, part_number: randomUUID() }),
  }),
  'customers.list': service('customer.manage'),
  'customers.create': service('customer.manage', { body: () => ({ name: randomUUID().slice(0, 8) }) }),
  'customers.addUser': service('customer.manage', { body: ({ bystander }) => ({ user: bystander }) }),
  'connectors.list': product('product.connectors'),
  'connectors.create': product('product.connectors', {
    body: { title: 'x', code: 'NEW', type: 'webhook', opts: { url: 'https://example.com/' } },
  }),
  'connectors.get': product('product.connectors'),
  'connectors.update': product('product.connectors', { body: { title: 'x', code: 'NEW' } }),
  'connectors.remove': product('product.connectors'),
  'connectors.test': product('product.connectors'),
  'connectors.deliveries': product('product.connectors'),
  'bundles.list': product('product.read'),
  'bundles.create': product('product.change', {
    body: ({ product: product_id, firmware }) => ({ product_id, firmware_id: firmware }),
  }),
  'bundles.byTag': product('product.read'),
  'bundles.get': [product('bundle.read'), product('bundle.read.all', { params: preview })],
  'bundles.addResource': product('product.change', { params: preview, body: { filename: 'x', base64: '' } }),
  'bundles.addArtifact': product('product.change', { params: (s) => ({ ...preview(s), name: randomUUID() }) }),
  'bundles.removeResource': product('product.change', { params: preview }),
  'bundles.binary': [
    product('bundle.read'),
    product('bundle.read.all', { params: preview }),
    product('bundle.read.all', { params: excluded }),
  ],
  'bundles.setState': product('product.change', { body: { state: 'archive' } }),
  'bundles.setTag': product('product.change', { body: { tag: 'alpha' } }),
  'assets.list': product('asset.read'),
  'assets.get': product('asset.read'),
  'assets.upload': product('product.change'),
  'assets.remove': product('product.change'),
  'logs.list': filtered,
  'logs.get': filtered,
  // What it tells is what the list of logs has.
  'events.stream': self(),
  'fleet.summary': filtered,
  'metrics.activity': filtered,
  'metrics.locations': filtered,
  'metrics.places': filtered,
  'devices.list': filtered,
  'devices.get': device('device.read'),
  'devices.provision': [
    service('device.provision.hardware', {
      body: ({ platform, part }) => ({ uuid: (part + randomDigits()).slice(0, 40), platform_id: platform }),
    }),
    service('device.provision.software', {
      body: ({ software }) => ({ uuid: randomDigits(), platform_id: software }),
    }),
  ],
  'devices.update': [
    device('device.update', { body: { title: 'x' } }),
    device('device.trust', { body: ({ trust }) => ({ vendor_files: trust === 'on' }) }),
  ],
  'devices.activate': device('device.activate', { body: ({ published }) => ({ product_id: published }) }),
  'devices.products': device('device.read'),
  'devices.reset': device('device.reset'),
  'devices.setTag': device('device.tag', { body: { tag: 'beta' } }),
  'devices.setState': device('device.disable', { body: { state: 'disabled' } }),
  'devices.contents': device('device.delete'),
  'devices.remove': device('device.delete'),
  'devices.askUpdate': device('device.ota'),
  'devices.updateProgress': device('device.read'),
  'devices.certificates': device('device.certificates'),
  'devices.renewToken': device('device.certificates'),
  // Each device by itself: `many.test.ts` has who may do it to which.
  'manyDevices.setTag': { ...filtered, body: ({ device }) => ({ device_ids: [device], tag: 'beta' }) },
  'manyDevices.activate': {
    on: 'filtered',
    body: ({ device, published }) => ({ device_ids: [device], product_id: published }),
  },
  'rollouts.listAll': filtered,
  'manyDevices.import': {
    ...filtered,
    body: ({ platform }) => ({ devices: [{ uuid: randomDigits(), platform_id: platform }], preview: true }),
  },
  'manyDevices.setState': { ...filtered, body: ({ device }) => ({ device_ids: [device], state: 'disabled' }) },
  'manyDevices.reset': { ...filtered, body: ({ device }) => ({ device_ids: [device] }) },
  'manyDevices.remove': { ...filtered, body: ({ device }) => ({ device_ids: [device] }) },
  'manyDevices.askUpdate': { ...filtered, body: ({ device }) => ({ device_ids: [device] }) },
  'rollouts.list': product('product.fleet'),
  'rollouts.create': product('product.fleet', { body: rolloutOf }),
  'rollouts.preview': product('product.fleet', { body: rolloutOf }),
  'rollouts.stop': product('product.fleet', { body: { reason: 'x' } }),
  'rollouts.get': product('product.fleet'),
  'rollouts.act': product('product.fleet', { body: { action: 'start' } }),
  'rollouts.retry': product('product.fleet', { body: {} }),
  'rollouts.signal': product('product.fleet', { body: { pass: true } }),
  'rollouts.templates': self(),
  'rollouts.fleetSettings': product('product.fleet'),
  'rollouts.setFleetSettings': product('product.fleet', { body: {} }),
  'rollouts.stopAll': service('fleet.stop', { body: { reason: 'x' } }),
  'rollouts.liftStop': service('fleet.stop'),
  'rollouts.executions': product('product.fleet'),
  'rollouts.freeze': product('product.fleet', { body: { reason: 'x' } }),
  'rollouts.freezes': filtered,
  'rollouts.frozen': product('product.fleet'),
  'rollouts.thaw': product('product.fleet'),
  'rollouts.pin': device('device.pin', { body: ({ bundle }) => ({ bundle_id: bundle, reason: 'x' }) }),
  'rollouts.pinned': device('device.read'),
  'rollouts.unpin': device('device.pin'),
  'rollouts.selection': device('device.read'),
  'segments.list': product('product.fleet'),
  'segments.create': product('product.fleet', { body: { title: 'x', filter: 'tag==beta' } }),
  'segments.get': product('product.fleet'),
  'segments.update': product('product.fleet', { body: { title: 'x', filter: 'tag==beta' } }),
  'segments.remove': product('product.fleet'),
  'alerts.rules': product('product.fleet'),
  'alerts.createRule': product('product.fleet', { body: { title: 'x', condition: { kind: 'update_failed' } } }),
  'alerts.updateRule': product('product.fleet', { body: { title: 'x', condition: { kind: 'update_failed' } } }),
  'alerts.removeRule': product('product.fleet'),
  'alerts.silence': product('product.fleet', { body: { until: null } }),
  'alerts.list': filtered,
  'alerts.get': product('product.fleet'),
  'alerts.devices': product('product.fleet'),
  'alerts.acknowledge': product('product.fleet'),
  'attributes.list': device('device.read'),
  'attributes.labels': device('device.read'),
  'attributes.setLabels': device('device.update', { body: { labels: { region: 'eu' } } }),
  'attributes.setManyLabels': { ...filtered, body: ({ device }) => ({ device_ids: [device], labels: { a: 'b' } }) },
  'doors.get': product('product.fleet'),
  'doors.set': product('product.fleet', { body: { ddi: true, mender: false, waiting: false } }),
  'doors.tokens': product('product.fleet'),
  'doors.addToken': product('product.fleet', { body: { door: 'ddi', title: 'x' } }),
  'doors.removeToken': product('product.fleet', { params: ({ doorToken }) => ({ token_id: doorToken }) }),
  'doors.addDevice': product('product.fleet', { body: () => ({ door: 'ddi', name: randomUUID() }) }),
  'doors.waiting': product('product.fleet'),
  'doors.decide': product('product.fleet', { body: { accept: false } }),
  'doors.renewDevice': device('device.certificates'),
  'doors.revokeDevice': device('device.certificates'),
  'doors.messages': device('device.private'),
  'deviceUpdates.query': device('device.ota', { body: {} }),
  'deviceUpdates.report': device('device.ota', { body: ({ bundle }) => ({ bundle_id: bundle }) }),
  'deviceUpdates.file': device('device.ota'),
  'deviceUpdates.list': device('device.read'),
  'deviceFiles.list': device('device.files'),
  'deviceFiles.get': device('device.files'),
  'deviceFiles.upload': device('device.files'),
  'deviceFiles.remove': device('device.files'),
  'avatars.user': service('user.self', { params: ({ colleague }) => ({ user_id: colleague }) }),
  'avatars.setUser': self(),
  'avatars.platform': service('platform.read'),
  'avatars.setPlatform': service('platform.write'),
  'data.capabilities': device('device.read'),
  'data.streams': device('device.read'),
  'data.samples': device('device.read'),
  'data.controls': device('device.read'),
  'data.setControl': device('device.update', { body: { value: 1 } }),
  'data.controlHistory': device('device.read'),
  'data.messages': device('device.private'),
  'data.postMessage': device('device.update', { body: { data: 'x' } }),
  'data.message': device('device.private'),
  'data.live': device('device.read'),
  'data.removeMessage': device('device.update'),
  'channel.command': device('device.command', { body: { command: 'ver' } }),
  'channel.commandMany': { ...filtered, body: ({ device }) => ({ device_ids: [device], command: 'ver' }) },
  'channel.status': device('device.read'),
  'channel.send': unowned,
  'broadcasts.list': self(),
  'broadcasts.create': self({ body: {} }),
  'broadcasts.revoke': self(),
  'broadcasts.receive': unowned,
  'schemas.capabilities': unowned,
  'invitations.list': service('invitation.manage'),
  'invitations.create': service('invitation.manage', { body: {} }),
  'invitations.revoke': service('invitation.manage', { params: () => ({ invitation_id: randomUUID() }) }),
  'identity.authority': unowned,
  'identity.list': service('authority.manage'),
  'identity.rotate': service('authority.manage'),
  'identity.retire': service('authority.manage', { body: {} }),
  'meta.health': unowned,
  'meta.ready': unowned,
  'meta.metrics': service('metrics.read'),
};
