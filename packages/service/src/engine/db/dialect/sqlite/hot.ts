import { groupWriter, newestPerKey } from '../../groups.ts';
import { callerSql, contactMs, type DeviceRow, type HotPaths, type TokenOwner, type Touch } from '../../hot.ts';
import { type PollCount, PollCounter } from '../../polls.ts';
import type { SqliteDatabase } from './database.ts';

const deviceTouch = `update devices
  set contact_ms = iif(? - last_seen_at >= ${contactMs}, ? - last_seen_at, contact_ms), last_seen_at = ?, ip = ? where id = ?`;
const deviceLeft = 'update devices set last_seen_at = ? where id = ?';
const addPolls = `insert into polls (product_id, owner_id, at, polls) values (?, ?, ?, ?)
  on conflict (product_id, owner_id, at) do update set polls = polls.polls + excluded.polls`;
const tokenTouch = 'update tokens set last_used_at = ?, last_used_ip = ? where id = ?';

type Run = (sql: string, ...values: (string | number | null)[]) => void;

/** Commits what marks devices, in one transaction. */
const marker = (database: SqliteDatabase) => (work: (run: Run) => void) =>
  database.writeMarks((connection) => work((sql, ...values) => connection.prepare(sql).statement.run(...values)));

/** The prepared statements of every request, on SQLite. */
export function hotPaths(database: SqliteDatabase): HotPaths {
  // Safe casts below: each statement selects exactly the columns of the type.
  const one = <T>(sql: string, key: string): Promise<T | undefined> =>
    database.read((connection) => connection.get(sql, key) as T | undefined);

  const mark = marker(database);
  const counter = new PollCounter();
  /** Writes counts beside other marks; whatever keeps them from being committed, they are not lost. */
  const markWithPolls = async (counts: readonly PollCount[], work: (run: Run) => void): Promise<void> => {
    try {
      await mark((run) => {
        work(run);
        for (const { product_id, owner_id, at, polls } of counts) run(addPolls, product_id, owner_id, at, polls);
      });
    } catch (error) {
      counter.giveBack(counts);
      throw error;
    }
  };

  const touchDevices = groupWriter<Touch>((touches) => {
    const newest = newestPerKey(
      touches,
      (touch) => touch.deviceId,
      (touch) => touch.atMs,
    );
    const nowMs = newest.at(-1)?.atMs ?? 0;
    return markWithPolls(counter.takeDue(nowMs), (run) => {
      for (const { deviceId, atMs, ip } of newest) {
        if (ip === null) run(deviceLeft, atMs, deviceId);
        else run(deviceTouch, atMs, atMs, atMs, ip, deviceId);
      }
    });
  });

  const touchTokens = groupWriter<{ tokenId: string; atMs: number; ip: string | null }>((touches) =>
    mark((run) => {
      for (const { tokenId, atMs, ip } of touches) run(tokenTouch, atMs, ip, tokenId);
    }),
  );

  return {
    callerByTokenHash: (hash) => one<TokenOwner>(`${callerSql}?`, hash),
    deviceById: (id) => one<DeviceRow>('select * from devices where id = ?', id),
    deviceByUuid: (uuid) => one<DeviceRow>('select * from devices where uuid = ?', uuid),
    touchDevice: (deviceId, atMs, ip) => touchDevices({ deviceId, atMs, ip }),
    countPoll: (productId, ownerId, atMs) => counter.add(productId, ownerId, atMs),
    async flushPolls() {
      const counts = counter.take();
      if (counts.length > 0) await markWithPolls(counts, () => {});
    },
    touchToken: (tokenId, atMs, ip) => touchTokens({ tokenId, atMs, ip }),
  };
}
