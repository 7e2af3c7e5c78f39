import { bucketsOf } from './sample-buckets.ts';
import { lastOf, newestOf, removeRows } from './sample-rows.ts';
import type { Samples } from './samples.ts';
import type { Db } from './storage.ts';

/** Samples in a table of the records. `maintain` removes row by row. */
export const tableSamples = (db: Db, append: Samples['append']): Samples => ({
  append,
  query: (range) => newestOf(db, range),
  buckets: (range, intervalMs, texts) => bucketsOf(db, range, intervalMs, texts),
  last: (deviceId) => lastOf(db, deviceId),
  async forget(trx, deviceIds) {
    await trx
      .deleteFrom('samples')
      .where('stream_id', 'in', (of) => of.selectFrom('streams').select('id').where('device_id', 'in', deviceIds))
      .execute();
  },
  maintain: (_nowMs, beforeMs) => removeRows(db, beforeMs),
});
