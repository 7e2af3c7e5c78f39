import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { openAudit } from './changes.ts';
import { maintainAudit } from './keeper.ts';
import { auditRoutes } from './routes.ts';

/** What keeps a row of every change by a person or token, in a chain. */
export const audit = extension({
  name: 'audit',
  contracts: extensionContracts.audit,
  open(foundation) {
    const { audit: intercept, closeAudit } = openAudit(foundation);
    return {
      hooks: { intercept },
      routes: (core) => ({ audit: auditRoutes(core) }),
      maintenance: [{ name: 'the audit', run: maintainAudit }],
      close: closeAudit,
    };
  },
});
