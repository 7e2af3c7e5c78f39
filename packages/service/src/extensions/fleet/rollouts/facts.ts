import { updateRows } from '../../../core/ota/queries.ts';
import { builtForMany } from '../../../engine/db/compiled.ts';
import type { Db } from '../../../engine/db/storage.ts';
import type { RowKind, Work } from '../../../engine/db/work.ts';
import { runsOf } from '../attributes/rules.ts';
import { keptFilter } from '../filters/parse.ts';
import { fitsFilter, type DeviceFacts as Seen } from '../filters/predicate.ts';
import { factsOf, partsOf } from '../filters/queries.ts';
import { type ExecutionRow, executionsByDevice } from './execution-queries.ts';
import type { DeviceFacts, Facts } from './moves.ts';
import { type RolloutRow, rolloutRows } from './queries.ts';
import { goesOn, goingOnStates, isHeldUntil, openExecutions, underWay } from './rules.ts';

/** The attribute that the version in a version text is kept as. */
const versionName = 'version';

const findDevices = builtForMany((db, ids: readonly string[]) =>
  db
    .selectFrom('devices as d')
    .leftJoin('pins as p', 'p.device_id', 'd.id')
    .leftJoin('attributes as a', (join) => join.onRef('a.device_id', '=', 'd.id').on('a.name', '=', versionName))
    .select(['d.id', 'd.product_id', 'd.state', 'd.bversion', 'd.last_seen_at', 'a.value', 'a.version_key', 'a.since'])
    .innerJoin('products as of', 'of.id', 'd.product_id')
    .select(['p.device_id as pinned', 'p.until', 'of.product'])
    .where('d.id', 'in', ids),
);

async function devicesOf(db: Db, ids: readonly string[], nowMs: number): Promise<readonly DeviceFacts[]> {
  return (await findDevices(db, ids, versionName)).map(
    ({ bversion, product, value, version_key, since, pinned, until, ...device }) => {
      // What it has reported of another product is none of the versions of this one.
      const version = bversion === null ? undefined : (runsOf(bversion, product) ?? bversion);
      // A device may report an attribute of this name that is about something else.
      const isKept = version !== undefined && version === value;
      return {
        ...device,
        isPinned: pinned !== null && isHeldUntil(until, nowMs),
        runs:
          version === undefined
            ? undefined
            : { version, key: isKept ? version_key : null, since: (isKept && since) || 0 },
      };
    },
  );
}

/** The ids of the rollouts of products that go on. */
const findGoingOn = builtForMany((db, productIds: readonly string[]) =>
  db
    .selectFrom('rollouts')
    .select(['id', 'product_id'])
    .where(({ eb, lit }) => eb('holds', '=', lit(1)))
    .where('state', 'in', [...goingOnStates])
    .where('product_id', 'in', productIds),
);

/** The rollouts that go on, by product. */
const goingOn: RowKind<string, readonly string[]> = {
  async read(db, productIds) {
    const byProduct = Map.groupBy(await findGoingOn(db, productIds, ...goingOnStates), ({ product_id }) => product_id);
    return new Map([...byProduct].map(([id, rows]) => [id, rows.map((row) => row.id)]));
  },
};

/** The filters of a rollout: its own, and those of its stages. */
const filtersOf = ({ filter, settings }: RolloutRow): readonly string[] =>
  [filter, ...settings.stages.map((stage) => stage.filter)].filter((text) => text !== undefined && text !== null);

/** The stage in which a device enters a rollout, at least the open one; `undefined` where it does not fit. */
function stageOf({ filter, stage, settings }: RolloutRow, seen: Seen | undefined, nowMs: number): number | undefined {
  const fits = (text: string) => seen !== undefined && fitsFilter(keptFilter(text), seen, nowMs);
  if (filter !== null && !fits(filter)) return undefined;
  const named = settings.stages.findIndex((of) => of.filter !== undefined && fits(of.filter));
  return Math.max(named, stage);
}

/** What a device is to its rollouts, with the records that its moves change. */
export interface KnownFacts extends Facts<RolloutRow> {
  readonly executions: readonly ExecutionRow[];
}

/** Reads of devices what rollouts go by, at a time, epoch ms; of those that no rollout which goes on could be about, nothing. */
export async function readFacts(
  work: Work,
  deviceIds: readonly string[],
  nowMs: number,
): Promise<readonly KnownFacts[]> {
  // Conditions are about the tables.
  await work.flush();
  const devices = await devicesOf(work.db, deviceIds, nowMs);
  await work.all(executionsByDevice, deviceIds);
  await work.all(
    goingOn,
    devices.map(({ product_id }) => product_id),
  );
  const known = await Promise.all(
    devices.map(async (device) => {
      const executions = (await work.get(executionsByDevice, device.id)) ?? [];
      const open = executions.filter(({ state }) => openExecutions.includes(state));
      const ids = [
        ...((await work.get(goingOn, device.product_id)) ?? []),
        ...open.map(({ rollout_id }) => rollout_id),
      ];
      return { device, executions, ids: [...new Set(ids)] };
    }),
  );
  const rollouts = (
    await work.all(
      rolloutRows,
      known.flatMap(({ ids }) => ids),
    )
  ).filter(goesOn);
  const byId = new Map(rollouts.map((rollout) => [rollout.id, rollout]));
  if (byId.size === 0) return [];
  const parts = new Set([...byId.values()].flatMap(filtersOf).flatMap((text) => partsOf(keptFilter(text))));
  const seen = await factsOf(work.db, deviceIds, parts);
  const updates = await openUpdates(
    work,
    known.flatMap(({ executions }) => executions),
  );
  return known.map(({ device, executions, ids }) => ({
    device,
    executions,
    rollouts: ids.flatMap((id) => byId.get(id) ?? []),
    updateOf: ({ update_id }) => (update_id === null ? undefined : updates.get(update_id)),
    stageIn: (rollout) => stageOf(rollout, seen.get(device.id), nowMs),
  }));
}

/** The updates of executions that are under way, by id. */
async function openUpdates(work: Work, executions: readonly ExecutionRow[]) {
  const open = executions.filter(({ state }) => underWay.some((one) => one === state));
  const ids = open.flatMap(({ update_id }) => update_id ?? []);
  return new Map((await work.all(updateRows, ids)).map((row) => [row.id, row]));
}
