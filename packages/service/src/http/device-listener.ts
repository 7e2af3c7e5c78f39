import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type EndpointShape, type ErrorCode, errors, type Refusal, refusal } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DeviceRow } from '../db/hot.ts';
import { RecordCache } from '../db/record-cache.ts';
import { hashSecret } from '../db/secrets.ts';
import type { StatusOf } from './errors.ts';
import type { Authenticate } from './mount.ts';
import { buildServer, type ServerOptions } from './server.ts';
import type { Deps, DeviceCaller } from './types.ts';

/** Seconds for which a device may resume its TLS session with a ticket. */
const sessionTimeoutS = 3600;

/** Devices whose rows are remembered between calls. */
const rememberedDevices = 50_000;

/** Statuses that a module has no result code for, and the one that it gets instead. Spec: API-DEV-status. */
const deviceStatuses: Readonly<Record<number, number>> = {
  401: 403,
  405: 404,
  409: 400,
  413: 400,
  415: 400,
  416: 400,
  429: 403,
};

/** The status of a refusal on the device listener. */
export const deviceStatusOf: StatusOf = (code: ErrorCode) => deviceStatuses[errors[code].status] ?? errors[code].status;

/** What the listener takes from the installation's identity, PEM texts. */
export interface ListenerIdentity {
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
}

/** What the listener needs of the slice of devices. */
export interface DeviceContacts {
  /** Notes the first authenticated contact of a device. */
  firstContact(device: DeviceRow, ip: string): Promise<void>;
}

interface Peer {
  /** CN of the certificate. */
  readonly uuid: string;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;
}

/** The verified certificates of open connections: read once for each connection, not once for each request. */
function peerMemory(): (socket: Socket) => Peer | undefined {
  const known = new WeakMap<Socket, Peer | null>();
  return (socket) => {
    const remembered = known.get(socket);
    if (remembered !== undefined) return remembered ?? undefined;
    // Safe: the listener is an HTTPS server, whose sockets are TLS sockets.
    const peer = readPeer(socket as TLSSocket);
    known.set(socket, peer ?? null);
    return peer;
  };
}

/** The peer's certificate, if our authority has signed it and it is in force. */
function readPeer(socket: TLSSocket): Peer | undefined {
  if (!socket.encrypted || !socket.authorized) return undefined;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (typeof subject?.CN !== 'string') return undefined;
  return { uuid: subject.CN, fingerprint: fingerprint256.replaceAll(':', '').toLowerCase() };
}

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const header = request.headers[name];
  return Array.isArray(header) ? header[0] : header;
};

type Identify = (request: FastifyRequest) => Promise<DeviceRow | undefined>;

/** By certificate: it, the fingerprint of the one issued last and any uuid in a header have to agree. */
function byCertificate({ storage }: Pick<Deps, 'storage'>): Identify {
  const peerOf = peerMemory();
  // The marks of contact that come with every call do not empty it: nobody asks such a row when it was seen.
  const known = new RecordCache<DeviceRow>(storage.changes, rememberedDevices);

  async function rowOf(uuid: string): Promise<DeviceRow | undefined> {
    const remembered = known.get(uuid);
    if (remembered) return remembered;
    const keep = known.beginRead();
    const row = await storage.hot.deviceByUuid(uuid);
    if (row) keep(uuid, row);
    return row;
  }

  return async (request) => {
    const peer = peerOf(request.raw.socket);
    if (!peer) return undefined;
    const named = headerOf(request, 'x-device-uuid');
    if (named !== undefined && named.toLowerCase() !== peer.uuid) return undefined;
    const row = await rowOf(peer.uuid);
    return row?.certificate_fingerprint === peer.fingerprint ? row : undefined;
  };
}

/** Without TLS: by uuid and provisioning token in headers. Spec: API-DEV-insecure. */
const byHeaders =
  ({ storage }: Pick<Deps, 'storage'>): Identify =>
  async (request) => {
    const uuid = headerOf(request, 'x-device-uuid');
    const token = headerOf(request, 'x-device-token');
    if (uuid === undefined || token === undefined) return undefined;
    const row = await storage.hot.deviceByUuid(uuid.toLowerCase());
    return row?.provision_token_hash === hashSecret(token) ? row : undefined;
  };

/**
 * The check of every device call but provisioning. A device that passes has been seen: that is durable before its
 * call is answered. Spec: API-DEV-identity, API-DEV-first-contact, API-RULE-ota-1, API-STATE-device-any-disabled.
 */
export function deviceCheck(
  deps: Pick<Deps, 'storage' | 'clock' | 'settings'>,
  contacts: DeviceContacts,
): Authenticate<DeviceCaller> {
  const identify = deps.settings.deviceInsecure ? byHeaders(deps) : byCertificate(deps);
  return async (request): Promise<Result<DeviceCaller, Refusal>> => {
    const row = await identify(request);
    if (!row) return failure(refusal('DEVICE_NOT_IDENTIFIED'));
    if (row.state === 'disabled') return failure(refusal('DEVICE_DISABLED'));
    if (row.state === 'enabled') await contacts.firstContact(row, request.ip);
    await deps.storage.hot.touchDevice(row.id, deps.clock.now(), request.ip);
    return success({ deviceId: row.id, uuid: row.uuid, row });
  };
}

/**
 * The server that devices talk to, without routes and not listening. It asks for a client certificate but does not
 * insist: a device without one may still provision itself. Every other call is refused without.
 */
export function buildDeviceListener(
  { settings, log }: Pick<Deps, 'settings' | 'log'>,
  identity: ListenerIdentity,
  endpoints: readonly EndpointShape[],
  options: Pick<ServerOptions, 'logLevel' | 'logStream' | 'traffic'>,
): FastifyInstance {
  const common = { ...options, statusOf: deviceStatusOf, endpoints, listener: 'devices' } as const;
  if (settings.deviceInsecure) {
    log.warn('The device listener has no TLS: devices are trusted by header. Use this for development only');
    return buildServer(common);
  }
  return buildServer({
    ...common,
    tls: {
      cert: identity.server.certificate,
      key: identity.server.key,
      ca: identity.ca,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      sessionTimeout: sessionTimeoutS,
    },
  });
}
