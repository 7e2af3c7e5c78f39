import { extensionContracts } from '@moorage/api';
import { replacementPassword } from '../../core/auth/accounts.ts';
import type { UserRow } from '../../core/auth/queries.ts';
import { openSession } from '../../core/auth/routes.ts';
import { sessionOpener } from '../../core/auth/session.ts';
import { handOvers } from '../../core/core.ts';
import { putMember } from '../../core/products/people-queries.ts';
import type { Db } from '../../engine/db/storage.ts';
import type { Deps } from '../../engine/http/types.ts';
import { extension } from '../extension.ts';
import { setRole } from './account-queries.ts';
import { accountsRoutes } from './account-routes.ts';
import { customersRoutes } from './customers.ts';
import { deleteChallenges, deleteOldChallenges } from './factor-queries.ts';
import { factorRoutes, forgetFactors } from './factors.ts';
import { type GroupMember, setGroupMember } from './group-members.ts';
import { removeOldLinks, startLinkMails } from './link-mails.ts';
import { pendingAddress } from './link-queries.ts';
import { limitLinksTo, linkRoutes, queueAddress, queueConfirmation } from './links.ts';
import { membershipsRoutes } from './memberships.ts';
import { pagesAt, passkeyAddress } from './passkey-address.ts';
import { passkeyRoutes } from './passkeys.ts';
import { proofRoutes } from './proof.ts';
import { askFactor } from './second-step.ts';
import { removeServiceAccounts, serviceAccountRoutes } from './service-accounts.ts';
import { openSingleSignOn, type SingleSignOn, type SsoFiles } from './single-sign-on.ts';
import { providerSignOut, ssoRoutes } from './sso.ts';
import { deleteOldSignIns } from './sso-queries.ts';

declare module '../extension.ts' {
  interface Brought {
    /** Made from the settings and `ssoFiles` without it. */
    readonly sso?: SingleSignOn | undefined;
    readonly ssoFiles?: SsoFiles | undefined;
  }
}

/** A service account does what a manager of its product does. */
const joinProduct = (trx: Db, product_id: string, user_id: string, created_at: number) =>
  putMember(trx, { product_id, user_id, role: 'manager', created_at });

/** Single sign-on, and what its groups change elsewhere. */
const signOnDeps = (deps: Deps, sso: SingleSignOn | undefined) => ({
  ...deps,
  provider: sso?.provider,
  groups: sso?.groups,
  openSession: (user: UserRow, call: Parameters<typeof openSession>[2]) => openSession(deps, user, call, 'provider'),
  effects: {
    setRole,
    setMember: (trx: Db, member: GroupMember) => setGroupMember(deps, trx, member),
  },
});

/** Second factors, passkeys, single sign-on, links by mail, organisations, service accounts, and their administration. */
export const accounts = extension({
  name: 'accounts',
  contracts: extensionContracts.accounts,
  open(foundation) {
    const { settings, clock } = foundation;
    const sso = foundation.sso ?? openSingleSignOn(settings, clock, foundation.ssoFiles);
    const forService = { ...foundation, handOver: handOvers, joinProduct };
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
        productGone: removeServiceAccounts(forService),
      },
      routes(core) {
        const begin = sessionOpener(core, (...opened) => openSession(core, ...opened));
        return {
          factors: factorRoutes(core, begin),
          passkeys: passkeyRoutes(core, begin),
          proof: proofRoutes(core),
          links: linkRoutes(core),
          sso: ssoRoutes(signOnDeps(core, sso)),
          accounts: accountsRoutes({
            ...core,
            handOver: handOvers,
            replacementPassword,
            forgetFactors,
            endLogins: deleteChallenges,
          }),
          serviceAccounts: serviceAccountRoutes(forService),
          customers: customersRoutes(core),
          memberships: membershipsRoutes(core),
        };
      },
      maintenance: [
        { name: 'old challenges', run: ({ storage }) => deleteOldChallenges(storage.db, clock.now()) },
        { name: 'old links', run: removeOldLinks },
        { name: 'old sign-ins', run: ({ storage }) => deleteOldSignIns(storage.db, clock.now()) },
      ],
      start: async (_core, background) => startLinkMails(background),
    };
  },
});
