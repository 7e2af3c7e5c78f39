import {
  authContract,
  bundlesContract,
  metaContract,
  platformsContract,
  productsContract,
  tokensContract,
  usersContract,
} from '@moorage/api';
import type { FastifyInstance } from 'fastify';
import { authRoutes, tokenRoutes } from './auth/routes.ts';
import { bundlesRoutes } from './bundles/routes.ts';
import { type DeviceSlices, mountDeviceApi } from './device-slices.ts';
import { type MountOptions, mountContract } from './http/mount.ts';
import type { Deps } from './http/types.ts';
import { metaRoutes } from './meta/routes.ts';
import { platformsRoutes } from './platforms/routes.ts';
import { editions } from './products/editions.ts';
import { productsRoutes } from './products/routes.ts';
import { usersRoutes } from './users/routes.ts';

/** Every slice of the REST API. A new one is a line here, and one in the contract. */
export function mountSlices(app: FastifyInstance, deps: Deps, devices: DeviceSlices, options: MountOptions): void {
  mountContract(app, authContract, authRoutes(deps), options);
  mountContract(app, tokensContract, tokenRoutes(deps), options);
  mountContract(app, usersContract, usersRoutes(deps), options);
  mountContract(app, platformsContract, platformsRoutes(deps, editions), options);
  mountContract(app, productsContract, productsRoutes(deps), options);
  mountContract(app, bundlesContract, bundlesRoutes(deps), options);
  mountDeviceApi(app, devices, options);
  mountContract(app, metaContract, metaRoutes(deps), options);
}
