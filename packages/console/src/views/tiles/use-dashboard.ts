import { call } from '../../api/client.ts';
import { renew, useCall } from '../../api/queries.ts';
import { readLayout, type Tile, writeLayout } from './layout.ts';

/** Under what the service keeps the dashboard, among the saved views of its user. */
const page = 'dashboard';

/** How the user has arranged the dashboard, in every browser of theirs; undefined until that is known. */
export function useDashboard() {
  const found = useCall('views.list', { query: { page, limit: 1 } });
  const view = found.data?.value[0];
  return {
    // Who cannot be told how it was arranged sees it as it begins.
    tiles: found.data || found.error ? readLayout(view?.state) : undefined,
    async save(tiles: readonly Tile[]): Promise<void> {
      const state = writeLayout(tiles);
      if (view) await call('views.update', { params: { view_id: view.id }, body: { state } });
      else await call('views.create', { body: { page, title: page, state } });
      await renew('views');
    },
  };
}
