import type { LiveEvent } from '../../engine/bus/topics.ts';
import type { Deps } from '../../engine/http/types.ts';
import { abandonedChannels, abandonedLimit } from './queries.ts';
import { recordChannels } from './recorder.ts';

interface LiveView {
  notify(deviceId: string, event: LiveEvent): void;
}

/** Records that channels of processes that have ended are closed, and tells those who watch. Spec: API-CHAN-online. */
export async function clearAbandoned({
  storage,
  clock,
  live,
}: Pick<Deps, 'storage' | 'clock'> & { readonly live: LiveView }): Promise<void> {
  const atMs = clock.now();
  for (let count = abandonedLimit; count === abandonedLimit; ) {
    const rows = await abandonedChannels(storage.background.db);
    const changes = rows.map(({ session, ...device }) => ({ kind: 'closed', device, session, atMs }) as const);
    const gone = rows.length > 0 ? await recordChannels(storage.background, changes) : [];
    for (const row of gone) if (row) live.notify(row.id, { type: 'online', data: { online: false, since: null } });
    count = gone.filter((row) => row !== undefined).length;
  }
}
