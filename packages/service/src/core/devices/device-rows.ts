import { builtForMany } from '../../engine/db/compiled.ts';
import { alike, padded } from '../../engine/db/groups.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import type { Db } from '../../engine/db/storage.ts';
import { changedColumns, type RowKind } from '../../engine/db/work.ts';
import { takenAddresses, writeDevices } from './queries.ts';

const devices = (db: Db, ids: readonly string[]) => db.selectFrom('devices').selectAll().where('id', 'in', ids);
const findDevices = builtForMany(devices);

const byId = (rows: readonly DeviceRow[]) => new Map(rows.map((row) => [row.id, row]));

/** Lets the records of devices show these updates of theirs. */
const showUpdates = (trx: Db, updateIds: readonly number[]) =>
  trx
    .updateTable('devices')
    .from('updates as u')
    .set((to) => ({ update_id: to.ref('u.id') }))
    .whereRef('u.device_id', '=', 'devices.id')
    .where('u.id', 'in', updateIds)
    .execute();

/** The rows of devices. Those that change alike are written by one statement. */
export const deviceRows: Required<RowKind<string, DeviceRow>> = {
  read: async (db, ids) => byId(await findDevices(db, ids)),
  // In order, so that two who lock many wait for each other instead of for ever.
  lock: async (trx, expressions, ids) =>
    byId(await expressions.lockRows(devices(trx, padded(ids)).orderBy('id')).execute()),
  async write(trx, changes) {
    const changed = changes.map((change) => [change.key, changedColumns(change)] as const);
    const others = changed.map(([id, { update_id: _shown, ...columns }]) => [id, columns] as const);
    for (const [columns, ids] of alike(others)) {
      if (Object.keys(columns).length > 0) await writeDevices(trx, padded(ids), columns);
    }
    const shown = changed.flatMap(([, { update_id }]) => update_id ?? []);
    if (shown.length > 0) await showUpdates(trx, padded(shown));
  },
};

/** The addresses that some device has. */
export const addressRows: RowKind<string, true> = {
  async read(db, macs) {
    const taken = await takenAddresses(db, macs);
    return new Map(macs.filter((mac) => taken.has(mac)).map((mac) => [mac, true]));
  },
};
