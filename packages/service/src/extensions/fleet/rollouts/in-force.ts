import { builtForMany } from '../../../engine/db/compiled.ts';
import { type Reads, type RowKind, Work } from '../../../engine/db/work.ts';
import { type ExecutionRow, executionsOf } from './execution-queries.ts';
import { byRank } from './moves.ts';
import { type RolloutRow, rolloutRows, toSettings } from './queries.ts';
import { goesOn } from './rules.ts';

/** What may hold a device where it is, and when it asks. */
export interface DeviceHolds {
  readonly product_id: string;
  readonly freeze: { readonly reason: string; readonly until: number | null } | undefined;
  /** Without a bundle, that is not published any more, the device stays with what it runs. */
  readonly pin:
    | { readonly bundle_id: string | undefined; readonly reason: string; readonly until: number | null }
    | undefined;
  /** The time zones that the device has as a label, and its product. */
  readonly zone: string | null;
  readonly product_zone: string | null;
  readonly poll_interval_s: number | null;
}

/** The label that says in which time zone a device is. */
const zoneName = 'tz';

const findHolds = builtForMany((db, deviceIds: readonly string[]) =>
  db
    .selectFrom('devices as d')
    .leftJoin('freezes as f', 'f.product_id', 'd.product_id')
    .leftJoin('fleet_settings as s', 's.product_id', 'd.product_id')
    .leftJoin('pins as p', 'p.device_id', 'd.id')
    .leftJoin('bundles as b', 'b.id', 'p.bundle_id')
    .leftJoin('labels as z', (join) => join.onRef('z.device_id', '=', 'd.id').on('z.name', '=', zoneName))
    .select(['d.id', 'd.product_id', 'f.reason as frozen', 'f.until as frozen_until', 'z.value as zone'])
    .select([
      'p.bundle_id',
      'b.state as pin_state',
      'p.reason as pinned',
      'p.until as pinned_until',
      's.zone as product_zone',
      's.poll_interval_s',
    ])
    .where('d.id', 'in', deviceIds),
);

/** What may hold devices, by device. */
export const deviceHolds: RowKind<string, DeviceHolds> = {
  async read(db, ids) {
    const rows = await findHolds(db, ids, zoneName);
    return new Map(
      rows.map(({ id, frozen, frozen_until, bundle_id, pin_state, pinned, pinned_until, ...holds }) => [
        id,
        {
          ...holds,
          freeze: frozen === null ? undefined : { reason: frozen, until: frozen_until },
          pin:
            bundle_id === null || pinned === null
              ? undefined
              : { bundle_id: pin_state === 'published' ? bundle_id : undefined, reason: pinned, until: pinned_until },
        },
      ]),
    );
  },
};

/** An execution that may decide what its device gets, and its rollout. */
export interface InForce {
  readonly rollout: Pick<
    RolloutRow,
    | 'id'
    | 'title'
    | 'product_id'
    | 'bundle_id'
    | 'state'
    | 'priority'
    | 'stage'
    | 'started_at'
    | 'settings'
    | 'pace_from'
    | 'pace_count'
  >;
  readonly execution: Pick<ExecutionRow, 'bundle_id' | 'stage' | 'state' | 'due_at'>;
}

/** Rollouts that go on decide before those that have ended. */
const byForce = ({ rollout: one }: InForce, { rollout: other }: InForce): number =>
  Number(goesOn(other)) - Number(goesOn(one)) || byRank(one, other);

const findInForce = builtForMany((db, deviceIds: readonly string[]) =>
  db
    .selectFrom('executions as e')
    .innerJoin('devices as d', 'd.id', 'e.device_id')
    .innerJoin('rollouts as r', (join) =>
      join.onRef('r.id', '=', 'e.rollout_id').onRef('r.product_id', '=', 'd.product_id'),
    )
    .select([
      'e.device_id',
      'e.bundle_id as brings',
      'e.stage as own_stage',
      'e.state as stands',
      'e.due_at as again_at',
    ])
    .select(['r.id', 'r.title', 'r.product_id', 'r.bundle_id', 'r.state', 'r.priority', 'r.stage'])
    .select(['r.started_at', 'r.settings', 'r.pace_from', 'r.pace_count'])
    .where(({ eb, lit, and }) => and([eb('e.in_force', '=', lit(1)), eb('r.holds', '=', lit(1))]))
    .where('e.device_id', 'in', deviceIds),
);

/** What may decide what devices get, by device. */
const inForceRows: RowKind<string, readonly InForce[]> = {
  async read(db, ids) {
    const all = (await findInForce(db, ids)).map(({ device_id, brings, own_stage, stands, again_at, ...rollout }) => ({
      device_id,
      rollout: { ...rollout, settings: toSettings(rollout.settings) },
      execution: { bundle_id: brings, stage: own_stage, state: stands, due_at: again_at },
    }));
    return Map.groupBy(all, ({ device_id }) => device_id);
  },
};

/** What may decide what a device gets, that which decides first; in a work as it has become there. */
export async function inForceOf(reads: Reads, deviceId: string, productId: string): Promise<readonly InForce[]> {
  if (!(reads instanceof Work)) return ((await reads.get(inForceRows, deviceId)) ?? []).toSorted(byForce);
  const executions = (await executionsOf(reads, deviceId)).filter(({ in_force }) => in_force === 1);
  const rollouts = await reads.all(
    rolloutRows,
    executions.map(({ rollout_id }) => rollout_id),
  );
  return executions
    .flatMap((execution) => {
      const rollout = rollouts.find(({ id }) => id === execution.rollout_id);
      return rollout?.holds && rollout.product_id === productId ? { rollout, execution } : [];
    })
    .toSorted(byForce);
}
