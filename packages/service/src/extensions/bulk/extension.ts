import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { manyDevicesRoutes } from './bulk.ts';

/** Changes of many devices in one call. */
export const bulk = extension({
  name: 'bulk',
  contracts: extensionContracts.bulk,
  open: () => ({ routes: (core) => ({ manyDevices: manyDevicesRoutes(core) }) }),
});
