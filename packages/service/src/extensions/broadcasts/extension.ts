import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { broadcastRoutes } from './broadcasts.ts';

/** Status broadcasts of modules that know no service. */
export const broadcasts = extension({
  name: 'broadcasts',
  contracts: extensionContracts.broadcasts,
  open: () => ({ routes: ({ channel }) => ({ broadcasts: broadcastRoutes(channel) }) }),
});
