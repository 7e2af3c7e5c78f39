import { type DeviceHealth, usualPollS } from '@moorage/api';
import { type RawBuilder, sql } from 'kysely';
import type { DeviceHooks } from './hooks.ts';

/** So many of its intervals a device may take and is on time: its queries are spread around the interval. */
const onTimeIntervals = 2;
/** After so many intervals it has missed three queries, and is silent. */
const silentIntervals = 4;

/**
 * How a row of `devices` is heard from at a time, epoch ms, by the interval at which it is to ask, or the longer one that it has
 * kept last. Lists, filters, counts, alert rules
 * and the command line all go by this one expression, which has the time in one place. Spec: API-RULE-health-1.
 */
export const deviceHealth = (
  { pollInterval }: Pick<DeviceHooks, 'pollInterval'>,
  nowMs: number,
): RawBuilder<DeviceHealth> => {
  const setMs = sql`(1000 * coalesce(${pollInterval ?? sql`null`}, ${sql.lit(usualPollS)}))`;
  const intervalMs = sql`(select case when devices.contact_ms > own.ms then devices.contact_ms else own.ms end
    from (select ${setMs} as ms) as own)`;
  return sql`case
    when devices.state = 'disabled' then 'blocked'
    when exists (select 1 from channels as hc where hc.device_id = devices.id) then 'connected'
    when devices.last_seen_at is null then 'never'
    else (select case when due.passed < ${sql.lit(onTimeIntervals)} then 'on_time'
        when due.passed < ${sql.lit(silentIntervals)} then 'late' else 'silent' end
      from (select (${nowMs} - devices.last_seen_at) / ${intervalMs} as passed) as due) end`;
};
