import Type, { type Static } from 'typebox';
import { endpoints } from '../endpoint.ts';
import { Id, Nullable, pageQuery, Timestamp } from '../fields.ts';
import { DeviceHealthWord } from './devices.ts';
import { type LogType, TimeQuery } from './logs.ts';

/** What activity counts, and the types of log that each figure adds up. Reference: records 1.9. */
export const activityTypes = {
  ota_check: ['ota.check', 'ota.none'],
  ota_update: ['ota.start'],
  ota_ok: ['ota.ok'],
  ota_fail: ['ota.fail'],
  claim: ['device.claim'],
  activate: ['device.activate'],
  provision: ['device.provision'],
  message: ['device.message', 'device.command'],
  file: ['device.file_write', 'device.file_delete', 'asset.write', 'asset.delete'],
  login: ['user.login'],
} as const satisfies Record<string, readonly LogType[]>;
export type ActivityField = keyof typeof activityTypes;

export const activityIntervals = ['hour', 'day', 'week'] as const;

const count = Type.Integer({ minimum: 0 });

export const ActivityPoint = Type.Object({
  at: Type.String({ description: 'start of the interval in UTC, epoch milliseconds; weeks start on Monday' }),
  ota_check: count,
  ota_update: count,
  ota_ok: count,
  ota_fail: count,
  claim: count,
  activate: count,
  provision: count,
  message: count,
  file: count,
  login: count,
});
export type ActivityPoint = Static<typeof ActivityPoint>;

/** Points of one series, at most. Spec: API-LIMIT-activity. */
export const activityPointsLimit = 2_500;

export const DeviceLocation = Type.Object({
  device_id: Id,
  title: Type.String(),
  product_id: Id,
  lat: Type.Number(),
  lon: Type.Number(),
  city: Type.String(),
  country: Type.String(),
  health: DeviceHealthWord,
  last_seen_at: Nullable(Timestamp),
});
export type DeviceLocation = Static<typeof DeviceLocation>;

/** Devices near each other, as one point of a map. */
export const DevicePlace = Type.Object({
  lat: Type.Number({ description: 'degrees; the middle of its devices' }),
  lon: Type.Number(),
  city: Type.String({ description: 'of one of them; may be empty' }),
  devices: count,
  heard: Type.Integer({ minimum: 0, description: 'devices that are connected or on time' }),
  device_id: Nullable(Id),
  title: Nullable(Type.String({ description: 'when it is one device' })),
});
export type DevicePlace = Static<typeof DevicePlace>;

/** Places of one reply, at most; the largest come first. Spec: API-LIMIT-places. */
export const placesLimit = 500;

const degrees = (limit: number, description: string) =>
  Type.Optional(Type.Number({ minimum: -limit, maximum: limit, description }));

/** A part of the world. */
const boxQuery = {
  south: degrees(90, 'from this latitude on'),
  north: degrees(90, 'up to this latitude'),
  west: degrees(180, 'from this longitude on'),
  east: degrees(180, 'up to this longitude'),
};

const productFilter = { product_id: Type.Optional(Id) };
const shared = { tag: 'Metrics', limited: ['product_id'], access: 'filtered' } as const;

/** Figures and places for the dashboard. Reference: records 1.9. */
export const metricsContract = endpoints(shared, {
  activity: {
    route: 'GET /api/metrics/activity',
    spec: ['API-LIMIT-activity'],
    summary: 'What happened to your devices and products in each hour, day or week',
    description: 'The last 30 days by day, when nothing else is asked for. At most 2,500 intervals.',
    query: Type.Object({
      from: TimeQuery('start, epoch milliseconds; default 30 days before the end'),
      to: TimeQuery('end, epoch milliseconds; default now'),
      interval: Type.Optional(Type.Enum([...activityIntervals], { default: 'day' })),
      ...productFilter,
    }),
    reply: Type.Object({
      from: Timestamp,
      to: Timestamp,
      interval: Type.Enum([...activityIntervals]),
      series: Type.Array(ActivityPoint),
    }),
  },
  locations: {
    route: 'GET /api/metrics/locations/devices',
    spec: ['API-RULE-location-1'],
    summary: 'Where your devices are, as they report or as you have set',
    description: 'Devices without a location are left out; the newest come first. Nothing is looked up elsewhere.',
    query: Type.Object({
      ...pageQuery,
      // A map wants all of them at once.
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 10_000 })),
      ...boxQuery,
      ...productFilter,
    }),
    reply: Type.Array(DeviceLocation),
    paged: true,
  },
  places: {
    route: 'GET /api/metrics/locations/places',
    spec: ['API-LIMIT-places'],
    summary: 'Where your devices are, those near each other as one place',
    description: `Devices of one cell of the grid are one place. The largest come first, ${placesLimit} at most.`,
    query: Type.Object({
      cell: Type.Optional(
        Type.Number({ minimum: 0.01, maximum: 90, default: 3, description: 'size of a cell, in degrees' }),
      ),
      ...boxQuery,
      ...productFilter,
    }),
    reply: Type.Array(DevicePlace),
  },
  map: {
    route: 'GET /api/metrics/locations/map',
    limited: 'open',
    access: 'user.self',
    summary: 'Where maps get their pictures from',
    description: 'A setting of the service. Without it maps show coast lines, and no other machine is asked.',
    reply: Type.Object({
      tiles: Nullable(
        Type.String({
          description: 'address of a picture, with {z}, {x} and {y}',
          examples: ['https://tiles.example/{z}/{x}/{y}.png'],
        }),
      ),
      attribution: Nullable(Type.String({ description: 'whose pictures they are' })),
    }),
    errors: [401],
  },
});
