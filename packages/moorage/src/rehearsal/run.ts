import { type BodyOf, type Client, type ExecutionRecord, type rolloutsContract, usualPollS } from '@moorage/api';
import { dayMs, seededRandom } from '@moorage/base';
import { type MemoryStore, SharedContents } from '@moorage/base/store/memory';
import type { FleetScenario } from '@moorage/fleet';
import { boardOf } from '@moorage/fleet/fleet';
import { turnsOf } from '@moorage/fleet/pace';
import { planTwin, type TwinPlan } from '@moorage/fleet/plan';
import { copyOf, identityTexts, patternOf } from '@moorage/fleet/rehearsal/flash';
import type { FleetGroup } from '@moorage/fleet/scenario';
import { type Tally, Twin, type World } from '@moorage/fleet/twin';
import { identityOf } from '@moorage/module';
import type { Model } from '@moorage/module/model/model';
import { ensureExample, must } from '../up/example.ts';
import { bundleFiles } from '../up/example-files.ts';
import { seedHostRandom } from './host-random.ts';
import { type Observed, observe, reachedOf } from './observe.ts';
import { type Load, place, RehearsalWorld } from './world.ts';

/** A rollout as the API is asked for one; the bundle is that of the rehearsal. */
export type PlannedRollout = Omit<BodyOf<(typeof rolloutsContract)['create']>, 'bundle_id'>;

/** A file as the service takes it for bundles. */
export interface BundleFile {
  readonly filename: string;
  readonly base64: string;
}

export interface Rehearsal {
  readonly rollout: PlannedRollout;
  readonly version: string;
  /** Of the bundle; those of the example without them. */
  readonly files?: readonly BundleFile[] | undefined;
  readonly scenario: FleetScenario;
  readonly devices: number;
  /** Version of the groups that name none. */
  readonly from: string;
  /** Seconds between two polls, as the product is set; the service's own without it. */
  readonly pollS?: number | undefined;
  /** Of all devices, that are not heard of at all. */
  readonly silentPercent?: number | undefined;
  /** Longest time that is looked at, in days. */
  readonly days: number;
}

export interface Failure {
  readonly kind: string;
  readonly group: string;
  readonly stage: number;
  readonly devices: number;
}

/** What has come of one run. Times are seconds from the start of the rollout. */
export interface Run extends Observed {
  readonly seed: string;
  readonly devices: number;
  readonly done: number;
  readonly failed: number;
  /** Had been offered the bundle when it was over. */
  readonly reached: number;
  readonly half_s: number | null;
  readonly most_s: number | null;
  readonly nearly_all_s: number | null;
  readonly failures: readonly Failure[];
  readonly load: Load;
}

/** A Monday, 8:00 UTC. */
const startMs = Date.UTC(2026, 0, 5, 8);
/** Before it, for what has to be made first. */
const beforeMs = dayMs;
/** Devices of one call, and of one page. */
const atOnce = 500;

/** Why a rehearsal cannot be: a sentence for its user. */
export class RehearsalError extends Error {}

/** Calls that have to work; the service's own words when one does not. */
function wanted<T>(result: Parameters<typeof must<T>>[0], what: string): T {
  if (result.ok) return result.value.value;
  const { message, validation } = result.error.body;
  throw new RehearsalError(`${what}: ${validation?.keys[0] ? `"${validation.keys[0]}": ` : ''}${message}`);
}

interface Stage {
  readonly world: RehearsalWorld;
  readonly productId: string;
  readonly product: string;
  readonly platformId: string;
  readonly bundleId: string;
  readonly partId: string;
}

/** The product with every bundle that a group runs, and the one that is rolled out. */
async function prepare(world: RehearsalWorld, { files, from, pollS, scenario, version }: Rehearsal): Promise<Stage> {
  const { api } = world;
  const partId = scenario.groups[0]?.model.partId ?? '';
  const { bundle: first, platform, product } = await ensureExample(api, partId);
  // Nothing but the rollout moves devices, and every version is free.
  const example = { params: { bundle_id: first.id } };
  must(await api.call('bundles.setTag', { ...example, body: { tag: '' } }));
  for (const state of ['archive', 'trash'] as const) {
    must(await api.call('bundles.setState', { ...example, body: { state } }));
  }
  const params = { product_id: product.id };
  const make = async (wantedVersion: string, contents: readonly BundleFile[]): Promise<string> => {
    const body = { product_id: product.id, firmware_id: first.firmware_id, version: wantedVersion };
    const { id } = wanted(await api.call('bundles.create', { params, body }), `Bundle ${wantedVersion}`);
    const at = { params: { bundle_id: id } };
    for (const { base64, filename } of contents) {
      const added = await api.call('bundles.addResource', { ...at, body: { filename, base64 } });
      wanted(added, `File "${filename}" of bundle ${wantedVersion}`);
    }
    must(await api.call('bundles.setState', { ...at, body: { state: 'published' } }));
    return id;
  };
  const versions = new Set(scenario.groups.map((group) => group.version ?? from));
  if (versions.has(version)) throw new RehearsalError(`Bundle ${version} is what devices run already`);
  for (const other of versions) await make(other, bundleFiles(other));
  const bundleId = await make(version, files ?? bundleFiles(version));
  if (pollS !== undefined) {
    must(await api.call('rollouts.setFleetSettings', { params, body: { poll_interval_s: pollS } }));
  }
  return { world, productId: product.id, product: product.product, platformId: platform.id, bundleId, partId };
}

/** Makes modules devices of the product. Returns their tokens and ids, in the order of the uuids. */
async function enrol({ platformId, productId, world: { api } }: Stage, modules: readonly NewTwin[]) {
  const made: { readonly token: string; readonly id: string }[] = [];
  for (let at = 0; at < modules.length; at += atOnce) {
    const devices = modules.slice(at, at + atOnce).map((module) => ({ ...module, platform_id: platformId }));
    const { rows } = must(await api.call('manyDevices.import', { body: { devices, preview: false } }));
    const ids = rows.map(({ device_id, message, token }) => {
      if (device_id === null || token === null) throw new RehearsalError(`A device cannot be made: ${message}`);
      made.push({ token, id: device_id });
      return device_id;
    });
    must(await api.call('manyDevices.activate', { body: { device_ids: ids, product_id: productId } }));
  }
  return made;
}

interface NewTwin {
  readonly uuid: string;
  readonly title: string;
}

/** The flash that devices of each group begin with. */
async function patterns(stage: Stage, { from, scenario }: Rehearsal, seed: string) {
  const { world } = stage;
  const { api, clock } = world;
  const shared = new SharedContents();
  const found = new Map<
    FleetGroup,
    { readonly model: Model; readonly store: MemoryStore; readonly bversion: string }
  >();
  for (const [index, group] of scenario.groups.entries()) {
    const model = await boardOf(group, stage.partId, clock);
    const version = group.version ?? from;
    let id = '';
    const adopt = async (uuid: string): Promise<string> => {
      const [made] = await enrol(stage, [{ uuid, title: 'pattern' }]);
      id = made?.id ?? '';
      return made?.token ?? '';
    };
    const parts = { clock, group, model, shared, version, adopt, service: place };
    const net = world.net(`pattern ${index}`, 65_000 + index);
    const store = await world
      .until(patternOf({ ...parts, net, seed: `pattern ${seed} ${index}` }))
      .catch((cause: Error) => {
        throw new RehearsalError(cause.message, { cause });
      });
    const { bversion } = must(await api.call('devices.get', { params: { identifier: id } }));
    // It is none of the fleet.
    must(await api.call('manyDevices.remove', { body: { device_ids: [id] } }));
    found.set(group, { model, store, bversion: bversion ?? '' });
  }
  return found;
}

const noTally = (): Tally => ({
  polls: 0,
  updates: 0,
  failures: 0,
  troubles: 0,
  trouble: '',
  sentBytes: 0,
  receivedBytes: 0,
});

/** Makes the twins, which have long been devices of the product, and lets each begin when its next poll may be due. */
async function cast(stage: Stage, rehearsal: Rehearsal, seed: string): Promise<readonly Twin[]> {
  const { world } = stage;
  const { clock, service } = world;
  const { devices: count, scenario, silentPercent = 0 } = rehearsal;
  const groups = await patterns(stage, rehearsal, seed);
  const patternFor = (plan: TwinPlan) => {
    const found = groups.get(plan.group);
    if (!found) throw new Error(`Group "${plan.group.name}" has no pattern`);
    return found;
  };
  const plans = Array.from({ length: count }, (_, index) => planTwin(scenario, seed, index, count));
  const modules = plans.map((plan) => ({
    uuid: identityOf(plan.seed, patternFor(plan).model).uuid.toLowerCase(),
    title: plan.title,
  }));
  // The service needs no time for these: what it would be given is missing from the days of the rollout.
  const made = await enrol(stage, modules);
  for (const [index, plan] of plans.entries()) {
    const { uuid = '' } = modules[index] ?? {};
    const headers = { 'x-device-uuid': uuid, 'x-device-token': made[index]?.token ?? '' };
    const { bversion } = patternFor(plan);
    const said = await service.devices.inject({ method: 'POST', url: '/ota', headers, payload: { bversion } });
    if (said.statusCode >= 500) throw new Error(`The service failed: ${said.payload}`);
  }
  const parts: World = {
    clock,
    hostClock: clock,
    net: (index) => world.net(`twin ${index}`, index),
    openStore: async (index) => {
      const plan = plans[index];
      if (!plan) throw new Error(`There is no twin ${index}`);
      const store = await copyOf(patternFor(plan).store, made[index]?.token ?? '');
      return { store, close: async () => {} };
    },
    service: place,
    ca: identityTexts.ca,
    product: stage.product,
    modelOf: (group) => groups.get(group)?.model ?? group.model,
    enrolment: { renew: unexpected, activationToken: unexpected },
    turns: turnsOf(clock, undefined),
    tally: noTally(),
  };
  const random = seededRandom(`begin ${seed}`);
  if (clock.now() > startMs)
    throw new Error('To make the twins has taken longer than there was time before the rollout');
  await world.goTo(startMs);
  return plans.flatMap((plan) => {
    const twin = new Twin(plan, parts);
    const pollS = plan.group.poll_s ?? usualPollS;
    const atMs = random.below(pollS * 1000);
    if (random.below(10_000) < silentPercent * 100) return [];
    const begin = async (): Promise<void> => {
      await twin.switchOn();
      await twin.live();
    };
    clock.after(atMs, () => {
      begin().catch((cause: unknown) => {
        // Its flash cannot be opened any more: it stays off.
        parts.tally.troubles++;
        parts.tally.trouble = String(cause);
      });
    });
    return [twin];
  });
}

/** Groups that do not say how often they poll do as the product is set. */
const pollingAsSet = ({ pollS: poll_s = usualPollS, scenario }: Rehearsal): FleetScenario => ({
  ...scenario,
  groups: scenario.groups.map((group) => ({ poll_s, ...group })),
});

const unexpected = (): never => {
  throw new Error('Every twin is a device already');
};

/** What a read brings, as it was the last time as long as nothing has been written since. */
function whenChanged<T>(storage: { version(): number | undefined }, read: () => Promise<T>): () => Promise<T> {
  let known: { readonly version: number | undefined; readonly value: T } | undefined;
  return async () => {
    const version = storage.version();
    if (known === undefined || known.version !== version) known = { version, value: await read() };
    return known.value;
  };
}

/** Every device of a rollout. */
async function executionsOf(api: Client, rollout_id: string): Promise<ExecutionRecord[]> {
  const found: ExecutionRecord[] = [];
  for (;;) {
    const query = { limit: atOnce, offset: found.length };
    const page = must(await api.call('rollouts.executions', { params: { rollout_id }, query }));
    found.push(...page);
    if (page.length < atOnce) return found;
  }
}

/** Title of a device without its number: the group. */
const groupOf = ({ device }: ExecutionRecord): string => device.replace(/ \d+$/, '');

function failuresOf(executions: readonly ExecutionRecord[]): Failure[] {
  const counts = new Map<string, Failure>();
  for (const execution of executions) {
    if (execution.state !== 'failed') continue;
    const failure = { kind: execution.kind ?? '', group: groupOf(execution), stage: execution.stage };
    const key = JSON.stringify(failure);
    counts.set(key, { ...failure, devices: (counts.get(key)?.devices ?? 0) + 1 });
  }
  const keyed = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return keyed.map(([, failure]) => failure).sort((one, other) => other.devices - one.devices);
}

/** Runs a rollout once, on twins, in virtual time: the same rehearsal and seed have the same outcome. @throws {RehearsalError} */
export const runOnce = async (asked: Rehearsal, seed: string, progress: (share: number) => void): Promise<Run> =>
  (await runToEnd(asked, seed, progress)).run;

/** The same, with what has become of each twin. */
export async function runToEnd(
  asked: Rehearsal,
  seed: string,
  progress: (share: number) => void,
): Promise<{ readonly run: Run; readonly executions: readonly ExecutionRecord[] }> {
  const rehearsal = { ...asked, scenario: pollingAsSet(asked) };
  const giveBack = seedHostRandom(seed);
  try {
    const world = await RehearsalWorld.open(startMs - beforeMs, seed);
    const stage = await prepare(world, rehearsal);
    const twins = await cast(stage, rehearsal, seed);
    world.resetLoad();
    const { api } = world;
    const body = { ...rehearsal.rollout, bundle_id: stage.bundleId };
    const params = { product_id: stage.productId };
    const { id: rollout_id } = wanted(await api.call('rollouts.create', { params, body }), 'The rollout');
    const reach = await api.call('rollouts.reach', { params, body: { change: 'rollout', rollout: body } });
    const stages = wanted(reach, 'The rollout').rollout?.stages ?? [];
    if (stages.every(({ devices }) => devices === 0))
      throw new RehearsalError('The rollout: "filter" fits none of the twins');
    for (const [index, { filter }] of (body.settings?.stages ?? []).entries()) {
      if (filter === undefined || stages[index]?.devices !== 0) continue;
      throw new RehearsalError(`The rollout: "settings.stages.${index}.filter" fits none of the twins`);
    }
    wanted(await api.call('rollouts.act', { params: { rollout_id }, body: { action: 'start' } }), 'The rollout');
    const read = async () => must(await api.call('rollouts.get', { params: { rollout_id } }));
    const look = whenChanged(world.service.deps.storage, read);
    const { days } = rehearsal;
    const observed = await observe({ look, startMs, days, progress, goTo: (atMs) => world.goTo(atMs) });
    const { load } = world;
    const executions = await executionsOf(api, rollout_id);
    const last = await read();
    await world.until(Promise.all(twins.map((twin) => twin.stop())));
    await world.close();
    const times = executions
      .filter(({ state }) => state === 'done')
      .map(({ changed_at }) => Math.round((Number(changed_at) - startMs) / 1000))
      .sort((one, other) => one - other);
    const at = (share: number): number | null => times[Math.ceil(share * executions.length) - 1] ?? null;
    const failures = failuresOf(executions);
    const run: Run = {
      seed,
      ...observed,
      devices: executions.length,
      done: times.length,
      failed: failures.reduce((sum, { devices }) => sum + devices, 0),
      reached: reachedOf(last),
      half_s: at(0.5),
      most_s: at(0.9),
      nearly_all_s: at(0.99),
      failures,
      load,
    };
    return { run, executions };
  } finally {
    giveBack();
  }
}
