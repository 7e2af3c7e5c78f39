import { ddiContract, doorRoutesContract, extensionContracts, menderContract } from '@moorage/api';
import { dayMs } from '@moorage/base';
import type { Core } from '../../core/core.ts';
import { deviceContacts } from '../../core/devices/contacts.ts';
import { deviceFor } from '../../core/devices/lookup.ts';
import { registerDevices } from '../../core/devices/register.ts';
import { openFile } from '../../core/ota/routes.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import { mountContract } from '../../engine/http/mount.ts';
import { extension } from '../extension.ts';
import type { DdiDeps } from './ddi/actions.ts';
import { ddiRoutes } from './ddi/routes.ts';
import { ddiCheck, type KeyKeeper, menderCheck } from './door-check.ts';
import { DoorKeeper } from './keeper.ts';
import { type MenderDeps, menderRoutes } from './mender/routes.ts';
import { readToken } from './mender/rules.ts';
import { probation } from './probation.ts';
import { changeDoorDevice, doorDeviceById, forgetWaiting } from './queries.ts';
import { doorsRoutes } from './routes.ts';
import { doorStanding } from './standing.ts';
import { updateBook } from './update-book.ts';

/** A device that waits to be let in is forgotten when it has not come again for this long, in milliseconds. */
const waitingMs = 30 * dayMs;

/** What update clients of other makers come in by. */
const doorDeps = (core: Core) => ({
  ...core,
  deviceFor,
  registerDevices: (
    ...registered: Parameters<typeof registerDevices> extends [unknown, ...infer Rest] ? Rest : never
  ) => registerDevices(core, ...registered),
  firstContact: deviceContacts(core).firstContact,
});

/** What all doors do with updates. */
function doorUpdates({ ota }: Core, keeper: DoorKeeper) {
  const updates = { ...ota, updates: ota.engine };
  const proving = probation(updates);
  return {
    ...updates,
    probation: proving,
    standing: doorStanding({ ...updates, probation: proving }),
    openFile: (row: DeviceRow, bundleId: string, name: string) => openFile(ota, row, bundleId, name),
    ticketFor: (...asked: Parameters<DoorKeeper['ticketFor']>) => keeper.ticketFor(...asked),
    book: updateBook(ota),
  };
}

type DoorUpdates = ReturnType<typeof doorUpdates>;

const ddiDeps = (behindDoors: DoorUpdates): DdiDeps => ({
  ...behindDoors,
  noteReport: (deviceId) =>
    changeDoorDevice(behindDoors.storage.db, deviceId, { reported_at: behindDoors.clock.now() }),
  autoConfirm: async (deviceId) => (await doorDeviceById(behindDoors.storage.db, deviceId))?.auto_confirm ?? null,
  setAutoConfirm: (deviceId, value) =>
    behindDoors.storage.transaction((trx) => changeDoorDevice(trx, deviceId, { auto_confirm: value })),
});

const menderDeps = (behindDoors: DoorUpdates, keeper: DoorKeeper): MenderDeps => ({
  ...behindDoors,
  byKey: (shown) => keeper.byKey(shown),
  signingKey: keeper.signingKey,
});

/** The clients of Mender: what they hold is signed here. */
const keyKeeper = ({ clock }: Core, keeper: DoorKeeper): KeyKeeper => ({
  async byBearer(token, ip) {
    const claims = readToken(await keeper.signingKey(), token, clock.now());
    return keeper.byKeptKey(claims?.deviceId ?? '', claims?.keyHash ?? '', ip);
  },
  byDownload: (ticket, updateId, ip) => keeper.byTicketOf(ticket, updateId, ip),
});

/** Update clients of other makers: DDI and Mender. */
export const doors = extension({
  name: 'doors',
  contracts: extensionContracts.doors,
  deviceContracts: doorRoutesContract,
  open: ({ clock }) => ({
    routes: (core) => ({ doors: doorsRoutes(doorDeps(core)) }),
    mountOnDevices(app, core, mounting) {
      const keeper = new DoorKeeper(doorDeps(core));
      const behindDoors = doorUpdates(core, keeper);
      const byDdi = { door: ddiCheck(keeper, core.deviceCheck) };
      mountContract(app, ddiContract, ddiRoutes(ddiDeps(behindDoors)), { ...mounting, authenticate: byDdi });
      const byMender = { door: menderCheck(keyKeeper(core, keeper)) };
      const mender = menderRoutes(menderDeps(behindDoors, keeper));
      mountContract(app, menderContract, mender, { ...mounting, authenticate: byMender });
    },
    maintenance: [
      {
        name: 'devices that no longer wait to be let in',
        run: ({ storage }) => forgetWaiting(storage.db, clock.now() - waitingMs),
      },
    ],
  }),
});
