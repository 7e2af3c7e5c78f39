import { type metaContract, refusal } from '@moorage/api';
import { failure, success } from '@moorage/base';
import type { Deps, Handlers } from '../http/types.ts';
import { version } from './version.ts';

/** Seconds after which a monitor may ask again. */
const retryAfterS = 5;

export function metaRoutes({ storage, clock, log }: Deps): Handlers<typeof metaContract> {
  const startedMs = clock.monotonic();
  return {
    // API-EP-GET-healthz
    async health() {
      try {
        await storage.db.selectFrom('settings').select('name').limit(1).execute();
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
