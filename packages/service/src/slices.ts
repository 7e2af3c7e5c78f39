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
import type { Viewer } from './core/access/viewer.ts';
import { replacementPassword } from './core/auth/accounts.ts';
import type { UserRow } from './core/auth/queries.ts';
import { authRoutes, openSession, tokenRoutes } from './core/auth/routes.ts';
import { sessionOpener, sessionRoutes } from './core/auth/session.ts';
import { invitationRoutes } from './core/auth/sign-up.ts';
import { avatarsRoutes } from './core/avatars/routes.ts';
import { copyReleaseCandidate } from './core/bundles/copy.ts';
import { handOverBundles, resourcesOfBundle } from './core/bundles/queries.ts';
import { bundlesRoutes } from './core/bundles/routes.ts';
import { type ChannelDeps, channelRoutes } from './core/channel/routes.ts';
import { connectorsRoutes } from './core/connectors/routes.ts';
import { handOverActivations } from './core/data/queries.ts';
import { watchDevices } from './core/data/routes.ts';
import { schemaRoutes } from './core/data/schemas.ts';
import { handOverDevices } from './core/devices/queries.ts';
import { assetsRoutes } from './core/files/routes.ts';
import { logsRoutes, recentLogs } from './core/logs/routes.ts';
import { version } from './core/meta/version.ts';
import { metricsRoutes } from './core/metrics/routes.ts';
import { catalogue } from './core/platforms/catalogue.ts';
import { platformsRoutes } from './core/platforms/routes.ts';
import { editions } from './core/products/editions.ts';
import { productPeopleRoutes } from './core/products/people.ts';
import { putMember } from './core/products/people-queries.ts';
import { handOverProducts } from './core/products/queries.ts';
import { productsRoutes } from './core/products/routes.ts';
import { overviewRoutes } from './core/users/overview.ts';
import { usersRoutes } from './core/users/routes.ts';
import { type DeviceSlices, mountDeviceApi } from './device-slices.ts';
import type { Db } from './engine/db/storage.ts';
import { type MountOptions, mountContract } from './engine/http/mount.ts';
import type { Deps, Handlers } from './engine/http/types.ts';
import type { Outbound } from './engine/outbound/ports.ts';
import { setRole } from './extensions/accounts/account-queries.ts';
import { accountsRoutes } from './extensions/accounts/account-routes.ts';
import { askAlertAddresses } from './extensions/accounts/alert-links.ts';
import { customersRoutes } from './extensions/accounts/customers.ts';
import { deleteChallenges } from './extensions/accounts/factor-queries.ts';
import { factorRoutes, forgetFactors } from './extensions/accounts/factors.ts';
import { type GroupMember, setGroupMember } from './extensions/accounts/group-members.ts';
import { pendingAddress } from './extensions/accounts/link-queries.ts';
import { limitLinksTo, linkRoutes, queueAddress } from './extensions/accounts/links.ts';
import { membershipsRoutes } from './extensions/accounts/memberships.ts';
import { passkeyRoutes } from './extensions/accounts/passkeys.ts';
import { proofRoutes } from './extensions/accounts/proof.ts';
import { removeServiceAccounts, serviceAccountRoutes } from './extensions/accounts/service-accounts.ts';
import type { SingleSignOn } from './extensions/accounts/single-sign-on.ts';
import { providerSignOut, ssoRoutes } from './extensions/accounts/sso.ts';
import { alertsRoutes } from './extensions/alerts/routes.ts';
import { auditRoutes } from './extensions/audit/routes.ts';
import { broadcastRoutes } from './extensions/broadcasts/broadcasts.ts';
import { eventsRoutes } from './extensions/events/events.ts';
import { releaseEnded } from './extensions/fleet/rollouts/queries.ts';
import { allowedRollout } from './extensions/fleet/rollouts/routes.ts';
import { segmentsRoutes } from './extensions/fleet/segments/routes.ts';
import { fleetRoutes, shapeRecord } from './extensions/fleet/shape/fleet.ts';
import { gatewaysRoutes } from './extensions/gateways/routes.ts';
import { Rehearsals, rehearsalRoutes } from './extensions/rehearsals/rehearsals.ts';
import type { Rehearser } from './extensions/rehearsals/rehearser.ts';
import { viewsRoutes } from './extensions/views/views.ts';

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
