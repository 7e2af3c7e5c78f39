import { extensionContracts } from '@moorage/api';
import { askAlertAddresses } from '../accounts/alert-links.ts';
import { extension } from '../extension.ts';
import { removeOldAlerts, startAlerts } from './engine.ts';
import { removeOldMails, startMails } from './mails.ts';
import { alertsRoutes } from './routes.ts';

/** Rules over filters that mail and tell connectors. */
export const alerts = extension({
  name: 'alerts',
  contracts: extensionContracts.alerts,
  open: () => ({
    routes: (core) => ({ alerts: alertsRoutes({ ...core, askAddresses: askAlertAddresses(core) }) }),
    maintenance: [
      { name: 'old alerts', run: removeOldAlerts },
      { name: 'old mails', run: removeOldMails },
    ],
    async start(_core, background) {
      const stops = [startAlerts(background), startMails(background)];
      return async () => void (await Promise.all(stops.map((stop) => stop())));
    },
  }),
});
