import {
  accountsContract,
  alertsContract,
  assetsContract,
  auditContract,
  authContract,
  avatarsContract,
  broadcastsContract,
  bundlesContract,
  channelContract,
  connectorsContract,
  customersContract,
  eventsContract,
  factorsContract,
  fleetContract,
  gatewaysContract,
  invitationsContract,
  logsContract,
  membershipsContract,
  metaContract,
  metricsContract,
  overviewContract,
  passkeysContract,
  platformsContract,
  productPeopleContract,
  productsContract,
  proofContract,
  rehearsalsContract,
  schemasContract,
  segmentsContract,
  serviceAccountsContract,
  sessionContract,
  ssoContract,
  tokensContract,
  userLinksContract,
  usersContract,
  viewsContract,
} from '@moorage/api';
import type { FastifyInstance } from 'fastify';
import type { Viewer } from './access/viewer.ts';
import { alertsRoutes } from './alerts/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { replacementPassword } from './auth/accounts.ts';
import { askAlertAddresses } from './auth/alert-links.ts';
import { deleteChallenges } from './auth/factor-queries.ts';
import { factorRoutes, forgetFactors } from './auth/factors.ts';
import { pendingAddress } from './auth/link-queries.ts';
import { limitLinksTo, linkRoutes, queueAddress } from './auth/links.ts';
import { passkeyRoutes } from './auth/passkeys.ts';
import { proofRoutes } from './auth/proof.ts';
import type { UserRow } from './auth/queries.ts';
import { authRoutes, openSession, tokenRoutes } from './auth/routes.ts';
import { removeServiceAccounts, serviceAccountRoutes } from './auth/service-accounts.ts';
import { sessionOpener, sessionRoutes } from './auth/session.ts';
import { invitationRoutes } from './auth/sign-up.ts';
import { providerSignOut, ssoRoutes } from './auth/sso.ts';
import { avatarsRoutes } from './avatars/routes.ts';
import { copyReleaseCandidate } from './bundles/copy.ts';
import { handOverBundles, resourcesOfBundle } from './bundles/queries.ts';
import { bundlesRoutes } from './bundles/routes.ts';
import { broadcastRoutes } from './channel/broadcasts.ts';
import { type ChannelDeps, channelRoutes } from './channel/routes.ts';
import { connectorsRoutes } from './connectors/routes.ts';
import type { Rehearser } from './core/rehearser.ts';
import type { Deps, Handlers } from './core/types.ts';
import { handOverActivations } from './data/queries.ts';
import { watchDevices } from './data/routes.ts';
import { schemaRoutes } from './data/schemas.ts';
import type { Db } from './db/storage.ts';
import { type DeviceSlices, mountDeviceApi } from './device-slices.ts';
import { handOverDevices } from './devices/queries.ts';
import { assetsRoutes } from './filestore/routes.ts';
import { gatewaysRoutes } from './gateways/routes.ts';
import { type MountOptions, mountContract } from './http/mount.ts';
import { eventsRoutes } from './logs/events.ts';
import { logsRoutes, recentLogs } from './logs/routes.ts';
import { version } from './meta/version.ts';
import { fleetRoutes, shapeRecord } from './metrics/fleet.ts';
import { metricsRoutes } from './metrics/routes.ts';
import type { Outbound } from './outbound/ports.ts';
import { catalogue } from './platforms/catalogue.ts';
import { platformsRoutes } from './platforms/routes.ts';
import { editions } from './products/editions.ts';
import { type GroupMember, setGroupMember } from './products/group-members.ts';
import { productPeopleRoutes } from './products/people.ts';
import { putMember } from './products/people-queries.ts';
import { handOverProducts } from './products/queries.ts';
import { productsRoutes } from './products/routes.ts';
import { releaseEnded } from './rollouts/queries.ts';
import { Rehearsals, rehearsalRoutes } from './rollouts/rehearsals.ts';
import { allowedRollout } from './rollouts/routes.ts';
import { segmentsRoutes } from './segments/routes.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import { setRole } from './users/account-queries.ts';
import { accountsRoutes } from './users/account-routes.ts';
import { customersRoutes } from './users/customers.ts';
import { membershipsRoutes } from './users/memberships.ts';
import { overviewRoutes } from './users/overview.ts';
import { usersRoutes } from './users/routes.ts';
import { viewsRoutes } from './users/views.ts';

/** A service account does what a manager of its product does. */
const joinProduct = (trx: Db, product_id: string, user_id: string, created_at: number) =>
  putMember(trx, { product_id, user_id, role: 'manager', created_at });

/** Single sign-on, and what its groups change in other slices. */
const singleSignOn = (deps: Deps & { readonly sso: SingleSignOn | undefined }) => ({
  ...deps,
  provider: deps.sso?.provider,
  groups: deps.sso?.groups,
  openSession: (user: UserRow, call: Parameters<typeof openSession>[2]) => openSession(deps, user, call, 'provider'),
  effects: {
    setRole,
    setMember: (trx: Db, member: GroupMember) => setGroupMember(deps, trx, member),
  },
});

/** Rehearsals of rollouts; one that runs ends with the listener. */
function mountRehearsals(
  app: FastifyInstance,
  deps: Deps & { readonly rehearser: Rehearser | undefined },
  { hub: { lease } }: ChannelDeps,
  options: MountOptions,
): void {
  const parts = { ...deps, lease, shapeOf: shapeRecord, resourcesOf: resourcesOfBundle };
  const rehearsals = new Rehearsals(parts);
  app.addHook('onClose', () => rehearsals.close());
  mountContract(app, rehearsalsContract, rehearsalRoutes(parts, rehearsals), options);
}

/** How accounts get another address. */
const addressChanges = (deps: Deps) => ({
  limitLinksTo: (email: string) => limitLinksTo(deps, email),
  queueAddress: (trx: Db, userId: string, email: string) => queueAddress(deps, trx, userId, email),
  pendingAddress: (db: Db, userId: string) => pendingAddress(db, userId, deps.clock.now()),
});

/** Every slice of the REST API. A new one is a line here, and one in the contract. */
export function mountSlices(
  app: FastifyInstance,
  deps: Deps & {
    readonly outbound: Outbound;
    readonly meta: Handlers<typeof metaContract>;
    readonly sso: SingleSignOn | undefined;
    readonly rehearser: Rehearser | undefined;
  },
  devices: DeviceSlices,
  channel: ChannelDeps,
  options: MountOptions,
): void {
  mountContract(app, authContract, authRoutes(deps), options);
  const begin = sessionOpener(deps, (...opened) => openSession(deps, ...opened));
  const signOut = (tokenId: string) => providerSignOut({ ...deps, provider: deps.sso?.provider }, tokenId);
  mountContract(app, sessionContract, sessionRoutes(deps, begin, signOut), options);
  mountContract(app, factorsContract, factorRoutes(deps, begin), options);
  mountContract(app, passkeysContract, passkeyRoutes(deps, begin), options);
  mountContract(app, proofContract, proofRoutes(deps), options);
  mountContract(app, ssoContract, ssoRoutes(singleSignOn(deps)), options);
  mountContract(app, invitationsContract, invitationRoutes(deps), options);
  mountContract(app, tokensContract, tokenRoutes(deps), options);
  mountContract(app, userLinksContract, linkRoutes(deps), options);
  mountContract(app, usersContract, usersRoutes({ ...deps, ...addressChanges(deps) }), options);
  const handOver = [handOverProducts, handOverBundles, handOverDevices, handOverActivations];
  mountContract(
    app,
    accountsContract,
    accountsRoutes({ ...deps, handOver, replacementPassword, forgetFactors, endLogins: deleteChallenges }),
    options,
  );
  mountContract(app, viewsContract, viewsRoutes(deps), options);
  mountContract(app, gatewaysContract, gatewaysRoutes(deps), options);
  const overview = {
    ...deps,
    version,
    catalogue: (viewer: Viewer) => catalogue(deps.storage.db, viewer),
    recentLogs: recentLogs(deps),
  };
  mountContract(app, overviewContract, overviewRoutes(overview), options);
  mountContract(app, platformsContract, platformsRoutes(deps, editions), options);
  const forService = { ...deps, handOver, joinProduct };
  mountContract(app, serviceAccountsContract, serviceAccountRoutes(forService), options);
  const products = { ...deps, removeServiceAccounts: removeServiceAccounts(forService) };
  mountContract(app, productsContract, productsRoutes(products), options);
  mountContract(app, assetsContract, assetsRoutes(devices.files), options);
  mountContract(app, avatarsContract, avatarsRoutes(deps), options);
  mountContract(app, bundlesContract, bundlesRoutes({ ...deps, tagMoved: releaseEnded }), options);
  mountContract(app, productPeopleContract, productPeopleRoutes({ ...deps, copyReleaseCandidate }), options);
  mountContract(app, customersContract, customersRoutes(deps), options);
  mountContract(app, membershipsContract, membershipsRoutes(deps), options);
  mountContract(app, connectorsContract, connectorsRoutes(deps), options);
  mountContract(app, logsContract, logsRoutes(deps), options);
  mountContract(app, auditContract, auditRoutes(deps), options);
  mountContract(app, eventsContract, eventsRoutes({ ...deps, watchDevices: watchDevices(devices.data) }), options);
  mountContract(app, fleetContract, fleetRoutes({ ...deps, allowedRollout }), options);
  mountRehearsals(app, deps, channel, options);
  mountContract(app, metricsContract, metricsRoutes(deps), options);
  mountContract(app, segmentsContract, segmentsRoutes(deps), options);
  const askAddresses = askAlertAddresses(deps);
  mountContract(app, alertsContract, alertsRoutes({ ...deps, askAddresses }), options);
  mountDeviceApi(app, devices, options);
  mountContract(app, channelContract, channelRoutes(channel), options);
  mountContract(app, broadcastsContract, broadcastRoutes(channel), options);
  mountContract(app, schemasContract, schemaRoutes(), options);
  mountContract(app, metaContract, deps.meta, options);
}
