import {
  choices,
  type FirmwareRecord,
  type FlavorRecord,
  type LogRecord,
  type overviewContract,
  type PlatformRecord,
} from '@moorage/api';
import { success } from '@moorage/base';
import { type Call, type Caller, type Deps, type Handlers, handlers } from '../../engine/http/types.ts';
import { viewerFor } from '../access/rules.ts';
import type { Viewer } from '../access/viewer.ts';
import { countBundles, countDevices, countOnline, countProducts, countTokens } from './counts.ts';
import { userById } from './queries.ts';
import { userRecord } from './records.ts';

type Contract = typeof overviewContract;

/** What an overview shows of other slices, handed in by the composition root. */
export interface OverviewDeps extends Pick<Deps, 'storage' | 'clock'> {
  readonly version: string;
  /** Everything that products are made from and that is open to the viewer. */
  catalogue(
    viewer: Viewer,
  ): Promise<{ platforms: PlatformRecord[]; flavors: FlavorRecord[]; firmwares: FirmwareRecord[] }>;
  recentLogs(caller: Caller, limit: number): Promise<LogRecord[]>;
}

const recentLogsLimit = 10;

/** API-EP-GET-user-init */
async function init(deps: OverviewDeps, { caller }: Call<Contract['init']>) {
  const { clock, storage, version } = deps;
  return success({
    user: userRecord(await userById(storage.db, caller.userId)),
    ...(await deps.catalogue(viewerFor('platform.access', caller))),
    tags: [...choices.tags],
    bundle_states: [...choices.bundle_states],
    product_states: [...choices.product_states],
    resource_types: [...choices.resource_types],
    connector_types: [...choices.connector_types],
    server: { version, time: String(clock.now()) },
  });
}

/** API-EP-GET-user-status */
async function status(deps: OverviewDeps, { caller }: Call<Contract['status']>) {
  const { db } = deps.storage;
  const viewer = viewerFor('device.read', caller);
  return success({
    devices: { ...(await countDevices(db, viewer)), online: await countOnline(db, viewer) },
    products: await countProducts(db, caller),
    bundles: await countBundles(db, caller),
    tokens: await countTokens(db, caller.userId),
    recent_logs: await deps.recentLogs(caller, recentLogsLimit),
  });
}

/** What a page that greets its user asks for first. */
export const overviewRoutes = (deps: OverviewDeps): Handlers<Contract> => handlers(deps, { init, status });
