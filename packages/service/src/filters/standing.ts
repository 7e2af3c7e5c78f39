import {
  type DeviceStanding,
  executionStates,
  optionalTimestamp,
  rolloutStates,
  type StandingState,
} from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Storage } from '../db/storage.ts';
import { holds, onlyBringsBack } from '../rollouts/rules.ts';

/**
 * A rollout says what a device gets when it holds the device, or when it is the device's turn; its pace only delays that.
 * Whether a device that is not in it yet fits its filter is looked at when the device asks.
 */
const hasSay = sql.raw(
  [
    "r.state = 'running' and e.state = 'waiting' and e.stage <= r.stage",
    "r.state = 'running' and r.filter is null and coalesce(e.state, 'left') in ('left', 'skipped')",
    ...rolloutStates.flatMap((rollout) =>
      executionStates
        .filter((execution) => holds(rollout, execution))
        .map((execution) => {
          const ofThese = `r.state = '${rollout}' and e.state = '${execution}'`;
          return onlyBringsBack(rollout, execution) ? `${ofThese} and e.bundle_id <> r.bundle_id` : ofThese;
        }),
    ),
  ].join(' or '),
);

/**
 * The id of the bundle that a row of `devices` should run at a time, epoch ms: what `selectBundle` chooses when neither
 * a block nor a freeze keeps it back. A test holds the two against each other.
 */
const wantedBundle = (nowMs: number): RawBuilder<string | null> => {
  const onOffer = sql.raw("b.product_id = devices.product_id and b.state = 'published'");
  return sql`coalesce(
    (select b.id from pins join bundles as b on b.id = pins.bundle_id
      where pins.device_id = devices.id and (pins.until is null or pins.until > ${nowMs}) and ${onOffer}),
    (select b.id from bundles as b where ${onOffer} and b.id =
      (select case when coalesce(e.state, 'left') in ('left', 'skipped') then r.bundle_id else e.bundle_id end
        from rollouts as r left join executions as e on e.rollout_id = r.id and e.device_id = devices.id
        where r.product_id = devices.product_id and r.holds = 1 and (${hasSay})
        order by r.priority desc, r.created_at desc, r.id limit 1)),
    (select b.id from bundles as b where ${onOffer} and b.tag = devices.tag),
    (select b.id from bundles as b where ${onOffer} and b.tag = 'release'))`;
};

/**
 * How a device stands to what it should run; `sp` is its product, `su` its update, `sw` the bundle that it should run.
 * What it reports comes before the result of its update: a bundle that it runs needs none.
 * Reference: rules 6.6. Spec: API-RULE-standing-1.
 */
const standing = sql<StandingState>`case
    when su.state in ('downloading', 'installed') then 'updating'
    when sw.id is not null and substr(devices.bversion, 1, length(sp.product || '-' || sw.version || ', '))
      = sp.product || '-' || sw.version || ', ' then 'up_to_date'
    when su.state = 'failed' then 'failed'
    when su.state = 'offered' then 'waiting'
    when su.state = 'done' and (sw.id is null or su.to_bundle_id = sw.id) then 'up_to_date'
    when sw.id is not null and (su.id is not null or devices.bversion is not null) then 'waiting'
    else 'unknown' end`;

/** The same of a row of `devices`, at a time, epoch ms. Lists, filters, pages and counts all ask this one expression. */
export const standingState = (nowMs: number): RawBuilder<StandingState> => sql`(select ${standing}
  from products as sp left join updates as su on su.id = devices.update_id
    left join bundles as sw on sw.id = ${wantedBundle(nowMs)}
  where sp.id = devices.product_id)`;

/** The bundle that a row of `devices` is on its way to, has failed to install, or should run. */
export const targetBundle = (nowMs: number): RawBuilder<string | null> => sql`coalesce(
  (select tu.to_bundle_id from updates as tu
    where tu.id = devices.update_id and tu.state in ('offered', 'downloading', 'installed', 'failed')),
  ${wantedBundle(nowMs)})`;

const standingRows = (db: Db, nowMs: number) =>
  db
    .selectFrom('devices')
    .innerJoin('products as sp', 'sp.id', 'devices.product_id')
    .leftJoin('updates as su', 'su.id', 'devices.update_id')
    .leftJoin('bundles as sw', (join) => join.on('sw.id', '=', wantedBundle(nowMs)))
    .select(['devices.id', 'su.to_bundle_id', 'su.to_version', 'su.reason', 'sw.version as wanted_version'])
    .select(['su.created_at as offered_at', 'su.downloading_at', 'su.installed_at', 'su.finished_at'])
    .select(standing.as('standing'));

type StandingRow = Awaited<ReturnType<ReturnType<typeof standingRows>['executeTakeFirstOrThrow']>>;

/** When each standing began, and the version that it is about. */
const details: Readonly<
  Record<StandingState, (row: StandingRow) => Pick<DeviceStanding, 'version' | 'reason'> & { sinceMs: number | null }>
> = {
  up_to_date: (row) => ({ sinceMs: row.finished_at, version: row.wanted_version ?? row.to_version, reason: null }),
  // Of a bundle that the device has not asked for yet it is not known since when it is the one to run.
  waiting: (row) =>
    row.finished_at === null && row.offered_at !== null
      ? { sinceMs: row.offered_at, version: row.to_version, reason: null }
      : { sinceMs: null, version: row.wanted_version, reason: null },
  updating: (row) => ({ sinceMs: row.installed_at ?? row.downloading_at, version: row.to_version, reason: null }),
  failed: (row) => ({ sinceMs: row.finished_at, version: row.to_version, reason: row.reason }),
  unknown: (row) => ({ sinceMs: null, version: row.wanted_version, reason: null }),
};

function standingOf(row: StandingRow): DeviceStanding {
  const { sinceMs, version, reason } = details[row.standing](row);
  return { state: row.standing, since: optionalTimestamp(sinceMs), version, reason };
}

/** How devices stand at a time, epoch ms, by their ids. */
export async function standingsOf(
  db: Db,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, DeviceStanding>> {
  if (ids.length === 0) return new Map();
  const rows = await standingRows(db, nowMs).where('devices.id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, standingOf(row)]));
}

/** The same for one device, compiled once: pages of devices are asked for often. */
export function compileStanding({ db, hot }: Pick<Storage, 'db' | 'hot'>) {
  const { sql: text, parameters } = standingRows(db, 0).where('devices.id', '=', '').compile();
  return async (id: string, nowMs: number): Promise<DeviceStanding | undefined> => {
    const values = parameters.map((parameter) => (parameter === '' ? id : nowMs));
    const [row] = await hot.select<StandingRow>('device-standing', text, values);
    return row && standingOf(row);
  };
}
