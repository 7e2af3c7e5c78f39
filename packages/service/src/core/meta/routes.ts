import { metaContract, type opsContract, refusal } from '@moorage/api';
import { type Clock, failure, success } from '@moorage/base';
import type { Deps, Handlers } from '../../engine/http/types.ts';
import { authorise } from '../access/rules.ts';
import { openFigures } from './figures.ts';
import { version } from './version.ts';

/** Seconds after which a monitor may ask again. */
const retryAfterS = 5;
/** How long a probe waits for a part of the storage, in ms: monitors give up after a second. */
const probeMs = 800;

/** The same check for all that ask while it is under way: of a part that does not reply, one is enough. */
function shared(check: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  return () => {
    underWay ??= check().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}

/** Rejects when work has not ended in time; it goes on. */
function within(clock: Clock, limitMs: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, () => reject(new Error(`Nothing has replied within ${limitMs} ms`)));
    work.then(() => resolve(), reject).finally(cancel);
  });
}

/** What the service knows of itself beside its storage. */
export interface OwnState {
  /** It has begun to stop: proxies send nothing more. */
  isStopping(): boolean;
  /** Message channels of devices that are open at this process. */
  channels(): number;
  /** What is wrong, if anything; requests are answered all the same. */
  trouble(): string | undefined;
  /** Names and addresses in the certificate of the device listener. */
  readonly deviceNames: readonly string[];
}

/** The parts of the storage under their names in the figures, with a check of each that all who ask share. */
function probesOf({ storage, blobs, clock, log, health }: Deps) {
  const checks = {
    database: shared(() => storage.check()),
    file_store: shared(() =>
      blobs.check().catch((error: unknown) => {
        // Requests that change nothing are answered without room: taking them elsewhere would help none.
        if (health.troubleOf(error)?.kind !== 'full') throw error;
      }),
    ),
  };
  const replies = (check: () => Promise<void>) => () =>
    within(clock, probeMs, check()).then(
      () => true,
      () => false,
    );
  return {
    replies: { database: replies(checks.database), file_store: replies(checks.file_store) },
    /** Those that do not reply. */
    async away(): Promise<string[]> {
      const found = Object.entries(checks).map(([part, check]) =>
        within(clock, probeMs, check()).then(
          () => [],
          (error: unknown) => {
            log.error({ err: error }, `The service is not ready: ${part} does not reply`);
            return part;
          },
        ),
      );
      return (await Promise.all(found)).flat();
    },
  };
}

/** State of the service for monitors: beside the API, and on a listener that is theirs alone. */
export function metaRoutes({ storage, clock, health, traffic, rates, reserve, ...own }: Deps & OwnState): {
  readonly api: Handlers<typeof metaContract>;
  readonly ops: Handlers<typeof opsContract>;
} {
  const startedMs = clock.monotonic();
  const probes = probesOf({ storage, clock, health, traffic, rates, reserve, ...own });
  const warningNow = (): string => {
    const full = health.full.map((what) => `No room is left in the ${what}: changes are refused until there is`);
    const damage = health.hasDamagedRecords ? 'The database is damaged: changes are refused' : [];
    return [own.trouble() ?? [], damage, ...full].flat().join('; ');
  };
  const figures = openFigures({
    db: storage.db,
    traffic,
    clock,
    version,
    parts: { ...probes.replies, bus: async () => storage.bus.connected },
    hasWarning: () => warningNow() !== '',
    refusedWrites: rates.refused,
    channels: own.channels,
  });
  const ops: Handlers<typeof opsContract> = {
    // API-EP-GET-healthz
    async health() {
      if (own.isStopping()) return failure(refusal('STOPPING'));
      return success({
        status: 'ok',
        version,
        database: storage.kind,
        uptime_s: Math.floor((clock.monotonic() - startedMs) / 1000),
      });
    },

    // API-EP-GET-readyz
    async ready() {
      if (own.isStopping()) return failure(refusal('STOPPING'));
      const away = await probes.away();
      if (away.length > 0) {
        return failure({ ...refusal('STORAGE_AWAY', { what: away.join(', '), retryAfterS }), retryAfterS });
      }
      if (health.hasDamagedRecords) return failure(refusal('STORAGE_DAMAGED', { what: 'database' }));
      const warning = warningNow();
      const { kind, connected } = storage.bus;
      const bus = { kind, connected };
      return success({ status: 'ok', bus, device_names: [...own.deviceNames], ...(warning !== '' && { warning }) });
    },

    // API-EP-GET-metrics
    async metrics() {
      return success({ bytes: Buffer.from(await figures()), mime: metaContract.metrics.reply.mediaType });
    },
  };
  return {
    ops,
    api: {
      ...ops,
      async metrics(call) {
        const refused = authorise('metrics.read', [call.caller.role === 'admin' ? 'admin' : 'anyone'], 'Figures');
        return refused ? failure(refused) : ops.metrics({ ...call, caller: undefined });
      },
    },
  };
}
