import { type Client, createClient, type ExtensionName } from '@moorage/api';
import { unwrap, VirtualClock } from '@moorage/base';
import type { FastifyInstance } from 'fastify';
import { buildService, type Certificates, type Service } from '../app.ts';
import type { BlobStore } from '../engine/blobs/blob-store.ts';
import { memoryBlobs } from '../engine/blobs/memory-blobs.ts';
import type { Storage } from '../engine/db/storage.ts';
import { injectFetch } from '../engine/http/inject-fetch.ts';
import type { Timeouts } from '../engine/http/timeouts.ts';
import type { Outbound } from '../engine/outbound/ports.ts';
import { type LogLevel, resolveSettings, type Settings, withoutRates } from '../engine/settings/settings.ts';
import type { SingleSignOn } from '../extensions/accounts/single-sign-on.ts';
import type { Rehearser } from '../extensions/rehearsals/rehearser.ts';
import { extensionsRun } from './each-database.ts';
import { type Fixtures, fixtures } from './fixtures.ts';

/** When tests begin: 2023-11-14T22:13:20Z. */
export const testStartMs = 1_700_000_000_000;

const testExtensions = extensionsRun ? 'all' : [];

export const testSettings: Settings = {
  ...unwrap(resolveSettings({ flags: { data: '/nowhere' } })),
  port: 0,
  devicePort: 0,
  database: 'sqlite::memory:',
  deviceHandshakesPerSecond: 0,
  // Tests make thousands of requests while their clock stands still.
  ...withoutRates,
  logLevel: 'info',
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
  readonly extensions?: 'all' | readonly ExtensionName[];
}

/** The service over a database of the test, with a clock that the test owns, and nothing listening. */
export async function buildApp(storage: Storage, options: TestAppOptions = {}): Promise<TestApp> {
  const clock = new VirtualClock(options.startMs ?? testStartMs);
  const blobs = options.blobs ?? memoryBlobs(clock);
  const service = await buildService({
    settings: { ...testSettings, extensions: options.extensions ?? testExtensions, ...options.settings },
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
