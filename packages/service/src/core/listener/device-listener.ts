import type { Socket } from 'node:net';
import type { Server, TLSSocket } from 'node:tls';
import { type EndpointShape, type ErrorCode, errors, type Refusal, refusal, renewalHeaders } from '@moorage/api';
import { failure, type Result, realClock, success } from '@moorage/base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { topics } from '../../engine/bus/topics.ts';
import type { DeviceRow } from '../../engine/db/hot.ts';
import { Admission, defaultAdmission } from '../../engine/http/admission.ts';
import type { StatusOf } from '../../engine/http/errors.ts';
import type { Authenticate } from '../../engine/http/mount.ts';
import { minTlsVersion, type OwnCertificate } from '../../engine/http/own-certificate.ts';
import { buildServer, type ServerOptions } from '../../engine/http/server.ts';
import type { Deps, DeviceCaller } from '../../engine/http/types.ts';
import { asksForSocket } from '../../engine/http/web-sockets.ts';
import { hashSecret } from '../../engine/secrets.ts';
import { DeviceConnections } from './device-connections.ts';
import { DeviceSights } from './device-sights.ts';

/** Seconds for which a device may resume its TLS session with a ticket; most often its key goes before. */
const sessionTimeoutS = 2 * 86_400;

/** What the sessions are for: all nodes have the same, however they were started. */
const sessionContext = 'moorage-devices';

/** Where the message channel is. Spec: API-DEV-GET-stream. */
export const channelPath = '/stream';

/** Devices whose rows are remembered from one channel to the next. */
const rememberedDevices = 50_000;

/** Statuses that a module has no result code for, and the one that it gets instead. Spec: API-DEV-status. */
const deviceStatuses: Readonly<Record<number, number>> = {
  401: 403,
  405: 404,
  409: 400,
  410: 404,
  412: 400,
  413: 400,
  415: 400,
  416: 400,
  429: 403,
};

/** The status of a refusal on the device listener. */
export const deviceStatusOf: StatusOf = (code: ErrorCode) => deviceStatuses[errors[code].status] ?? errors[code].status;

/** What the listener takes from the installation's identity, PEM texts; it reads them anew after each change. */
export interface ListenerIdentity {
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  /** Key of session tickets, 48 bytes. */
  readonly tickets: Buffer;
  /** Fingerprint of the authority that devices shall go by. */
  readonly active: string;
  /** Calls `listener` when any of it has changed. */
  onChange(listener: () => void): void;
}

/** What the listener needs of the slice of devices. */
export interface DeviceContacts {
  /** Notes the first authenticated contact of a device. */
  firstContact(device: DeviceRow, ip: string): Promise<void>;
  /** Whether the device had this certificate before the one it has now: then there is a copy of it, and that is noted. */
  wasRetired(device: DeviceRow, certificate: string, ip: string): Promise<boolean>;
}

interface Peer {
  /** CN of the certificate. */
  readonly uuid: string;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;
  /** End of the certificate's time, epoch ms: a connection may outlive it. */
  readonly validToMs: number;
  /** Its time has not begun: the clock of the service was ahead when it was made, and has been put right. */
  readonly isEarly: boolean;
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

/**
 * The peer's certificate, if our authority has signed it and it is in force. One whose time has not begun may hide that
 * it is of another signer; the fingerprint that is compared later cannot be that of another.
 */
function readPeer(socket: TLSSocket): Peer | undefined {
  if (!socket.encrypted) return undefined;
  const isEarly = problemOf(socket) === 'CERT_NOT_YET_VALID';
  if (!socket.authorized && !isEarly) return undefined;
  const { subject, fingerprint256, valid_to: validTo } = socket.getPeerCertificate();
  if (typeof subject?.CN !== 'string') return undefined;
  const fingerprint = fingerprint256.replaceAll(':', '').toLowerCase();
  return { uuid: subject.CN, fingerprint, validToMs: Date.parse(validTo), isEarly };
}

/** What is wrong with the certificate of a TLS peer: the library gives its code as a text. */
const problemOf = (socket: Socket): string => String((socket as TLSSocket).authorizationError);

const headerOf = (request: FastifyRequest, name: string): string | undefined => {
  const header = request.headers[name];
  return Array.isArray(header) ? header[0] : header;
};

/** Fingerprint of the certificate that was shown; none without TLS. */
type Identified = Pick<DeviceCaller, 'row' | 'certificate' | 'renewalDue'>;

type Identify = (request: FastifyRequest) => Promise<Result<Identified, Refusal>>;

const stranger = () => failure(refusal('DEVICE_NOT_IDENTIFIED'));

type CheckDeps = Pick<Deps, 'storage' | 'clock' | 'settings' | 'health'> & {
  readonly identity: Pick<ListenerIdentity, 'active'>;
};

/** By certificate: it, the fingerprint of the one issued last and any uuid in a header have to agree. */
function byCertificate(
  { storage, clock, identity }: CheckDeps,
  contacts: DeviceContacts,
  open: DeviceConnections,
): Identify {
  const peerOf = peerMemory();
  const sights = new DeviceSights(storage.bus, rememberedDevices);
  // Spec: API-DEV-renewal. A client with the old certificate is not the device that has the new one.
  storage.bus.subscribe(topics.deviceRenewed, ({ uuid, certificate }) =>
    open.cut(uuid, (socket) => peerOf(socket)?.fingerprint === certificate),
  );

  /** The certificate, the state and the trust of the row are what lets a device in without a look at the records. */
  const isGood = (row: DeviceRow, { fingerprint, isEarly }: Peer): boolean =>
    row.state === 'active' &&
    row.certificate_fingerprint === fingerprint &&
    !isEarly &&
    row.authority === identity.active;

  async function lookUp(peer: Peer, isChannel: boolean): Promise<DeviceRow | undefined> {
    const sight = isChannel ? sights.get(peer.uuid) : undefined;
    if (sight && isGood(sight, peer)) return sight;
    const found = await storage.hot.deviceByUuid(peer.uuid);
    if (!found || !isChannel) return found;
    // It stays with the channel, and a copy takes half the memory of what a driver makes.
    const row = { ...found };
    if (isGood(row, peer)) sights.keep(row);
    return row;
  }

  return async (request) => {
    const { socket } = request.raw;
    const peer = peerOf(socket);
    if (!peer) return problemOf(socket) === 'CERT_HAS_EXPIRED' ? failure(refusal('CERTIFICATE_EXPIRED')) : stranger();
    // Spec: API-DEV-expiry.
    if (peer.validToMs < clock.now()) return failure(refusal('CERTIFICATE_EXPIRED'));
    const named = headerOf(request, 'x-device-uuid');
    if (named !== undefined && named.toLowerCase() !== peer.uuid) return stranger();
    noteConnection(open, peer.uuid, request);
    const row = await lookUp(peer, asksForSocket(request.raw, channelPath));
    if (!row) return stranger();
    const { fingerprint: certificate } = peer;
    if (certificate === row.certificate_fingerprint || certificate === row.next_fingerprint) {
      // Spec: API-RULE-authority-3, API-DEV-early.
      return success({ row, certificate, renewalDue: peer.isEarly || row.authority !== identity.active });
    }
    // Spec: API-DEV-clone.
    return (await contacts.wasRetired(row, certificate, request.ip))
      ? failure(refusal('CERTIFICATE_REPLACED'))
      : stranger();
  };
}

/** Noted before the row is read: what is taken back after that read finds the connection. The channel says goodbye itself. */
function noteConnection(open: DeviceConnections, uuid: string, { raw }: FastifyRequest): void {
  if (!asksForSocket(raw, channelPath)) open.note(uuid, raw.socket);
}

/** Without TLS: by uuid and provisioning token in headers. Spec: API-DEV-insecure. */
const byHeaders =
  ({ storage }: CheckDeps, open: DeviceConnections): Identify =>
  async (request) => {
    const uuid = headerOf(request, 'x-device-uuid')?.toLowerCase();
    const token = headerOf(request, 'x-device-token');
    if (uuid === undefined || token === undefined) return stranger();
    noteConnection(open, uuid, request);
    const row = await storage.hot.deviceByUuid(uuid);
    return row?.provision_token_hash === hashSecret(token)
      ? success({ row, certificate: undefined, renewalDue: false })
      : stranger();
  };

/**
 * The check of every device call but provisioning. A device that passes has been seen: that is durable before its
 * call is answered, unless the database is full; a channel opens at once, and is noted beside others. Spec: API-ERR-507, API-DEV-identity, API-DEV-first-contact, API-RULE-ota-1, API-STATE-device-any-disabled.
 */
export function deviceCheck(deps: CheckDeps, contacts: DeviceContacts): Authenticate<DeviceCaller> {
  const { storage, clock, settings } = deps;
  const open = new DeviceConnections();
  // Spec: API-DEV-revoked.
  storage.bus.subscribe(topics.deviceRevoked, ({ uuid }) => uuid !== undefined && open.cut(uuid));
  const identify = settings.deviceInsecure ? byHeaders(deps, open) : byCertificate(deps, contacts, open);

  /** A device that only asks is answered without room for the mark, too: its next contact makes up for it. */
  async function markSeen(deviceId: string, ip: string): Promise<void> {
    try {
      await storage.hot.touchDevice(deviceId, clock.now(), ip);
    } catch (error) {
      if (deps.health.troubleOf(error)?.kind !== 'full') throw error;
    }
  }

  return async (request): Promise<Result<DeviceCaller, Refusal>> => {
    const found = await identify(request);
    if (!found.ok) return found;
    const { row } = found.value;
    if (row.state === 'disabled') return failure(refusal('DEVICE_DISABLED'));
    if (row.state === 'enabled') await contacts.firstContact(row, request.ip);
    const seen = markSeen(row.id, request.ip);
    // What keeps it from being written keeps the channel from being noted, and that is told.
    if (asksForSocket(request.raw, channelPath)) seen.catch(() => {});
    else await seen;
    return success({ deviceId: row.id, uuid: row.uuid, ...found.value });
  };
}

/**
 * The server that devices talk to, without routes and not listening. It asks for a client certificate but does not
 * insist: a device without one may still provision itself. Every other call is refused without.
 *
 * @param own shown in place of the identity's certificate under the names that it holds
 */
export function buildDeviceListener(
  { settings, log }: Pick<Deps, 'settings' | 'log'>,
  identity: ListenerIdentity,
  own: OwnCertificate,
  endpoints: readonly EndpointShape[],
  options: Pick<ServerOptions, 'troubleOf' | 'logLevel' | 'logStream' | 'traffic' | 'timeouts' | 'accessLog'>,
): FastifyInstance {
  const common = { ...options, statusOf: deviceStatusOf, endpoints, listener: 'devices' } as const;
  if (settings.deviceInsecure) {
    log.warn('The device listener has no TLS: devices are trusted by header. Use this for development only');
    return buildServer(common);
  }
  const secure = () =>
    ({
      cert: identity.server.certificate,
      key: identity.server.key,
      ca: identity.ca,
      minVersion: minTlsVersion,
      sessionTimeout: sessionTimeoutS,
      sessionIdContext: sessionContext,
      ticketKeys: identity.tickets,
    }) as const;
  const app = buildServer({
    ...common,
    tls: {
      ...secure(),
      requestCert: true,
      rejectUnauthorized: false,
      SNICallback: (name, done) => done(null, own.contextFor(name)),
    },
  });
  // Safe: a server with TLS is one; the framework types it as a plain one. Connections that are open stay.
  const server = app.server as unknown as Server;
  // On the host's own time, as the other limits of connections.
  const admission = new Admission({ ...defaultAdmission, perSecond: settings.deviceHandshakesPerSecond }, realClock);
  admission.guard(server);
  app.addHook('preClose', (done) => {
    admission.close();
    done();
  });
  identity.onChange(() => {
    own.refresh();
    server.setSecureContext(secure());
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    // Safe: the check of this listener is that of devices.
    if ((request.caller as DeviceCaller | undefined)?.renewalDue) void reply.header(renewalHeaders.due, 'due');
    done();
  });
  return app;
}
