import { type metaContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { Deps, Handlers } from '../http/types.ts';
import { askDatabase } from './queries.ts';
import { version } from './version.ts';

/** Seconds after which a monitor may ask again. */
const retryAfterS = 5;

/** State of the service for monitors. */
export function metaRoutes({ storage, clock, log }: Deps): Handlers<typeof metaContract> {
  const startedMs = clock.monotonic();
  return {
    // API-EP-GET-healthz
    async health() {
      try {
        await askDatabase(storage.db);
      } catch (error) {
        log.error({ err: error }, 'The database does not answer');
        return failure({ ...refusal('BUSY', { retryAfterS }), retryAfterS });
      }
      return success({
        status: 'ok',
        version,
        database: storage.kind,
        uptime_s: Math.floor((clock.monotonic() - startedMs) / 1000),
      });
    },
  };
}
