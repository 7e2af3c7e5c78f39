import { DatabaseSync } from 'node:sqlite';
import type { DeviceRecord } from '@moorage/api';
import { dayMs, hourMs, unwrap } from '@moorage/base';
import { expect, vi } from 'vitest';
import { openQuay, type Quay } from './harness.ts';

/** More entries of the log than one search looks through. */
const manyEntries = 45_000;

/** What is easily said wrong: what is to come, what is held, what is silent, what is over. */
export interface FactsScene {
  readonly quay: Quay;
  /** Frozen until next month; its release is older than its newest version. */
  readonly product: { readonly id: string; readonly product: string };
  readonly devices: Readonly<Record<'pinned' | 'silent' | 'late' | 'never' | 'blocked', string>>;
  readonly rollouts: Readonly<Record<'finished' | 'aborted' | 'draft', string>>;
  /** The newest bundle, which carries no tag. */
  readonly newest: string;
  readonly oldEntry: string;
}

/** Makes devices of a product. */
async function devicesOf({ client }: Quay, model: DeviceRecord, productId: string, names: readonly string[]) {
  const ids: string[] = [];
  for (const [number, title] of names.entries()) {
    const uuid = `${model.uuid.slice(0, 8)}${String(number + 1).padStart(32, '0')}`;
    const body = { uuid, platform_id: model.platform_id, title };
    ids.push(unwrap(await client.call('devices.provision', { body })).value.id);
  }
  unwrap(await client.call('manyDevices.activate', { body: { device_ids: ids, product_id: productId } }));
  return ids;
}

/** Lets time pass in the records: no device grows silent within a test. */
function age(records: string, silent: string, late: string, entry: string): void {
  const db = new DatabaseSync(records);
  db.exec('pragma busy_timeout = 10000');
  const now = Date.now();
  const seen = db.prepare("update devices set state = 'active', last_seen_at = ? where id = ?");
  seen.run(now - 3 * dayMs, silent);
  seen.run(now - 3 * hourMs, late);
  // The newest row as often as one search looks through, and one of another text before all of them.
  const columns = (db.prepare('pragma table_info(logs)').all() as { name: string }[]).map(({ name }) => name);
  const others = columns.filter((name) => !['id', 'created_at', 'message'].includes(name)).join(', ');
  const row = `from logs where quiet = 0 and type = 'device.provision' order by created_at desc limit 1`;
  db.exec(`insert into logs (id, created_at, message, ${others})
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${manyEntries})
    select '00000000-0000-4000-8000-' || substr('000000000000' || i, -12), l.created_at - i, 'Of no matter', ${others}
      from n, (select * ${row}) as l`);
  db.exec(`insert into logs (id, created_at, message, ${others})
    select '00000000-0000-4000-9000-000000000000', created_at - ${400 * dayMs}, '${entry}', ${others} ${row}`);
  db.close();
}

/** Makes a bundle with a file, and publishes it. */
async function publish({ client }: Quay, product_id: string, firmware_id: string, version: string): Promise<string> {
  const body = { product_id, firmware_id, version };
  const { id: bundle_id } = unwrap(await client.call('bundles.create', { params: { product_id }, body })).value;
  const file = { filename: 'webapp/new.txt', type: 'MISC_FIX_LEN', base64: 'bmV3' } as const;
  unwrap(await client.call('bundles.addResource', { params: { bundle_id }, body: file }));
  unwrap(await client.call('bundles.setState', { params: { bundle_id }, body: { state: 'published' } }));
  return bundle_id;
}

/** A rollout that brings a bundle to the module, and has ended. */
async function finishedRollout(quay: Quay, { title, product_id }: DeviceRecord, firmwareId: string): Promise<string> {
  const { client } = quay;
  const bundle_id = await publish(quay, product_id, firmwareId, '9.0.0.0');
  const body = { title: 'To the module', bundle_id, filter: `title=='${title}'`, settings: { stages: [{}] } };
  const { id } = unwrap(await client.call('rollouts.create', { params: { product_id }, body })).value;
  const params = { rollout_id: id };
  unwrap(await client.call('rollouts.act', { params, body: { action: 'start' } }));
  const state = async () => unwrap(await client.call('rollouts.get', { params })).value.state;
  await vi.waitFor(async () => expect(await state()).toBe('finished'), { timeout: 60_000, interval: 200 });
  return id;
}

/** Starts a service with all of it. */
export async function openFactsScene(): Promise<FactsScene> {
  const quay = await openQuay();
  const { client } = quay;
  const model = unwrap(await client.call('devices.get', { params: { identifier: quay.uuid } })).value;
  const released = { product_id: model.product_id, tag: 'release' } as const;
  const { firmware_id } = unwrap(await client.call('bundles.byTag', { params: released })).value;
  const add = { title: 'Winter buoy', code: 'WINTER', meta: '', platform_id: model.platform_id };
  const product = unwrap(await client.call('products.create', { body: add })).value;
  const params = { product_id: product.id };
  const oldest = await publish(quay, product.id, firmware_id, '1.0.0.0');
  const newest = await publish(quay, product.id, firmware_id, '1.1.0.0');
  unwrap(await client.call('bundles.setTag', { params: { bundle_id: oldest }, body: { tag: 'release' } }));
  const names = ['Pinned buoy', 'Silent buoy', 'Late buoy', 'Buoy never seen', 'Blocked buoy'];
  const [pinned = '', silent = '', late = '', never = '', blocked = ''] = await devicesOf(
    quay,
    model,
    product.id,
    names,
  );
  const rollout = async (title: string, filter: string, actions: readonly ('start' | 'abort')[]) => {
    const body = { title, bundle_id: newest, filter, settings: { stages: [{ percent: 20 }, {}] } };
    const { id } = unwrap(await client.call('rollouts.create', { params, body })).value;
    for (const action of actions) {
      unwrap(await client.call('rollouts.act', { params: { rollout_id: id }, body: { action } }));
    }
    return id;
  };
  const rollouts = {
    finished: await finishedRollout(quay, model, firmware_id),
    aborted: await rollout('Stopped early', 'title==*buoy', ['start', 'abort']),
    draft: await rollout('Not yet', 'title==*buoy', []),
  };
  const oldEntry = 'Update failed on Light Busan';
  age(quay.records, silent, late, oldEntry);
  unwrap(await client.call('devices.setState', { params: { device_id: blocked }, body: { state: 'disabled' } }));
  const untilMs = Date.now() + 27 * dayMs;
  const holds = { reason: 'Holiday season', until: untilMs };
  const pin = { params: { device_id: pinned }, body: { bundle_id: oldest, ...holds, reason: 'On loan' } };
  unwrap(await client.call('rollouts.pin', pin));
  unwrap(await client.call('rollouts.freeze', { params, body: holds }));
  const hook = { title: 'Harbour office', code: 'HOOK', opts: { url: 'https://example.com/hook' } };
  unwrap(await client.call('connectors.create', { params, body: hook }));
  unwrap(await client.call('invitations.create', { body: { email: 'pia@example.com', days: 7 } }));
  return { quay, product, devices: { pinned, silent, late, never, blocked }, rollouts, newest, oldEntry };
}
