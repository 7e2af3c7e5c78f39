import { extensionContracts } from '@moorage/api';
import { watchDevices } from '../../core/data/routes.ts';
import { extension } from '../extension.ts';
import { eventsRoutes } from './events.ts';

/** What happens, as it happens, over one connection. */
export const events = extension({
  name: 'events',
  contracts: extensionContracts.events,
  open: () => ({
    routes: (core) => ({ events: eventsRoutes({ ...core, watchDevices: watchDevices(core.data) }) }),
  }),
});
