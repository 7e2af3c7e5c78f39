import type { QueryResultRow } from 'pg';
import { groupReads, groupWriter, newestPerKey } from '../../groups.ts';
import { callerSql, contactMs, type DeviceRow, type HotPaths, type TokenOwner, type Touch } from '../../hot.ts';
import { type PollCount, PollCounter } from '../../polls.ts';
import type { PostgresPool } from './pool.ts';

// Rows are locked in the order of their ids: two processes with overlapping groups then never wait for each other.
const touchDevicesSql = `
  with touch as (select * from unnest($1::text[], $2::bigint[], $3::text[]) as t(id, at, ip)),
  locked as (select d.id from devices d join touch on touch.id = d.id order by d.id for update of d)
  update devices d set last_seen_at = touch.at, ip = coalesce(touch.ip, d.ip),
    contact_ms = case when touch.ip is not null and touch.at - d.last_seen_at >= ${contactMs}
      then touch.at - d.last_seen_at else d.contact_ms end
  from touch, locked where d.id = touch.id and locked.id = d.id`;
// Those of one statement come in one order, for the same reason.
const addPollsSql = `
  insert into polls (product_id, owner_id, at, polls)
  select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
  on conflict (product_id, owner_id, at) do update set polls = polls.polls + excluded.polls`;
const touchTokenSql = 'update tokens set last_used_at = $1, last_used_ip = $3 where id = $2';

/** The prepared statements of every request, on PostgreSQL. */
export function hotPaths(pool: PostgresPool): HotPaths {
  const counter = new PollCounter();
  async function writePolls(counts: readonly PollCount[]): Promise<void> {
    if (counts.length === 0) return;
    const values = [
      counts.map(({ product_id }) => product_id),
      counts.map(({ owner_id }) => owner_id),
      counts.map(({ at }) => at),
      counts.map(({ polls }) => polls),
    ];
    try {
      await pool.query(addPollsSql, values);
    } catch (error) {
      counter.giveBack(counts);
      throw error;
    }
  }

  const touchDevices = groupWriter<Touch>(async (touches) => {
    const newest = newestPerKey(
      touches,
      (touch) => touch.deviceId,
      (touch) => touch.atMs,
    );
    await Promise.all([
      pool.query(touchDevicesSql, [newest.map((t) => t.deviceId), newest.map((t) => t.atMs), newest.map((t) => t.ip)]),
      writePolls(counter.takeDue(newest.at(-1)?.atMs ?? 0)),
    ]);
  });

  /** Rows by a key that each has alone: what is asked for at the same time is one statement. */
  const grouped = <T extends QueryResultRow>(text: string, keyOf: (row: T) => string) =>
    groupReads<string, T>(async (keys) => {
      const { rows } = await pool.query<T>(text, [keys]);
      return new Map(rows.map((row) => [keyOf(row), row]));
    });

  return {
    callerByTokenHash: grouped<TokenOwner>(`${callerSql}any($1::text[])`, (row) => row.token_hash),
    deviceById: grouped<DeviceRow>('select * from devices where id = any($1::text[])', ({ id }) => id),
    deviceByUuid: grouped<DeviceRow>('select * from devices where uuid = any($1::text[])', ({ uuid }) => uuid),
    touchDevice: (deviceId, atMs, ip) => touchDevices({ deviceId, atMs, ip }),
    countPoll: (productId, ownerId, atMs) => counter.add(productId, ownerId, atMs),
    flushPolls: () => writePolls(counter.take()),
    touchToken: async (tokenId, atMs, ip) => {
      await pool.query(touchTokenSql, [atMs, tokenId, ip]);
    },
  };
}
