import { authTables } from './core/auth/tables.ts';
import { avatarTables } from './core/avatars/tables.ts';
import { bundleTables } from './core/bundles/tables.ts';
import { certificateTables } from './core/certificates/tables.ts';
import { channelTables } from './core/channel/tables.ts';
import { nameWaitingDevices } from './core/connectors/queries.ts';
import { connectorTables } from './core/connectors/tables.ts';
import { dataTables } from './core/data/tables.ts';
import { deviceTables } from './core/devices/tables.ts';
import { fileTables } from './core/files/tables.ts';
import { logTables } from './core/logs/tables.ts';
import { metricTables } from './core/metrics/tables.ts';
import { otaTables } from './core/ota/tables.ts';
import { platformTables } from './core/platforms/tables.ts';
import { productTables } from './core/products/tables.ts';
import { userTables } from './core/users/tables.ts';
import type { Records } from './engine/db/migrations.ts';
import { openStorage, type StorageOptions } from './engine/db/open.ts';
import type { Db, Storage } from './engine/db/storage.ts';
import type { SchemaOf } from './engine/db/table.ts';
import { engineTables } from './engine/db/tables.ts';
import { accountTables } from './extensions/accounts/tables.ts';
import { forgetDeletedConnectors } from './extensions/alerts/steps.ts';
import { alertTables } from './extensions/alerts/tables.ts';
import { auditTables } from './extensions/audit/tables.ts';
import { broadcastTables } from './extensions/broadcasts/tables.ts';
import { doorTables } from './extensions/doors/tables.ts';
import { keepBundleVersions } from './extensions/fleet/steps.ts';
import { fleetTables } from './extensions/fleet/tables.ts';
import { gatewayTables } from './extensions/gateways/tables.ts';
import { placeAnnouncements } from './extensions/home-assistant/queries.ts';
import { homeAssistantTables } from './extensions/home-assistant/tables.ts';
import { rehearsalTables } from './extensions/rehearsals/tables.ts';
import { viewTables } from './extensions/views/tables.ts';

/** All tables of the service. They are there whichever extensions run. */
export const tables = {
  ...engineTables,

  ...userTables,
  ...authTables,
  ...platformTables,
  ...productTables,
  ...bundleTables,
  ...fileTables,
  ...avatarTables,
  ...deviceTables,
  ...otaTables,
  ...connectorTables,
  ...metricTables,
  ...logTables,
  ...dataTables,
  ...channelTables,
  ...certificateTables,

  ...accountTables,
  ...alertTables,
  ...auditTables,
  ...broadcastTables,
  ...doorTables,
  ...fleetTables,
  ...gatewayTables,
  ...homeAssistantTables,
  ...rehearsalTables,
  ...viewTables,
};

declare module './engine/db/schema.ts' {
  /** What the query builder knows of all of them: the engine itself names none but its own. */
  interface Schema extends SchemaOf<typeof tables> {}
}

async function toVersion3(db: Db): Promise<void> {
  await forgetDeletedConnectors(db);
  await placeAnnouncements(db);
  await nameWaitingDevices(db);
}

/** What a storage of the service is opened with. */
export const records: Records = { tables, steps: { 3: toVersion3, 4: keepBundleVersions } };

/** Opens the records of the service, as `openStorage` does. */
export const openRecords = (url: string, options?: StorageOptions): Promise<Storage> =>
  openStorage(url, records, options);
