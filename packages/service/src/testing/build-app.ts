import { type Client, createClient } from '@moorage/api';
import { VirtualClock } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { buildService, type Certificates, type Service } from '../app.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { memoryBlobs } from '../blobs/memory-blobs.ts';
import type { LogLevel, Settings } from '../core/config.ts';
import type { Rehearser } from '../core/rehearser.ts';
import type { Storage } from '../db/storage.ts';
import { injectFetch } from '../http/inject-fetch.ts';
import type { Timeouts } from '../http/timeouts.ts';
import type { Outbound } from '../outbound/ports.ts';
import type { SingleSignOn } from '../single-sign-on.ts';
import { type Fixtures, fixtures } from './fixtures.ts';

/** When tests begin: 2023-11-14T22:13:20Z. */
export const testStartMs = 1_700_000_000_000;

export const testSettings: Settings = {
  dataDir: '/nowhere',
  host: '127.0.0.1',
  port: 0,
  devicePort: 0,
  opsPort: undefined,
  tlsCert: undefined,
  tlsKey: undefined,
  trustProxy: [],
  publicUrl: undefined,
  deviceNames: [],
  deviceUrl: undefined,
  deviceCert: undefined,
  deviceKey: undefined,
  database: 'sqlite::memory:',
  bus: undefined,
  busCredentials: undefined,
  busCa: undefined,
  blobs: 'file:/nowhere',
  s3Endpoint: undefined,
  s3Region: 'us-east-1',
  s3AccessKey: undefined,
  s3SecretKey: undefined,
  s3PublicEndpoint: undefined,
  deviceInsecure: false,
  deviceHandshakesPerSecond: 0,
  deviceCertificateDays: 10_950,
  updateTimeoutHours: 24,
  // Tests make thousands of requests while their clock stands still.
  requestsPerMinute: 0,
  quotaDevices: 100_000,
  quotaProducts: 1_000,
  quotaBundles: 100_000,
  quotaConnectors: 1_000,
  quotaMebibytes: 102_400,
  auditDays: 730,
  connectorAllow: [],
  smtpUrl: undefined,
  mailFrom: 'Moorage <moorage@localhost>',
  oidcIssuer: undefined,
  oidcClientId: undefined,
  oidcClientSecretFile: undefined,
  oidcName: 'single sign-on',
  oidcGroups: undefined,
  oidcAccounts: 'invited',
  mapTiles: undefined,
  mapAttribution: undefined,
  logLevel: 'info',
  accessLog: false,
  signUp: undefined,
  secondFactor: 'optional',
  adminEmail: 'admin@localhost',
  adminPassword: undefined,
};

export { injectFetch };

export interface TestApp {
  readonly service: Service;
  readonly api: FastifyInstance;
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly clock: VirtualClock;
  /** Rows to begin with. */
  readonly make: Fixtures;
  /** Calls without a token; `client.as(token)` calls as a user. */
  readonly client: Client;
}

export interface TestAppOptions {
  /** When the clock starts, epoch ms. */
  readonly startMs?: number;
  readonly settings?: Partial<Settings>;
  readonly blobs?: BlobStore;
  readonly outbound?: Outbound;
  readonly sso?: SingleSignOn;
  readonly rehearser?: Rehearser;
  readonly timeouts?: Timeouts;
  readonly consoleDir?: string;
  readonly certificates?: Certificates;
  readonly logLevel?: LogLevel;
  readonly logStream?: { write(line: string): void };
}

/** The service over a database of the test, with a clock that the test owns, and nothing listening. */
export async function buildApp(storage: Storage, options: TestAppOptions = {}): Promise<TestApp> {
  const clock = new VirtualClock(options.startMs ?? testStartMs);
  const blobs = options.blobs ?? memoryBlobs(clock);
  const service = await buildService({
    settings: { ...testSettings, ...options.settings },
    clock,
    storage,
    blobs,
    logLevel: options.logLevel ?? 'silent',
    ...(options.timeouts && { timeouts: options.timeouts }),
    ...(options.consoleDir !== undefined && { consoleDir: options.consoleDir }),
    ...(options.certificates && { certificates: options.certificates }),
    ...(options.outbound && { outbound: options.outbound }),
    ...(options.sso && { sso: options.sso }),
    ...(options.rehearser && { rehearser: options.rehearser }),
    ...(options.logStream && { logStream: options.logStream }),
  });
  await service.api.ready();
  return {
    service,
    api: service.api,
    storage,
    blobs,
    clock,
    make: fixtures({ storage, blobs, clock }),
    client: createClient({ baseUrl: 'http://service', fetch: injectFetch(service.api) }),
  };
}
