import Type, { type Static } from 'typebox';
import { binary, endpoints } from '../endpoint.ts';
import { Id, IdOrEmpty, Nullable, pageOf, sortBy, Text, Timestamp } from '../fields.ts';

/** States of one update of one device. */
export const updateStates = ['offered', 'downloading', 'installed', 'done', 'failed', 'superseded'] as const;
export type UpdateState = (typeof updateStates)[number];

/** States in which an update still goes on. */
export const openUpdateStates: readonly UpdateState[] = ['offered', 'downloading', 'installed'];

/** In which way an update has failed, where the device can say it. */
export const reportedFailures = ['download', 'check', 'install', 'health', 'refused'] as const;
export type ReportedFailure = (typeof reportedFailures)[number];

/** One update of one device: cause, from what to what, and when it reached each state. */
export const UpdateRecord = Type.Object({
  id: Type.Integer(),
  device_id: Id,
  product_id: Id,
  cause: Type.Enum(['device', 'bridge']),
  from_bundle_id: Nullable(Id),
  from_bversion: Nullable(Type.String()),
  bundle_id: Nullable(Id),
  bundle: Type.String({ description: 'version of the bundle it leads to' }),
  bversion: Type.String({ description: 'version text that the updated device must report' }),
  state: Type.Enum([...updateStates]),
  result: Nullable(Type.Integer({ description: 'result code of the module' })),
  reason: Nullable(Type.String({ description: 'why it failed' })),
  created_at: Timestamp,
  downloading_at: Nullable(Timestamp),
  installed_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
});

/** One file of an update in the form that the module's multi-file download takes. */
const manifestFile = {
  remote: Type.String({ description: 'what replaces %s in "path": the file name, percent-encoded' }),
  local: Type.String({ description: 'name of the file on the module' }),
  version: Type.String(),
  type: Type.Integer({ description: 'file type byte of the module' }),
  flags: Type.String({ description: 'letters e (essential) and u (unprotected)' }),
  crc: Type.Integer({ description: 'CRC16-CCITT in the variant of the module' }),
  size: Type.Integer({ description: 'bytes' }),
};

export const ManifestFile = Type.Object(manifestFile);

/** A file on its way through a bridging host, which fetches it with its bearer token. */
export const BridgeFile = Type.Object({ ...manifestFile, url: Type.String() });

/** When a device that can do so asks again; others ask when they like. */
const next = {
  next_poll_s: Type.Optional(Type.Integer({ minimum: 1, description: 'seconds until the next query' })),
};

/** Answer to an OTA query that leads nowhere: what runs already is what would be offered. */
export const NoUpdate = Type.Object({
  result: Type.Literal('none'),
  bundle_id: Id,
  bversion: Type.String(),
  ...next,
});

export const forces = ['soft', 'forced'] as const;
export type Force = (typeof forces)[number];

/** How a rollout wants its bundle installed. */
export const InstallHint = Type.Object({
  force: Type.Enum([...forces], { description: 'soft waits for the consent of the device where it can give one' }),
  wait_s: Type.Integer({ minimum: 0, description: 'seconds until the window in which it may restart begins' }),
});
export type InstallHint = Static<typeof InstallHint>;

const offer = {
  result: Type.Literal('update'),
  bundle_id: Id,
  version: Type.String(),
  bversion: Type.String(),
  tag: Nullable(Type.String()),
  total_size: Type.Integer({ description: 'bytes of all files listed' }),
  path: Type.String({ description: 'URL of the files, with %s for the remote name; from the root for bridging hosts' }),
};

export const UpdateOffer = Type.Object({
  ...offer,
  install: Type.Optional(InstallHint),
  ...next,
  files: Type.Array(ManifestFile),
});
export const BridgeOffer = Type.Object({ ...offer, files: Type.Array(BridgeFile) });

const shared = { tag: 'Devices', scope: 'operate', limited: ['device_id', 'bundle_id'], access: 'device.ota' } as const;

/** Updates of devices, on behalf of those that reach the service through a bridging host, and their history. */
export const deviceUpdatesContract = endpoints(shared, {
  query: {
    route: 'POST /api/devices/{device_id}/ota',
    audit: { none: 'a program asks as a device does' },
    summary: 'Ask for an update on behalf of a BLE device',
    body: Type.Object({
      bid: Type.Optional(IdOrEmpty('bundle installed now')),
      bundle_id: Type.Optional(IdOrEmpty('a specific published bundle')),
    }),
    reply: Type.Union([NoUpdate, BridgeOffer]),
  },
  report: {
    route: 'POST /api/devices/{device_id}/ota/result',
    audit: { none: 'a program reports as a device does' },
    summary: 'Report the bundle that a BLE device runs after its OTA',
    body: Type.Object({ bundle_id: Id }),
  },
  file: {
    route: 'GET /api/devices/{device_id}/ota/{bundle_id}/{name*}',
    summary: 'Get a file of the bundle on offer to a BLE device',
    description: 'Resources are found under their bundle too; this is where the files of its firmware are.',
    params: { name: Text(255, { minLength: 1 }) },
    reply: binary(),
    errors: [400, 401, 403, 404, 416],
  },
  list: {
    route: 'GET /api/devices/{device_id}/updates',
    limited: ['device_id'],
    access: 'device.read',
    summary: 'List the updates of a device, newest first',
    ...pageOf(UpdateRecord, sortBy(['id'], '-id'), { state: Type.Optional(Type.Enum([...updateStates])) }),
    errors: [400, 401, 404],
  },
});

export type UpdateRecord = Static<typeof UpdateRecord>;
export type ManifestFile = Static<typeof ManifestFile>;
export type BridgeFile = Static<typeof BridgeFile>;
export type NoUpdate = Static<typeof NoUpdate>;
export type UpdateOffer = Static<typeof UpdateOffer>;
export type BridgeOffer = Static<typeof BridgeOffer>;
