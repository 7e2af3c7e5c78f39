import { groupWriter, newestPerKey } from '../../group-writer.ts';
import { callerSql, type DeviceRow, type HotPaths, type TokenOwner, type Touch } from '../../hot.ts';
import type { SqliteDatabase } from './database.ts';

const deviceTouch = 'update devices set last_seen_at = ?, ip = coalesce(?, ip) where id = ?';
const tokenTouch = 'update tokens set last_used_at = ? where id = ?';

/** The prepared statements of every request, on SQLite. */
export function hotPaths(database: SqliteDatabase): HotPaths {
  // Safe casts below: each statement selects exactly the columns of the type.
  const one = <T>(sql: string, key: string): Promise<T | undefined> =>
    database.read((connection) => connection.prepare(sql).statement.get(key) as T | undefined);

  type Run = (sql: string, ...values: (string | number | null)[]) => void;
  const mark = (deviceIds: readonly string[], work: (run: Run) => void) =>
    database.writeMarks(deviceIds, (connection) => {
      connection.db.exec('begin immediate');
      try {
        work((sql, ...values) => connection.prepare(sql).statement.run(...values));
        connection.db.exec('commit');
      } catch (error) {
        if (connection.db.isTransaction) connection.db.exec('rollback');
        throw error;
      }
    });

  const touchDevices = groupWriter<Touch>((touches) => {
    const newest = newestPerKey(
      touches,
      (touch) => touch.deviceId,
      (touch) => touch.atMs,
    );
    const ids = newest.map(({ deviceId }) => deviceId);
    return mark(ids, (run) => {
      for (const { deviceId, atMs, ip } of newest) run(deviceTouch, atMs, ip, deviceId);
    });
  });

  const touchTokens = groupWriter<{ tokenId: string; atMs: number }>((touches) =>
    mark([], (run) => {
      for (const { tokenId, atMs } of touches) run(tokenTouch, atMs, tokenId);
    }),
  );

  return {
    callerByTokenHash: (hash) => one<TokenOwner>(`${callerSql}?`, hash),
    deviceById: (id) => one<DeviceRow>('select * from devices where id = ?', id),
    deviceByUuid: (uuid) => one<DeviceRow>('select * from devices where uuid = ?', uuid),
    touchDevice: (deviceId, atMs, ip) => touchDevices({ deviceId, atMs, ip }),
    touchToken: (tokenId, atMs) => touchTokens({ tokenId, atMs }),
  };
}
