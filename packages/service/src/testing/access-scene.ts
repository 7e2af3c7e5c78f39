import { randomUUID } from 'node:crypto';
import { type EndpointShape, isBinary } from '@moorage/api';
import type { Role } from '../core/access/rules.ts';
import { writeLog } from '../engine/db/logs.ts';
import type { Storage } from '../engine/db/storage.ts';
import { exampleOf } from '../engine/http/openapi-examples.ts';
import { notBegun } from '../extensions/fleet/rollouts/rules.ts';
import type { TestApp } from './build-app.ts';
import { sampleReport } from './rehearsal-report.ts';

/** A connector, a segment, an alert rule with an alert and an activation token of a product, and a customer. */
async function appendages({ db }: Storage, product_id: string, user_id: string) {
  const ids = {
    connector: randomUUID(),
    segment: randomUUID(),
    rule: randomUUID(),
    alert: randomUUID(),
    activation: randomUUID(),
    customer: randomUUID(),
  };
  // The test call is refused before it leaves the machine.
  const webhook = { type: 'webhook', url: 'http://127.0.0.1:1/', method: 'POST', headers: {}, timeout_ms: 100 };
  await db
    .insertInto('connectors')
    .values({
      id: ids.connector,
      product_id,
      title: 'x',
      code: 'X',
      type: 'webhook',
      opts: JSON.stringify(webhook),
      state: 'ok',
      last_used_at: null,
      last_error: null,
      created_at: 1,
      updated_at: 1,
    })
    .execute();
  const segment = { title: 'x', filter: 'tag==beta', created_at: 1, updated_at: 1 };
  await db
    .insertInto('segments')
    .values({ id: ids.segment, product_id, ...segment })
    .execute();
  await alertOf(db, product_id, ids);
  const token = { token_hash: ids.activation, tail: 'x', uses_left: 1, created_at: 1 };
  await db
    .insertInto('activation_tokens')
    .values({ id: ids.activation, product_id, user_id, ...token })
    .execute();
  await db
    .insertInto('customers')
    .values({ id: ids.customer, name: ids.customer, title: 'x', created_at: 1 })
    .execute();
  return ids;
}

/** An alert rule that watches nothing, and an alert of it. */
async function alertOf(
  db: Storage['db'],
  product_id: string,
  ids: { readonly rule: string; readonly alert: string },
): Promise<void> {
  const rule = {
    title: 'x',
    condition: '{"kind":"update_failed"}',
    at_least: 1,
    gather_minutes: 10,
    enabled: 0 as const,
  };
  await db
    .insertInto('alert_rules')
    .values({
      id: ids.rule,
      product_id,
      segment_id: null,
      connectors: '[]',
      mail_to: null,
      silenced_until: null,
      created_at: 1,
      updated_at: 1,
      ...rule,
    })
    .execute();
  const counts = { devices: 0, devices_open: 0, told: 0, tell_at: null };
  await db
    .insertInto('alerts')
    .values({
      id: ids.alert,
      rule_id: ids.rule,
      product_id,
      text: 'x',
      opened_at: 1,
      over_at: null,
      acknowledged_at: null,
      acknowledged_by: null,
      ...counts,
    })
    .execute();
}

/** A token by which devices of a product register, a device that waits, and a device that is behind a door. */
async function doorParts({ db }: Storage, product_id: string, device_id: string) {
  const ids = { doorToken: randomUUID(), waiting: randomUUID(), doorKey: randomUUID() };
  const at = { product_id, door: 'ddi' as const, created_at: 1 };
  const token = { title: 'x', token_hash: ids.doorToken, tail: 'x', user_id: null, last_used_at: null };
  await db
    .insertInto('door_tokens')
    .values({ id: ids.doorToken, ...at, ...token })
    .execute();
  await db
    .insertInto('door_devices')
    .values({ device_id, ...at, name: device_id, token_hash: null, reported_at: null })
    .execute();
  await db
    .insertInto('door_keys')
    .values({ id: ids.doorKey, product_id, name: 'x', key_hash: 'x', created_at: 1 })
    .execute();
  const waiting = { name: 'x', secret_hash: 'x', ip: null, first_at: 1, last_at: 1 };
  await db
    .insertInto('door_waiting')
    .values({ id: ids.waiting, product_id, door: 'ddi', ...waiting })
    .execute();
  return ids;
}

/** A rollout that has not begun, with a rehearsal. */
async function draftedRollout({ db }: Storage, product_id: string, bundle_id: string): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('rollouts')
    .values({
      id,
      product_id,
      bundle_id,
      title: 'x',
      filter: null,
      priority: 0,
      settings: JSON.stringify({ stages: [{}] }),
      created_at: 1,
      ...notBegun,
    })
    .execute();
  const rehearsal = { rollout_id: id, number: 1, state: 'done', reason: null, percent: 100, fence: 0 } as const;
  const shown = { report: JSON.stringify(sampleReport), page: '<p>x</p>', created_at: 1, finished_at: 2 };
  await db
    .insertInto('rehearsals')
    .values({ id: randomUUID(), ...rehearsal, devices: 5, seeds: 1, ...shown })
    .execute();
  return id;
}

/** Logs without an actor of a product, and of a device on it, in the first hour of 1970. */
async function twoLogs({ db }: Storage, product_id: string, device_id: string) {
  const message = randomUUID();
  const about = [
    { type: 'bundle.tag', productId: product_id, message },
    { type: 'device.claim', productId: product_id, deviceId: device_id, message },
  ] as const;
  for (const one of about) await writeLog(db, { ...one, atMs: 1_000 });
  const rows = await db.selectFrom('logs').select(['id', 'device_id']).where('message', '=', message).execute();
  const idOf = (device: string | null) => rows.find((row) => row.device_id === device)?.id ?? '';
  return { productLog: idOf(null), deviceLog: idOf(device_id) };
}

/** A customer with an operator. */
async function customerWith({ db }: Storage, operatorId: string): Promise<string> {
  const id = randomUUID();
  await db.insertInto('customers').values({ id, name: id, title: 'x', created_at: 1 }).execute();
  const change = { role: 'customer', customer_id: id, customer_role: 'operator' } as const;
  await db.updateTable('users').set(change).where('id', '=', operatorId).execute();
  return id;
}

/** A product with everything that belongs to one, a device that is activated to it, and a user in each role. */
export type AccessScene = Awaited<ReturnType<typeof accessScene>>;

/**
 * Makes a caller in one role towards a new product and a device on it.
 *
 * @param software the platform of software devices, of which there is one
 */
export async function accessScene({ make, storage }: TestApp, role: Role, software: string) {
  const platform = await make.platform();
  const caller = await make.user(role === 'admin' ? { role: 'admin' } : {});
  const [owner, colleague, bystander] = await Promise.all([make.user(), make.user(), make.user()]);
  const at = { platform_id: platform.id, flavor_id: platform.flavor.id };
  const publication = role === 'visitor' || role === 'onlooker' ? 'published' : 'preview';
  const production = role === 'onlooker' || role === 'endUser' ? 1 : 0;
  const ownerId = role === 'owner' ? caller.id : owner.id;
  // Operators are people of a customer, and of nothing else.
  const owned = role === 'operator' ? { customer_id: await customerWith(storage, caller.id) } : { user_id: ownerId };
  const made = await make.product({ ...at, ...owned, publication, production });
  const published = await make.product({ ...at, publication: 'published' });
  const firmware = await make.firmware(at);
  const ours = { product_id: made.id, firmware_id: firmware.id, user_id: owner.id };
  const bundle = await make.bundle({ ...ours, state: 'published', tag: 'release' });
  const draft = await make.bundle(ours);
  const resource = await make.resource(Buffer.from('x'), { bundle_id: bundle.id });
  const excluded = await make.resource(Buffer.from('z'), { bundle_id: bundle.id, exclude: 1 });
  const gadget = await make.device({
    platform_id: platform.id,
    product_id: made.id,
    user_id: heldBy(role, 'device').includes('deviceOwner') ? caller.id : owner.id,
    vendor_files: role === 'trustedVendor' ? 1 : 0,
    state: 'active',
    lat_e6: 1,
    lon_e6: 1,
    city: '',
    country: '',
  });
  const logs = await twoLogs(storage, made.id, gadget.id);
  // What the device is getting; of a production product its owner sees no other bundle.
  const to = { to_bundle_id: bundle.id, to_version: bundle.version };
  const update = await make.update({ device_id: gadget.id, product_id: made.id, ...to });
  const draftResource = await make.resource(Buffer.from('y'), { bundle_id: draft.id });
  if (role === 'tester') await make.member(made.id, caller.id, role);
  if (role === 'manager' || role === 'trustedVendor') await make.member(made.id, caller.id, 'manager');
  await make.member(made.id, colleague.id, 'tester');
  const rollout = await draftedRollout(storage, made.id, bundle.id);
  const { customer, activation, ...parts } = await appendages(storage, made.id, owner.id);
  return {
    caller,
    software,
    activation,
    customer,
    member: (await make.user({ role: 'customer', customer_id: customer })).id,
    owner,
    bystander: bystander.email,
    colleague: colleague.id,
    flavor: platform.flavor.id,
    platform: platform.id,
    part: platform.part_id ?? '',
    firmware: firmware.id,
    product: made.id,
    code: made.code,
    published: published.id,
    bundle: bundle.id,
    draft: draft.id,
    draftResource: draftResource.id,
    excludedResource: excluded.id,
    resource: resource.id,
    device: gadget.id,
    update: String(update.id),
    ...(await doorParts(storage, made.id, gadget.id)),
    /** The other position of the switch that lets the vendor at its files. */
    trust: gadget.vendor_files ? 'off' : 'on',
    ...parts,
    rollout,
    ...logs,
  };
}

/** The roles that the caller of such a scene has towards its product, its device and the service as a whole. */
export function heldBy(role: Role, on: 'product' | 'device' | 'other'): Role[] {
  const vendor: readonly Role[] = role === 'trustedVendor' ? ['manager'] : [];
  if (on === 'product' && role === 'trustedVendor') return ['anyone', 'manager'];
  if (on === 'product') return [...new Set<Role>(['anyone', role])];
  // That a product is public shows none of the devices on it.
  if (on === 'device' && (role === 'visitor' || role === 'onlooker')) return ['anyone'];
  if (on === 'device' && role === 'endUser') return ['anyone', 'deviceOwner'];
  if (on === 'device') return [...new Set<Role>(['anyone', ...vendor, role])];
  return role === 'admin' ? ['anyone', 'admin'] : ['anyone'];
}

/** What the blanks of paths are filled with: things of the scene, and ids of nothing. */
export const paramsOf = (scene: AccessScene): Readonly<Record<string, string>> => ({
  product_id: scene.product,
  bundle_id: scene.bundle,
  resource_id: scene.resource,
  device_id: scene.device,
  identifier: scene.device,
  id: scene.device,
  platform_id: scene.platform,
  connector_id: scene.connector,
  segment_id: scene.segment,
  rule_id: scene.rule,
  alert_id: scene.alert,
  rollout_id: scene.rollout,
  customer_id: scene.customer,
  user_id: scene.caller.id,
  service_account_id: randomUUID(),
  token_id: randomUUID(),
  view_id: randomUUID(),
  membership_id: randomUUID(),
  link_id: randomUUID(),
  passkey_id: randomUUID(),
  gateway_id: randomUUID(),
  found_id: randomUUID(),
  update_id: scene.update,
  log_id: randomUUID(),
  message_id: randomUUID(),
  broadcast_id: randomUUID(),
  tag: 'release',
  number: '1',
  path: 'some/file.txt',
  name: 'data',
});

export type Values = Readonly<Record<string, unknown>>;

/** An example of the body of an endpoint, with things of the scene where it names some. */
export function exampleFor({ body }: EndpointShape, scene: AccessScene): Values | undefined {
  if (!body || isBinary(body)) return undefined;
  // Safe: bodies are objects.
  const example = exampleOf(body) as Values;
  const known: Values = { ...paramsOf(scene), device_ids: [scene.device] };
  const things = Object.keys(example).filter((name) => /_ids?$/.test(name) && name in known);
  return { ...example, ...Object.fromEntries(things.map((name) => [name, known[name]])) };
}
