import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { gatewaysRoutes } from './routes.ts';

/** Real modules that a gateway has found. */
export const gateways = extension({
  name: 'gateways',
  contracts: extensionContracts.gateways,
  open: () => ({ routes: (core) => ({ gateways: gatewaysRoutes(core) }) }),
});
