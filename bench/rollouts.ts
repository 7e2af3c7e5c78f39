import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RolloutSettings } from '@moorage/api';
import { unwrap } from '@moorage/base';
import { mergeDeviceCounts } from '@moorage/service/core/devices/counts';
import { openRecords } from '@moorage/service/tables';
import { type OtaWorld, otaWorld } from '@moorage/service/testing/ota-world';
import { PostgresServer } from '@moorage/service/testing/postgres-server';
import { sql } from 'kysely';
import { type Benchmark, type Finding, interleave } from './harness.ts';

const deviceCount = 100_000;
const rows = 500;
const rounds = 3;
const minuteMs = 60_000;
/** Queries of one round, each of another device; rounds of them, and of pages, which are short. */
const queriesInRound = 2_000;
const queryRounds = 15;
/** Devices that are offered something in one round, and queries that are open at a time. */
const offersInRound = 500;
const open = 8;
const filteredRollouts = 20;
/** Devices of a rollout in groups. */
const groupedDevices = 1_000;
const groupCount = 10;

setFlagsFromString('--expose-gc');
/** What has been prepared is not paid for by what is measured. */
const collectGarbage: () => void = runInNewContext('gc');

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

/** Devices of a product that have a token, so that they can ask. */
async function askersOf({ productWithRelease, deviceOn }: OtaWorld) {
  const made = await productWithRelease();
  const reported = { bversion: made.release.bversion };
  const asking = [];
  for (let number = 0; number < queriesInRound; number++) asking.push(await deviceOn(made.product.id, reported));
  return { ...made, reported, asking };
}

type Askers = Awaited<ReturnType<typeof askersOf>>;

/** A product of many devices with attributes; the first few can ask. */
async function fleetOf(world: OtaWorld) {
  const { app, platform, people, deviceOn } = world;
  const { db } = app.storage;
  const { product, bundleOf, release, reported, asking } = await askersOf(world);
  const bundle = await bundleOf(null);
  const { token: _token, ...pattern } = await deviceOn(product.id, reported);
  await db.deleteFrom('devices').where('id', '=', pattern.id).execute();
  const ids = Array.from({ length: deviceCount - queriesInRound }, () => randomUUID());
  for (let at = 0; at < ids.length; at += rows) {
    const part = ids.slice(at, at + rows);
    const devices = part.map((id, number) => ({
      ...pattern,
      id,
      uuid: id.replaceAll('-', '').padEnd(40, '0'),
      title: `Buoy ${at + number}`,
      created_at: pattern.created_at + at + number,
    }));
    await db.insertInto('devices').values(devices).execute();
    const attributes = part.flatMap((device_id, number) =>
      ['free_flash', 'rssi', 'uptime', 'heap'].map((name) => {
        const value = (at + number) % 1000;
        return { device_id, name, value: String(value), number: value, version_key: null, since: pattern.created_at };
      }),
    );
    await db.insertInto('attributes').values(attributes).execute();
  }
  // One device for each rollout with a filter, so that it goes on.
  const labels = ids.slice(0, filteredRollouts).map((device_id, number) => ({ device_id, value: `pier${number}` }));
  await db
    .insertInto('labels')
    .values(labels.map((label) => ({ ...label, name: 'site' })))
    .execute();
  // What the service does by itself within minutes, and PostgreSQL; SQLite keeps no statistics by itself.
  await mergeDeviceCounts(app);
  if (app.storage.kind === 'postgres') await sql`vacuum analyze`.execute(app.storage.background.db);
  const client = app.client.as(people.maker.token);
  const params = { product_id: product.id };
  const start = async (settings: RolloutSettings, filter?: string): Promise<string> => {
    const body = { title: 'Bench', bundle_id: bundle.id, settings, ...(filter !== undefined && { filter }) };
    const { id } = unwrap(await client.call('rollouts.create', { params, body })).value;
    unwrap(await client.call('rollouts.act', { params: { rollout_id: id }, body: { action: 'start' } }));
    return id;
  };
  const end = async (rollout_id: string): Promise<void> => {
    unwrap(await client.call('rollouts.act', { params: { rollout_id }, body: { action: 'abort' } }));
    await db.deleteFrom('rollouts').where('id', '=', rollout_id).execute();
  };
  return { product, release, asking, client, platform, start, end };
}

type Fleet = Awaited<ReturnType<typeof fleetOf>>;

/** Queries of devices, some at a time; returns milliseconds for each. */
async function ask(
  world: OtaWorld,
  { asking, release }: Pick<Askers, 'asking' | 'release'>,
  count: number,
  kind: string,
): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const device = asking[number % asking.length];
      if (!device) throw new Error('There are no devices');
      const answer = await world.ask(device, { bversion: release.bversion });
      if (answer.result !== kind) throw new Error(`Answered ${JSON.stringify(answer)}`);
    }
  };
  return (await elapsed(() => Promise.all(Array.from({ length: open }, lane)))) / count;
}

const stages = [{ percent: 1, gate: { done_percent: 90 } }, { percent: 10, gate: { done_percent: 90 } }, {}];

/** First pages of lists with a filter, beside those without one. */
async function pages({ client }: Fleet): Promise<Finding[]> {
  const page = (filter?: string) =>
    elapsed(async () => {
      const query = { limit: 50, ...(filter !== undefined && { filter }) };
      unwrap(await client.call('devices.list', { query }));
    });
  const common = { beside: 'without', unit: 'ms', limit: { atMost: 20 } };
  const few = await interleave(
    queryRounds,
    () => page('attribute.free_flash=lt=10'),
    () => page(),
  );
  const many = await interleave(
    queryRounds,
    () => page('attribute.free_flash=ge=500'),
    () => page(),
  );
  return [
    { label: 'first page of a filter that 1 % fit', ...common, ...few },
    { label: 'first page of a filter that half fit', ...common, ...many },
  ];
}

async function starts({ product, release, client, start, end }: Fleet): Promise<Finding[]> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const pages: number[] = [];
  const params = { product_id: product.id };
  const body = { title: 'Bench', bundle_id: release.id, settings: { stages } };
  for (let round = 0; round < rounds; round++) {
    theirs.push(await elapsed(() => client.call('rollouts.preview', { params, body })));
    let id = '';
    const begin = async () => {
      id = await start({ stages });
    };
    ours.push(await elapsed(begin));
    const ofRollout = { params: { rollout_id: id }, query: { limit: 50 } };
    const page = async () => void unwrap(await client.call('rollouts.executions', ofRollout));
    await page();
    pages.push(await elapsed(page));
    await end(id);
  }
  const common = { unit: 'ms', limit: { atMost: 2_000 } };
  return [
    { ...common, label: `create and start over ${deviceCount} devices`, beside: 'its preview', ours, theirs },
    { ...common, label: 'page of its devices', beside: 'its start', ours: pages, theirs: ours, limit: { atMost: 10 } },
  ];
}

/** Queries of a product with rollouts that have no say over those who ask, in turns with those of one without any. */
async function outside(world: OtaWorld, fleet: Fleet): Promise<Finding> {
  const { db } = world.app.storage;
  const without = await askersOf(world);
  const ids: string[] = [];
  for (let number = 0; number < filteredRollouts; number++) {
    ids.push(await fleet.start({ stages: [{}] }, `label.site==pier${number}`));
  }
  const asked = (of: Pick<Askers, 'asking' | 'release'>) => async () => {
    // Nothing is remembered of a device when it asks.
    await db.updateTable('products').set({ summary: '' }).where('id', '=', fleet.product.id).execute();
    collectGarbage();
    return ask(world, of, queriesInRound, 'none');
  };
  const pair = await interleave(queryRounds, asked(fleet), asked(without));
  for (const id of ids) await fleet.end(id);
  const label = `update query outside of ${filteredRollouts} rollouts with filters`;
  return { label, beside: 'without rollouts', unit: 'ms', ...pair, goal: { atMost: 1.15 } };
}

async function offers(world: OtaWorld, fleet: Fleet): Promise<Finding> {
  const { db } = world.app.storage;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(minuteMs / (await ask(world, fleet, offersInRound, 'none')));
    const id = await fleet.start({ stages: [{}] });
    ours.push(minuteMs / (await ask(world, fleet, offersInRound, 'update')));
    await fleet.end(id);
    await db.updateTable('devices').set({ update_id: null }).where('product_id', '=', fleet.product.id).execute();
    await db.deleteFrom('updates').execute();
  }
  const beside = 'queries that bring nothing';
  return { label: 'devices offered a bundle', beside, unit: 'a minute', ours, theirs, limit: { atLeast: 10_000 } };
}

/** A rollout in groups whose devices answer at once: all of it, and from the last report of a group to the next offer. */
async function groups(world: OtaWorld): Promise<Finding[]> {
  const { product, bundleOf, release } = await world.productWithRelease();
  const made = [];
  for (let number = 0; number < groupedDevices; number++) made.push(await world.deviceOn(product.id));
  const devices = new Map(made.map((device) => [device.id, device]));
  const client = world.app.client.as(world.people.maker.token);
  const inGroups = Array.from({ length: groupCount - 1 }, (_, index) => ({
    percent: ((index + 1) * 100) / groupCount,
  }));
  const whole: number[] = [];
  const between: number[] = [];
  const prepared: number[] = [];
  let runs = release.bversion;
  for (let round = 0; round < rounds; round++) {
    const bundle = await bundleOf(null);
    const from = performance.now();
    // The clock of the service stands still: the youngest is told by its priority.
    const body = { title: 'Groups', bundle_id: bundle.id, priority: round, settings: { stages: [...inGroups, {}] } };
    const { id } = unwrap(await client.call('rollouts.create', { params: { product_id: product.id }, body })).value;
    const of = { params: { rollout_id: id } };
    unwrap(await client.call('rollouts.act', { ...of, body: { action: 'start' } }));
    prepared.push(performance.now() - from);
    const executions = world.app.storage.db.selectFrom('executions').select(['device_id', 'stage']);
    const byStage = Map.groupBy(await executions.where('rollout_id', '=', id).execute(), ({ stage }) => stage);
    let reportedAt: number | undefined;
    for (let stage = 0; stage < groupCount; stage++) {
      const waiting = byStage.get(stage) ?? [];
      const lane = async (): Promise<void> => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const device = devices.get(next.device_id);
          if (!device) throw new Error('A device is gone');
          const answer = await world.ask(device, { bversion: runs });
          if (answer.result !== 'update') throw new Error(`Answered ${JSON.stringify(answer)}`);
          if (reportedAt !== undefined) between.push(performance.now() - reportedAt);
          reportedAt = undefined;
          await world.report(device, bundle.id, 1, runs);
          await world.report(device, bundle.id, 1, bundle.bversion);
        }
      };
      // All devices of a group answer at once.
      await Promise.all(Array.from({ length: groupedDevices / groupCount }, lane));
      reportedAt = performance.now();
    }
    whole.push(performance.now() - from);
    const { state } = unwrap(await client.call('rollouts.get', of)).value;
    if (state !== 'finished') throw new Error(`The rollout is ${state}`);
    runs = bundle.bversion;
  }
  const label = `rollout over ${groupedDevices} devices in ${groupCount} groups`;
  const common = { unit: 'ms', theirs: prepared, beside: 'its preparation' };
  return [
    { ...common, label, ours: whole, limit: { atMost: 3_000 } },
    { ...common, label: 'from group to group', ours: between, limit: { atMost: 100 } },
  ];
}

async function measure(name: string, world: OtaWorld): Promise<Finding[]> {
  const fleet = await fleetOf(world);
  const findings = [
    ...(await pages(fleet)),
    await outside(world, fleet),
    ...(await starts(fleet)),
    await offers(world, fleet),
    ...(await groups(world)),
  ];
  return findings.map((finding) => ({ ...finding, label: `${name}: ${finding.label}` }));
}

async function onDatabase(name: string, url: string): Promise<Finding[]> {
  const storage = await openRecords(url);
  try {
    return await measure(name, await otaWorld(storage));
  } finally {
    await storage.close();
  }
}

/** Rollouts over a large fleet, on both databases; the service is in this process, without sockets. */
export const rollouts: Benchmark = {
  name: 'rollouts',
  goal: 'a rollout over 100,000 devices starts within 2 s; 10,000 devices offered a minute; an update query outside of 20 rollouts costs at most 1.15; the first page of a filter within 20 ms, one of its devices within 10 ms; 1,000 devices in 10 groups within 3 s, 100 ms between',
  async run() {
    const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
    const server = await PostgresServer.create();
    try {
      const sqlite = await onDatabase('SQLite', `sqlite:${join(folder, 'moorage.db')}`);
      await server.start();
      return [...sqlite, ...(await onDatabase('PostgreSQL', server.url()))];
    } finally {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
