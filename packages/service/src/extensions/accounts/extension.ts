import { extensionContracts } from '@moorage/api';
import { extension } from '../extension.ts';
import { accountsRoutes } from './account-routes.ts';
import { customersRoutes } from './customers.ts';
import { deleteChallenges, deleteOldChallenges } from './factor-queries.ts';
import { factorRoutes } from './factors.ts';
import { removeOldLinks, startLinkMails } from './link-mails.ts';
import { pendingAddress } from './link-queries.ts';
import { limitLinksTo, linkRoutes, queueAddress, queueConfirmation } from './links.ts';
import { membershipsRoutes } from './memberships.ts';
import { passkeyRoutes } from './passkeys.ts';
import { proofRoutes } from './proof.ts';
import { askFactor } from './second-step.ts';
import { removeServiceAccounts, serviceAccountRoutes } from './service-accounts.ts';
import { openSingleSignOn, type SingleSignOn, type SsoFiles } from './single-sign-on.ts';
import { providerSignOut, ssoRoutes } from './sso.ts';
import { deleteOldSignIns } from './sso-queries.ts';
import { pagesAt, passkeyAddress } from './webauthn.ts';

declare module '../extension.ts' {
  interface Brought {
    /** Made from the settings and `ssoFiles` without it. */
    readonly sso?: SingleSignOn | undefined;
    readonly ssoFiles?: SsoFiles | undefined;
  }
}

/** Second factors, passkeys, single sign-on, links by mail, organisations, service accounts, and their administration. */
export const accounts = extension({
  name: 'accounts',
  contracts: extensionContracts.accounts,
  open(foundation) {
    const { settings, clock } = foundation;
    const sso = foundation.sso ?? openSingleSignOn(settings, clock, foundation.ssoFiles);
    return {
      hooks: {
        refuseLogin: askFactor,
        accountMade: (trx, user) => queueConfirmation(foundation, trx, user),
        passwordChanged: deleteChallenges,
        sessionEnds: (tokenId) => providerSignOut({ ...foundation, provider: sso?.provider }, tokenId),
        waysIn: (call) => ({
          mail: settings.smtpUrl !== undefined,
          second_factor: settings.secondFactor,
          sso: settings.oidcIssuer === undefined ? null : settings.oidcName,
          passkeys: passkeyAddress(pagesAt(settings, call))?.origin ?? null,
        }),
        addressLinks: {
          limit: (email) => limitLinksTo(foundation, email),
          queue: (trx, userId, email) => queueAddress(foundation, trx, userId, email),
          pending: (db, userId) => pendingAddress(db, userId, clock.now()),
        },
        productGone: removeServiceAccounts(foundation),
      },
      routes: (core) => ({
        factors: factorRoutes(core),
        passkeys: passkeyRoutes(core),
        proof: proofRoutes(core),
        links: linkRoutes(core),
        sso: ssoRoutes({ ...core, provider: sso?.provider, groups: sso?.groups }),
        accounts: accountsRoutes(core),
        serviceAccounts: serviceAccountRoutes(core),
        customers: customersRoutes(core),
        memberships: membershipsRoutes(core),
      }),
      maintenance: [
        { name: 'old challenges', run: ({ storage }) => deleteOldChallenges(storage.db, clock.now()) },
        { name: 'old links', run: removeOldLinks },
        { name: 'old sign-ins', run: ({ storage }) => deleteOldSignIns(storage.db, clock.now()) },
      ],
      start: async (_core, background) => startLinkMails(background),
    };
  },
});
