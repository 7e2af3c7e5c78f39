import { type DeviceStanding, optionalTimestamp, type StandingState } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';

/**
 * The id of the bundle that a row of `devices` should run: what `selectBundle` chooses when neither a block nor a freeze
 * keeps it back. A test holds the two against each other.
 *
 * @param first what comes before the tag of the device: what the hook `wantedFirst` says
 */
export const wantedBundle = (first: RawBuilder<string | null> | undefined): RawBuilder<string | null> => {
  const onOffer = sql.raw("b.product_id = devices.product_id and b.state = 'published'");
  return sql`coalesce(${first ?? sql`null`},
    (select b.id from bundles as b where ${onOffer} and b.tag = devices.tag),
    (select b.id from bundles as b where ${onOffer} and b.tag = 'release'))`;
};

/**
 * How a device stands to what it should run; `p` is its product, `up` its update, `sw` the bundle that it should run.
 * What it reports comes before the result of its update: a bundle that it runs needs none.
 * Reference: rules 6.6. Spec: API-RULE-standing-1.
 */
export const standing = sql<StandingState>`case
    when up.state in ('downloading', 'installed') then 'updating'
    when sw.id is not null and substr(devices.bversion, 1, length(p.product || '-' || sw.version || ', '))
      = p.product || '-' || sw.version || ', ' then 'up_to_date'
    when up.state = 'failed' then 'failed'
    when up.state = 'offered' then 'waiting'
    when up.state = 'done' and (sw.id is null or up.to_bundle_id = sw.id) then 'up_to_date'
    when sw.id is not null and (up.id is not null or devices.bversion is not null) then 'waiting'
    else 'unknown' end`;

/** The same of a row of `devices`. Lists, filters, pages and counts all ask this one expression. */
export const standingState = (
  first: RawBuilder<string | null> | undefined,
): RawBuilder<StandingState> => sql`(select ${standing}
  from products as p left join updates as up on up.id = devices.update_id
    left join bundles as sw on sw.id = ${wantedBundle(first)}
  where p.id = devices.product_id)`;

/** The bundle that a row of `devices` is on its way to, has failed to install, or should run. */
export const targetBundle = (first: RawBuilder<string | null> | undefined): RawBuilder<string | null> => sql`coalesce(
  (select tu.to_bundle_id from updates as tu
    where tu.id = devices.update_id and tu.state in ('offered', 'downloading', 'installed', 'failed')),
  ${wantedBundle(first)})`;

/** What says how a device stands, since when, and with which version. */
export interface StandingRow {
  readonly standing: StandingState;
  readonly wanted_version: string | null;
  readonly to_version: string | null;
  readonly update_reason: string | null;
  readonly offered_at: number | null;
  readonly downloading_at: number | null;
  readonly installed_at: number | null;
  readonly finished_at: number | null;
}

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
  failed: (row) => ({ sinceMs: row.finished_at, version: row.to_version, reason: row.update_reason }),
  unknown: (row) => ({ sinceMs: null, version: row.wanted_version, reason: null }),
};

/** How a device stands, as its record says it. */
export function standingOf(row: StandingRow): DeviceStanding {
  const { sinceMs, version, reason } = details[row.standing](row);
  return { state: row.standing, since: optionalTimestamp(sinceMs), version, reason };
}
