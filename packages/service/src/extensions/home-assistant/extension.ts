import { extensionContracts } from '@moorage/api';
import { changeControl } from '../../core/data/routes.ts';
import { extension } from '../extension.ts';
import { startAnnouncing } from './engine.ts';

/** Devices of connectors, announced to Home Assistant. */
export const homeAssistant = extension({
  name: 'home-assistant',
  contracts: extensionContracts['home-assistant'],
  open: () => ({
    routes: () => ({}),
    start: async ({ data }, background) =>
      startAnnouncing({
        ...background,
        watch: (deviceId, listener) => data.live.watch(deviceId, listener),
        setControl: changeControl(data),
      }),
  }),
});
