import type { Client, ExecutionRecord, RolloutRecord } from '@moorage/api';
import { seededRandom, unwrap } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { ensureExample, must } from '../../packages/moorage/src/up/example.ts';
import { dataFolder } from '../data-folder.ts';
import { KilledService } from '../rollout-kills-scene.ts';

const fleetSize = 1_000;
const partId = '2b004189';
/** Devices that are made at the same time. */
const madeAtOnce = 8;
/** As many as one page may have. */
const pageLimit = 500;

interface Buoy {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  runs: string;
}

/** The fleet, each device with its token, activated to the example's product. */
async function makeBuoys(client: Client, platform_id: string, product_id: string): Promise<Map<string, Buoy>> {
  const buoys = new Map<string, Buoy>();
  const make = async (number: number): Promise<void> => {
    const uuid = partId + String(number).padStart(32, '0');
    const { id, token } = must(await client.call('devices.provision', { body: { uuid, platform_id } }));
    must(await client.call('devices.activate', { params: { device_id: id }, body: { product_id } }));
    buoys.set(id, { id, runs: '', headers: { 'x-device-uuid': uuid, 'x-device-token': token } });
  };
  for (let first = 0; first < fleetSize; first += madeAtOnce) {
    await Promise.all(Array.from({ length: madeAtOnce }, (_, place) => make(first + place)));
  }
  return buoys;
}

/** A published bundle that carries no tag. */
async function otherBundle(client: Client, product_id: string, version: string): Promise<string> {
  const params = { product_id };
  const { firmware_id } = must(await client.call('bundles.byTag', { params: { ...params, tag: 'release' } }));
  const { id } = must(await client.call('bundles.create', { params, body: { product_id, firmware_id, version } }));
  const file = { filename: 'tides.csv', content: `year,month ${version}` };
  must(await client.call('bundles.addResource', { params: { bundle_id: id }, body: file }));
  must(await client.call('bundles.setState', { params: { bundle_id: id }, body: { state: 'published' } }));
  return id;
}

async function allExecutions(client: Client, rollout_id: string, stage?: number): Promise<ExecutionRecord[]> {
  const found: ExecutionRecord[] = [];
  for (;;) {
    const query = { limit: pageLimit, offset: found.length, ...(stage !== undefined && { stage }) };
    const page = must(await client.call('rollouts.executions', { params: { rollout_id }, query }));
    found.push(...page);
    if (page.length < pageLimit) return found;
  }
}

/** Devices in each state, counted one by one. */
function countedOf(executions: readonly ExecutionRecord[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { state } of executions) counted[state] = (counted[state] ?? 0) + 1;
  return counted;
}

/** The same as the service keeps it. */
function keptOf({ stages }: RolloutRecord): Record<string, number> {
  const kept: Record<string, number> = {};
  for (const { counts } of stages) {
    for (const [state, n] of Object.entries(counts)) if (n > 0) kept[state] = (kept[state] ?? 0) + n;
  }
  return kept;
}

describe.each(['sqlite', 'postgres'] as const)('a rollout over a thousand devices on %s', (kind) => {
  const folder = dataFolder(`kills-${kind}`);
  const random = seededRandom(`kills ${kind}`);
  let service: KilledService;

  /** Asks once and does what it is told. Returns whether it was offered something. */
  async function ask(buoy: Buoy, isBroken: boolean): Promise<boolean> {
    const { headers } = buoy;
    const offer = await service.device('/ota', headers, { bversion: buoy.runs });
    if (offer.result !== 'update') return false;
    const report = { bundle_id: offer.bundle_id, bversion: buoy.runs };
    await service.device('/ota/result', headers, { ...report, result: 1 });
    if (!isBroken) buoy.runs = String(offer.bversion);
    await service.device('/ota/result', headers, { ...report, bversion: buoy.runs, result: 0 });
    return true;
  }

  // API-RULE-rollout-3, API-EP-POST-rollouts-rollout_id-retry, API-CHAN-processes
  test('of a bundle that breaks a fifth stops itself in the second stage, however often the service is killed', async () => {
    service = new KilledService(kind, folder.path, random);
    await service.start();
    const client = await service.client();
    const { platform, product } = await ensureExample(client, partId);
    const params = { product_id: product.id };
    const buoys = await makeBuoys(client, platform.id, product.id);
    const release = must(await client.call('bundles.byTag', { params: { ...params, tag: 'release' } }));
    for (const buoy of buoys.values()) buoy.runs = release.bversion;
    const bad = await otherBundle(client, product.id, '1.0.0.2');
    const good = await otherBundle(client, product.id, '1.0.0.3');
    const settings = {
      stages: [{ percent: 1, gate: { done_percent: 30 } }, { percent: 10, gate: { done_percent: 95 } }, {}],
      abort: [{ kind: 'any' as const, percent: 10, min: 20, action: 'pause' as const }],
    };
    const body = { title: 'To the fleet', bundle_id: bad, settings };
    const { id: rollout_id } = must(await client.call('rollouts.create', { params, body }));
    const of = { params: { rollout_id } };
    const rollout = async () => must(await (await service.client()).call('rollouts.get', of));

    // What is sent again after it was done is refused: the state says that it was.
    service.killDuring(1, 1);
    unwrap(await service.person((to) => to.call('rollouts.act', { ...of, body: { action: 'start' } })));
    expect(await rollout()).toMatchObject({ state: 'running', stage: 0 });
    const order: Buoy[] = [];
    for (const stage of [0, 1, 2]) {
      const executions = await allExecutions(await service.client(), rollout_id, stage);
      const ids = executions.map(({ device_id }) => device_id).sort();
      for (const id of ids) order.push(buoys.get(id) ?? expect.unreachable());
    }
    expect(order).toHaveLength(fleetSize);

    // Of each five devices one is broken by it: four of the first twenty, and there it stops.
    service.killDuring(4, 60);
    const offered: number[] = [];
    for (const [place, buoy] of order.entries()) if (await ask(buoy, place % 5 === 2)) offered.push(place);
    expect(offered).toEqual(Array.from({ length: 20 }, (_, place) => place));
    const stopped = await rollout();
    const reason = '4 of 20 devices failed: 20 %, at least 8.1 %; the rollout stops at 10 % of 20 or more';
    expect(stopped).toMatchObject({ state: 'paused', stage: 1, reason });
    expect(stopped.stages.map(({ total, counts: { done, failed } }) => [total, done, failed])).toEqual([
      [10, 8, 2],
      [90, 8, 2],
      [900, 0, 0],
    ]);
    const third = await allExecutions(await service.client(), rollout_id, 2);
    expect(new Set(third.map(({ state, update_id }) => `${state} ${update_id}`))).toEqual(new Set(['waiting null']));

    service.killDuring(1, 1);
    unwrap(await service.person((to) => to.call('rollouts.retry', { ...of, body: { bundle_id: good } })));
    service.killDuring(4, 2_900);
    // Another bundle goes to all of them, those that are done with the bad one too, from the first stage on.
    let offers = 0;
    for (const buoy of [...order, ...order]) if (await ask(buoy, false)) offers++;
    expect(offers).toBe(fleetSize);
    const finished = await rollout();
    expect(finished).toMatchObject({ state: 'finished', bundle_id: good });
    expect(keptOf(finished)).toEqual({ done: fleetSize });
    expect(countedOf(await allExecutions(await service.client(), rollout_id))).toEqual({ done: fleetSize });
    expect(service.kills).toBe(10);
    await service.close();
  });
});
