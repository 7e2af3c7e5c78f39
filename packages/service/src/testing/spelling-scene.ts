import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { type EndpointShape, isBinary, mayBeAbsent } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { hashSecret, newTokenValue } from '../engine/secrets.ts';
import { recoveryCodeHash } from '../extensions/accounts/second-step.ts';
import { accessScene, exampleFor, type Values } from './access-scene.ts';
import type { TestApp } from './build-app.ts';

/** Twelve capital letters. */
export const letters = (): string => Array.from({ length: 12 }, () => String.fromCharCode(65 + randomInt(26))).join('');
/** A MAC address as records spell it. */
export const address = (): string => (randomBytes(6).toString('hex').toUpperCase().match(/../g) ?? []).join(':');
const png = Buffer.from('\x89PNG\r\n\x1a\nrest of the picture', 'latin1');

const capabilities = {
  name: 'x',
  version: '1',
  streams: { a: { type: 'number' } },
  controls: { a: { type: 'number' } },
  messages: { 'to-device': true, 'from-device': true },
};

const freezeProduct = ({ storage }: TestApp, product_id: string) =>
  storage.db.insertInto('freezes').values({ product_id, reason: 'x', until: null, created_at: 1 }).execute();

/** A gateway of a caller, and a module that it has found. */
async function gatewayParts(as: TestApp['client']) {
  const gateway = randomUUID();
  const body = { gateway: 'x', modules: [{ address: 'http://192.168.1.62:80' }] };
  unwrap(await as.call('gateways.report', { params: { gateway_id: gateway }, body }));
  const [found] = unwrap(await as.call('gateways.found')).value;
  return { gateway, found: found?.id ?? '' };
}

/** A person at a provider whom an account is linked to. */
async function linkOf({ storage }: TestApp, userId: string): Promise<string> {
  const [id, subject] = [randomUUID(), randomUUID()];
  const times = { created_at: 1, last_used_at: 1 };
  const row = { id, user_id: userId, issuer: 'https://id.example.com', subject, email: null, ...times };
  await storage.db.insertInto('sso_links').values(row).execute();
  return id;
}

/** An invitation of a customer to a caller. */
async function membershipOf({ storage }: TestApp, customer_id: string, user_id: string): Promise<string> {
  const id = randomUUID();
  const row = { id, customer_id, user_id, role: 'viewer', name: 'x', created_at: 1 } as const;
  await storage.db.insertInto('customer_invitations').values(row).execute();
  return id;
}

/** A passkey of a caller, and a code that they may show to remove it. */
async function passkeyOf({ storage }: TestApp, userId: string) {
  const [passkey, recovery] = [randomUUID(), letters()];
  const key = { credential_id: passkey, public_key: 'x', counter: 0, transports: '[]', origin: 'https://hub.example' };
  const row = { id: passkey, user_id: userId, ...key, title: 'x', created_at: 1, last_used_at: null };
  await storage.db.insertInto('passkeys').values(row).execute();
  await storage.db
    .insertInto('recovery_codes')
    .values({ user_id: userId, code_hash: recoveryCodeHash(recovery) })
    .execute();
  return { passkey, recovery };
}

/** A service account of a product, and a token of it. */
async function serviceParts(as: TestApp['client'], product_id: string) {
  const serviceName = letters().toLowerCase();
  const body = { name: serviceName };
  const { id } = unwrap(await as.call('serviceAccounts.create', { params: { product_id }, body })).value;
  const params = { product_id, service_account_id: id };
  const token = await as.call('serviceAccounts.addToken', { params, body: { title: 'x', scopes: ['read'] } });
  return { serviceName, serviceAccount: id, serviceToken: unwrap(token).value.id };
}

/** A caller who may do everything, with one of each thing that a parameter can name. */
export async function openScene(app: TestApp, software: string) {
  const base = await accessScene(app, 'admin', software);
  const { db } = app.storage;
  const { product, device, owner, caller } = base;
  const [mac, secret] = [address(), newTokenValue()];
  await db
    .updateTable('devices')
    .set({ bt_addr: mac, provision_token_hash: hashSecret(secret) }) // Its other address is free: it may report one.
    .where('id', '=', device)
    .execute();
  await freezeProduct(app, base.published);
  await db
    .insertInto('activations')
    .values({ device_id: device, user_id: owner.id, capabilities: JSON.stringify(capabilities), activated_at: 1 })
    .execute();
  const row = await db.selectFrom('devices').select('uuid').where('id', '=', device).executeTakeFirstOrThrow();
  const codes = await db
    .selectFrom('products')
    .select(['code', 'product'])
    .where('id', '=', product)
    .executeTakeFirstOrThrow();
  const file = await db
    .selectFrom('resources')
    .select('filename')
    .where('id', '=', base.resource)
    .executeTakeFirstOrThrow();
  const as = app.client.as(caller.token);
  const body = { body: png };
  const path = 'some/file.txt';
  const message = unwrap(await as.call('data.postMessage', { params: { device_id: device }, body: { data: 'x' } }));
  unwrap(await as.call('assets.upload', { params: { product_id: product, path }, ...body }));
  unwrap(await as.call('deviceFiles.upload', { params: { device_id: device, path }, ...body }));
  unwrap(await as.call('deviceUpdates.query', { params: { device_id: device }, body: {} }));
  const broadcast = unwrap(await app.client.as(owner.token).call('broadcasts.create', { body: {} }));
  const activation = unwrap(await as.call('products.addToken', { params: { product_id: product }, body: {} }));
  const avatar = unwrap(await as.call('avatars.setUser', { params: { user_id: caller.id }, ...body }));
  const picture = unwrap(await as.call('avatars.setPlatform', { params: { platform_id: base.platform }, ...body }));
  const token = unwrap(await as.call('tokens.create', {}));
  const view = unwrap(await as.call('views.create', { body: { page: 'devices', title: 'x', state: '' } }));
  const invitation = unwrap(await as.call('invitations.create', { body: {} }));
  return {
    ...base,
    mac,
    secret,
    uuid: row.uuid,
    code: codes.code,
    fullCode: codes.product,
    file: file.filename,
    message: message.value.id,
    key: broadcast.value.key,
    broadcastKey: unwrap(await as.call('broadcasts.create', { body: {} })).value.id,
    activationToken: activation.value.token,
    avatar: avatar.value.avatar_id,
    picture: picture.value.avatar_id,
    token: token.value.id,
    ...(await serviceParts(as, product)),
    view: view.value.id,
    link: await linkOf(app, caller.id),
    ...(await passkeyOf(app, caller.id)),
    invitation: invitation.value.id,
    membership: await membershipOf(app, base.customer, caller.id),
    ...(await gatewayParts(as)),
    freshCode: letters(),
    freshName: letters().toLowerCase(),
    freshPart: randomBytes(4).toString('hex'),
    freshUuid: `${base.part}${randomBytes(16).toString('hex')}`,
    freshMac: address(),
    otherMac: address(),
  };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

export interface Input {
  readonly params?: Values;
  readonly query?: Values;
  readonly body?: unknown;
}

/** What the blanks of paths and the like are filled with. */
export const paramsOf = (scene: Scene): Values => ({
  product_id: scene.product,
  bundle_id: scene.bundle,
  resource_id: scene.resource,
  device_id: scene.device,
  identifier: scene.device,
  id: scene.device,
  platform_id: scene.platform,
  flavor_id: scene.flavor,
  connector_id: scene.connector,
  segment_id: scene.segment,
  rule_id: scene.rule,
  alert_id: scene.alert,
  rollout_id: scene.rollout,
  customer_id: scene.customer,
  user_id: scene.caller.id,
  service_account_id: scene.serviceAccount,
  token_id: scene.token,
  key_id: scene.doorKey,
  view_id: scene.view,
  membership_id: scene.membership,
  link_id: scene.link,
  passkey_id: scene.passkey,
  gateway_id: scene.gateway,
  found_id: scene.found,
  invitation_id: scene.invitation,
  update_id: scene.update,
  log_id: scene.productLog,
  number: '1',
  message_id: scene.message,
  broadcast_id: scene.broadcastKey,
  avatar_id: scene.picture,
  key: scene.key,
  tag: 'release',
  path: 'some/file.txt',
  name: 'a',
  target: 'device',
});

const draft = ({ draft: bundle_id, draftResource: resource_id }: Scene): Input => ({
  params: { bundle_id, resource_id },
});
const query = (fields: Values): Input => ({ query: fields });
const body = (fields: Values): Input => ({ body: fields });
const release = ({ bundle, file }: Scene): Input => ({ params: { bundle_id: bundle, name: file } });

/** What endpoints with such parameters need beside what `paramsOf` gives: good values for all of them. */
export const inputs: Readonly<Record<string, (scene: Scene) => Input>> = {
  'accounts.update': () => body({ disabled: false }),
  'platforms.create': (s) => body({ code: s.freshCode, title: 'x', part_id: s.freshPart }),
  'platforms.addFlavor': (s) => body({ code: s.freshCode }),
  'platforms.addFirmware': (s) => body({ flavor_id: s.flavor, label: 'x', version: '9.0.0.0', files: [] }),
  'platforms.setAccess': () => body({ restricted: false }),
  'platforms.setFlavorAccess': () => body({ restricted: false }),
  'products.list': (s) => query({ platform_id: s.platform, flavor_id: s.flavor }),
  'products.create': (s) =>
    body({ title: 'x', code: s.freshCode, meta: '', platform_id: s.platform, flavor_id: s.flavor }),
  'products.update': ({ code }) => body({ code }),
  'products.setState': () => body({ state: 'trash' }),
  'products.addToken': () => body({}),
  'products.removeToken': ({ activation }) => ({ params: { token_id: activation } }),
  'productPeople.add': ({ bystander }) => body({ user: bystander, role: 'tester' }),
  'productPeople.remove': ({ colleague }) => ({ params: { user_id: colleague } }),
  'productPeople.makeProduction': ({ customer, freshCode }) => body({ customer_id: customer, part_number: freshCode }),
  'serviceAccounts.create': ({ freshName }) => body({ name: freshName }),
  'serviceAccounts.update': () => body({ disabled: false }),
  'serviceAccounts.addToken': () => body({ title: 'x', scopes: ['read'] }),
  'serviceAccounts.removeToken': ({ serviceToken }) => ({ params: { token_id: serviceToken } }),
  'customers.addUser': ({ bystander }) => body({ user: bystander }),
  'customers.removeUser': ({ member }) => ({ params: { user_id: member } }),
  'productPeople.move': ({ customer }) => body({ customer_id: customer }),
  'connectors.create': ({ freshCode }) =>
    body({ title: 'x', code: freshCode, type: 'webhook', opts: { url: 'https://example.com/' } }),
  'connectors.update': ({ freshCode }) => body({ title: 'x', code: freshCode }),
  'bundles.create': (s) => body({ product_id: s.product, firmware_id: s.firmware }),
  'bundles.addResource': (s) => ({ ...draft(s), body: { filename: 'x', base64: '' } }),
  'bundles.addArtifact': (s) => ({ params: { ...draft(s).params, name: s.freshCode }, body: png }),
  'bundles.removeResource': draft,
  'bundles.setState': () => body({ state: 'archive' }),
  'bundles.setTag': () => body({ tag: 'alpha' }),
  'assets.upload': () => ({ body: png }),
  'deviceFiles.upload': () => ({ body: png }),
  'avatars.user': ({ avatar }) => ({ params: { avatar_id: avatar } }),
  'avatars.setUser': () => ({ body: png }),
  'avatars.setPlatform': () => ({ body: png }),
  'logs.list': (s) => query({ product_id: s.product }),
  'fleet.summary': (s) => query({ product_id: s.product }),
  'fleet.shape': (s) => query({ rollout_id: s.rollout }),
  'rollouts.freezes': (s) => query({ product_id: s.published }),
  'metrics.activity': (s) => query({ product_id: s.product, from: 0, to: 86_400_000 }),
  'metrics.locations': (s) => query({ product_id: s.product }),
  'metrics.places': (s) => query({ product_id: s.product }),
  'devices.provision': (s) =>
    body({ uuid: s.freshUuid, platform_id: s.platform, mac: s.freshMac, bt_addr: s.otherMac }),
  'devices.update': () => body({ title: 'x' }),
  'devices.activate': ({ published }) => body({ product_id: published }),
  'devices.setTag': () => body({ tag: 'beta' }),
  'devices.setState': () => body({ state: 'disabled' }),
  'manyDevices.setTag': ({ device }) => body({ device_ids: [device], tag: 'beta' }),
  'manyDevices.activate': ({ device, published }) => body({ device_ids: [device], product_id: published }),
  'manyDevices.import': ({ platform, freshUuid }) =>
    body({ devices: [{ uuid: freshUuid, platform_id: platform }], preview: true }),
  'manyDevices.setState': ({ device }) => body({ device_ids: [device], state: 'enabled' }),
  'manyDevices.reset': ({ device }) => body({ device_ids: [device] }),
  'manyDevices.remove': ({ device }) => body({ device_ids: [device] }),
  'manyDevices.askUpdate': ({ device }) => body({ device_ids: [device] }),
  'rollouts.create': (s) => body({ title: 'x', bundle_id: s.bundle, settings: { stages: [{}] } }),
  'rollouts.reach': (s) =>
    body({
      change: 'tag',
      tag: 'release',
      bundle_id: s.bundle,
      device_id: s.device,
      rollout: { title: 'x', bundle_id: s.bundle, settings: { stages: [{}] } },
    }),
  'rollouts.stop': () => body({ reason: 'x' }),
  'rollouts.act': ({ bundle }) => body({ action: 'roll_back', bundle_id: bundle }),
  'rollouts.signal': () => body({ pass: true }),
  'rollouts.setFleetSettings': () => body({ zone: 'Europe/Berlin' }),
  'rollouts.stopAll': () => body({ reason: 'x' }),
  'rollouts.retry': ({ bundle }) => body({ bundle_id: bundle }),
  'rollouts.freeze': () => body({ reason: 'x' }),
  'rollouts.pin': ({ bundle }) => body({ bundle_id: bundle, reason: 'x' }),
  'alerts.createRule': (s) =>
    body({ title: 'x', condition: { kind: 'update_failed' }, segment_id: s.segment, connectors: [s.connector] }),
  'alerts.updateRule': (s) =>
    body({ title: 'x', condition: { kind: 'update_failed' }, segment_id: s.segment, connectors: [s.connector] }),
  'alerts.silence': () => body({ until: null }),
  'segments.create': () => body({ title: 'x', filter: 'tag==beta' }),
  'segments.update': () => body({ title: 'x', filter: 'tag==beta' }),
  'attributes.setLabels': () => body({ labels: { region: 'eu' } }),
  'attributes.setManyLabels': ({ device }) => body({ device_ids: [device], labels: { region: 'eu' } }),
  'doors.set': () => body({ ddi: true, mender: false, waiting: false }),
  'doors.addToken': () => body({ door: 'ddi', title: 'x' }),
  'doors.removeToken': ({ doorToken }) => ({ params: { token_id: doorToken } }),
  'doors.addDevice': ({ freshCode }) => body({ door: 'ddi', name: freshCode }),
  'doors.addKeys': () => body({ keys: [{ name: 'x', key: 'a'.repeat(64) }] }),
  'doors.removeKey': ({ doorKey }) => ({ params: { key_id: doorKey } }),
  'doors.decide': ({ waiting }) => body({ accept: false, ids: [waiting] }),
  'deviceUpdates.query': () => body({}),
  'deviceUpdates.report': ({ bundle }) => body({ bundle_id: bundle }),
  'deviceUpdates.file': release,
  'data.setControl': () => body({ value: 1 }),
  'data.postMessage': () => body({ data: 'x' }),
  'channel.command': () => body({ command: 'ver' }),
  'channel.commandMany': ({ device }) => body({ device_ids: [device], command: 'ver' }),
  'channel.send': ({ device }) => body({ device_id: device, action: 'x' }),
  'broadcasts.receive': () => body({}),
  'tokens.create': ({ product }) => body({ product_ids: [product] }),
  'passkeys.rename': () => body({ title: 'x' }),
  'passkeys.remove': ({ recovery }) => body({ code: recovery }),
  'tokens.rename': () => body({ title: 'x' }),
  'gateways.report': ({ freshMac }) =>
    body({ gateway: 'x', modules: [{ address: 'http://192.168.1.62:80', mac: freshMac }] }),
  'gateways.adopt': ({ product }) => body({ product_id: product }),
  'views.create': () => body({ page: 'devices', title: 'x', state: '' }),
  'views.update': () => body({ title: 'x' }),
  'listener.device.provision': ({ secret, uuid }) => body({ token: secret, uuid }),
  'listener.device.claim': ({ fullCode, activationToken }) => body({ product: fullCode, token: activationToken }),
  'listener.device.activate': ({ fullCode }) => body({ product: fullCode }),
  'listener.ota.query': () => body({}),
  'listener.ota.file': release,
  'listener.ota.report': ({ bundle }) => body({ bundle_id: bundle, result: 3, bversion: 'x' }),
};

/** Good values for an endpoint: those that it has here, or an example of a body that has to be there. */
export const inputOf = (name: string, shape: EndpointShape, scene: Scene): Input =>
  inputs[name]?.(scene) ??
  (shape.body && !isBinary(shape.body) && !mayBeAbsent(shape.body) ? { body: exampleFor(shape, scene) } : {});

/** Values of parameters that no good request needs; each is tried by itself. */
export const alone: Readonly<Record<string, (scene: Scene) => string>> = {
  'alerts.list query.product_id': ({ product }) => product,
  'devices.list query.product_id': ({ product }) => product,
  'devices.list query.platform_id': ({ platform }) => platform,
  'devices.list query.bundle_id': ({ bundle }) => bundle,
  'devices.list query.user_id': ({ owner }) => owner.id,
  'logs.list query.device_id': ({ device }) => device,
  'logs.list query.user_id': ({ caller }) => caller.id,
  'audit.list query.user_id': ({ caller }) => caller.id,
  'audit.list query.product_id': ({ product }) => product,
  'deviceUpdates.query body.bid': ({ bundle }) => bundle,
  'deviceUpdates.query body.bundle_id': ({ bundle }) => bundle,
  'listener.ota.query body.bid': ({ bundle }) => bundle,
  'listener.ota.query body.bundle_id': ({ bundle }) => bundle,
  'listener.ota.query body.mac': ({ freshMac }) => freshMac,
  'manyDevices.import body.devices.0.mac': ({ mac }) => mac,
  'manyDevices.import body.devices.0.bt_addr': ({ mac }) => mac,
  'broadcasts.receive body.uuid': ({ uuid }) => uuid,
  'broadcasts.receive body.mac': ({ mac }) => mac,
};
