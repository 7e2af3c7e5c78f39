import { authContract, invitationsContract, sessionContract } from './core/auth.ts';
import { avatarsContract } from './core/avatars.ts';
import { bundlesContract } from './core/bundles.ts';
import { connectorsContract } from './core/connectors.ts';
import { channelContract, dataContract } from './core/data.ts';
import { dataRoutesContract } from './core/data-routes.ts';
import { deviceRoutesContract, otaRoutesContract } from './core/device-routes.ts';
import { deviceUpdatesContract } from './core/device-updates.ts';
import { devicesContract } from './core/devices.ts';
import { assetsContract, deviceFilesContract, filesRoutesContract } from './core/files.ts';
import { identityContract } from './core/identity.ts';
import { logsContract } from './core/logs.ts';
import { metaContract } from './core/meta.ts';
import { metricsContract } from './core/metrics.ts';
import { overviewContract } from './core/overview.ts';
import { platformsContract } from './core/platforms.ts';
import { productsContract } from './core/products.ts';
import { schemasContract } from './core/schemas.ts';
import { tokensContract, usersContract } from './core/users.ts';
import type { DeclaredEndpoint, EndpointShape } from './endpoint.ts';
import { accountsContract } from './extensions/accounts.ts';
import { alertsContract } from './extensions/alerts.ts';
import { attributesContract } from './extensions/attributes.ts';
import { auditContract } from './extensions/audit.ts';
import { broadcastsContract } from './extensions/broadcasts.ts';
import { customersContract, membershipsContract, productPeopleContract } from './extensions/customers.ts';
import { ddiContract } from './extensions/ddi.ts';
import { doorsContract } from './extensions/doors.ts';
import { eventsContract } from './extensions/events.ts';
import { factorsContract } from './extensions/factors.ts';
import { fleetContract } from './extensions/fleet.ts';
import { gatewaysContract } from './extensions/gateways.ts';
import { userLinksContract } from './extensions/links.ts';
import { manyDevicesContract } from './extensions/many-devices.ts';
import { menderContract } from './extensions/mender.ts';
import { passkeysContract } from './extensions/passkeys.ts';
import { proofContract } from './extensions/proof.ts';
import { rehearsalsContract } from './extensions/rehearsals.ts';
import { rolloutsContract } from './extensions/rollouts.ts';
import { segmentsContract } from './extensions/segments.ts';
import { serviceAccountsContract } from './extensions/service-accounts.ts';
import { ssoContract } from './extensions/sso.ts';
import { viewsContract } from './extensions/views.ts';

/** The part of the specification, with what makes it usable and the wire of devices. */
export const coreContract = {
  auth: authContract,
  session: sessionContract,
  invitations: invitationsContract,
  users: usersContract,
  tokens: tokensContract,
  platforms: platformsContract,
  products: productsContract,
  bundles: bundlesContract,
  overview: overviewContract,
  productPeople: productPeopleContract,
  connectors: connectorsContract,
  logs: logsContract,
  metrics: metricsContract,
  devices: devicesContract,
  deviceUpdates: deviceUpdatesContract,
  deviceFiles: deviceFilesContract,
  assets: assetsContract,
  avatars: avatarsContract,
  data: dataContract,
  channel: channelContract,
  schemas: schemasContract,
  identity: identityContract,
  meta: metaContract,
} as const satisfies Record<string, Record<string, DeclaredEndpoint>>;

/** All of the REST API, by resource; its paths begin with `/api` (API-RULE-paths-1). The OpenAPI document and the client are made from this. */
export const contract = {
  auth: authContract,
  session: sessionContract,
  factors: factorsContract,
  passkeys: passkeysContract,
  proof: proofContract,
  links: userLinksContract,
  sso: ssoContract,
  invitations: invitationsContract,
  users: usersContract,
  accounts: accountsContract,
  tokens: tokensContract,
  views: viewsContract,
  gateways: gatewaysContract,
  platforms: platformsContract,
  products: productsContract,
  bundles: bundlesContract,
  overview: overviewContract,
  productPeople: productPeopleContract,
  serviceAccounts: serviceAccountsContract,
  customers: customersContract,
  memberships: membershipsContract,
  connectors: connectorsContract,
  logs: logsContract,
  audit: auditContract,
  events: eventsContract,
  metrics: metricsContract,
  fleet: fleetContract,
  segments: segmentsContract,
  alerts: alertsContract,
  rollouts: rolloutsContract,
  rehearsals: rehearsalsContract,
  devices: devicesContract,
  manyDevices: manyDevicesContract,
  attributes: attributesContract,
  deviceUpdates: deviceUpdatesContract,
  doors: doorsContract,
  deviceFiles: deviceFilesContract,
  assets: assetsContract,
  avatars: avatarsContract,
  data: dataContract,
  channel: channelContract,
  broadcasts: broadcastsContract,
  schemas: schemasContract,
  identity: identityContract,
  meta: metaContract,
} as const satisfies Record<string, Record<string, DeclaredEndpoint>>;

/** What devices call, on the listener of their own. */
export const deviceListenerContract = {
  device: deviceRoutesContract,
  ota: otaRoutesContract,
  files: filesRoutesContract,
  data: dataRoutesContract,
} as const satisfies Record<string, Record<string, EndpointShape>>;

/** What update clients of other makers call there. */
export const doorRoutesContract = {
  ddi: ddiContract,
  mender: menderContract,
} as const satisfies Record<string, Record<string, EndpointShape>>;

export type Contract = typeof contract;

/** Every endpoint with its name, `<resource>.<action>`. */
export const endpointsOf = (
  resources: Readonly<Record<string, Readonly<Record<string, EndpointShape>>>>,
): { readonly name: string; readonly shape: EndpointShape }[] =>
  Object.entries(resources).flatMap(([resource, actions]) =>
    Object.entries(actions).map(([action, shape]) => ({ name: `${resource}.${action}`, shape })),
  );

const names = new Map<EndpointShape, string>(endpointsOf(contract).map(({ name, shape }) => [shape, name]));

/** The name of an endpoint of the API, `<resource>.<action>`. */
export const endpointName = (shape: EndpointShape): string | undefined => names.get(shape);
