import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Timestamp } from '../fields.ts';
import { connectorTypes } from './connectors.ts';
import { LogRecord } from './logs.ts';
import { FirmwareRecord, FlavorRecord, PlatformRecord } from './platforms.ts';
import { tags } from './products.ts';
import { UserRecord } from './users.ts';

const count = Type.Integer({ minimum: 0 });

/** Values that a console offers for choice. */
export const choices = {
  tags,
  bundle_states: ['preview', 'published', 'archive', 'trash'],
  product_states: ['preview', 'published', 'archive', 'trash'],
  resource_types: ['WIFI_FW', 'MISC_FIX_LEN'],
  connector_types: connectorTypes,
} as const;

export const InitRecord = Type.Object({
  user: UserRecord,
  platforms: Type.Array(PlatformRecord),
  flavors: Type.Array(FlavorRecord),
  firmwares: Type.Array(FirmwareRecord, { description: 'newest first' }),
  tags: Type.Array(Type.String()),
  bundle_states: Type.Array(Type.String()),
  product_states: Type.Array(Type.String()),
  resource_types: Type.Array(Type.String()),
  connector_types: Type.Array(Type.String()),
  server: Type.Object({ version: Type.String(), time: Timestamp }),
});
export type InitRecord = Static<typeof InitRecord>;

export const StatusRecord = Type.Object({
  devices: Type.Object(
    {
      total: count,
      online: count,
      active: count,
      enabled: count,
      unclaimed_offers: Type.Integer({ minimum: 0, description: 'updates on offer that no device has begun to fetch' }),
      outdated: Type.Integer({ minimum: 0, description: 'do not run yet what they were offered last' }),
      failed: Type.Integer({ minimum: 0, description: 'whose last update failed' }),
    },
    { description: 'that the caller may see' },
  ),
  products: Type.Object({ owned: count, managed: count, published: count }),
  bundles: Type.Object({ preview: count, published: count }, { description: 'of owned and managed products' }),
  tokens: count,
  recent_logs: Type.Array(LogRecord, { description: 'the newest 10' }),
});
export type StatusRecord = Static<typeof StatusRecord>;

const shared = { tag: 'User', limited: 'closed', access: 'user.self' } as const;

/** What the console begins with. Reference: records 1.5. */
export const overviewContract = endpoints(shared, {
  init: {
    route: 'GET /api/user/init',
    summary: 'First data of the web application',
    reply: InitRecord,
    errors: [401],
  },
  status: {
    route: 'GET /api/user/status',
    summary: 'Status for the dashboard',
    reply: StatusRecord,
    errors: [401],
  },
});
