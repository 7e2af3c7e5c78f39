import { authContract, invitationsContract, sessionContract } from './core/auth.ts';
import { avatarsContract } from './core/avatars.ts';
import { bundlesContract } from './core/bundles.ts';
import { schemasContract } from './core/capabilities.ts';
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
import { productPeopleContract } from './core/product-people.ts';
import { productsContract } from './core/products.ts';
import { tokensContract, usersContract } from './core/users.ts';
import type { DeclaredEndpoint, DeviceEndpoint, EndpointShape } from './endpoint.ts';
import { accountsContract } from './extensions/accounts.ts';
import { alertsContract } from './extensions/alerts.ts';
import { attributesContract } from './extensions/attributes.ts';
import { auditContract } from './extensions/audit.ts';
import { broadcastsContract } from './extensions/broadcasts.ts';
import { customersContract, membershipsContract } from './extensions/customers.ts';
import { ddiContract } from './extensions/ddi.ts';
import { doorsContract } from './extensions/doors.ts';
import { eventsContract } from './extensions/events.ts';
import { factorsContract } from './extensions/factors.ts';
import { fleetContract } from './extensions/fleet.ts';
import { gatewaysContract } from './extensions/gateways.ts';
import { userLinksContract } from './extensions/links.ts';
import { manyDevicesContract } from './extensions/many-devices.ts';
import { menderContract } from './extensions/mender.ts';
import type { ExtensionName } from './extensions/names.ts';
import { passkeysContract, proofContract } from './extensions/passkeys.ts';
import { rehearsalsContract } from './extensions/rehearsals.ts';
import { rolloutsContract } from './extensions/rollouts.ts';
import { segmentsContract } from './extensions/segments.ts';
import { serviceAccountsContract } from './extensions/service-accounts.ts';
import { ssoContract } from './extensions/sso.ts';
import { viewsContract } from './extensions/views.ts';

type Resources = Readonly<Record<string, Readonly<Record<string, DeclaredEndpoint>>>>;

/** What the specification asks for, by resource. */
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
} as const satisfies Resources;

/** What each extension adds to it. */
export const extensionContracts = {
  accounts: {
    factors: factorsContract,
    passkeys: passkeysContract,
    proof: proofContract,
    links: userLinksContract,
    sso: ssoContract,
    accounts: accountsContract,
    serviceAccounts: serviceAccountsContract,
    customers: customersContract,
    memberships: membershipsContract,
  },
  alerts: { alerts: alertsContract },
  audit: { audit: auditContract },
  broadcasts: { broadcasts: broadcastsContract },
  bulk: { manyDevices: manyDevicesContract },
  doors: { doors: doorsContract },
  events: { events: eventsContract },
  fleet: {
    fleet: fleetContract,
    segments: segmentsContract,
    rollouts: rolloutsContract,
    attributes: attributesContract,
  },
  gateways: { gateways: gatewaysContract },
  'home-assistant': {},
  rehearsals: { rehearsals: rehearsalsContract },
  views: { views: viewsContract },
} as const satisfies Record<ExtensionName, Resources>;

/** All of the REST API, by resource; its paths begin with `/api` (API-RULE-paths-1). The OpenAPI document and the client are made from this. */
export const contract = {
  ...coreContract,
  ...extensionContracts.accounts,
  ...extensionContracts.alerts,
  ...extensionContracts.audit,
  ...extensionContracts.broadcasts,
  ...extensionContracts.bulk,
  ...extensionContracts.doors,
  ...extensionContracts.events,
  ...extensionContracts.fleet,
  ...extensionContracts.gateways,
  ...extensionContracts['home-assistant'],
  ...extensionContracts.rehearsals,
  ...extensionContracts.views,
};

/** What devices call, on the device listener. */
export const deviceListenerContract = {
  device: deviceRoutesContract,
  ota: otaRoutesContract,
  files: filesRoutesContract,
  data: dataRoutesContract,
} as const satisfies Record<string, Record<string, DeviceEndpoint>>;

/** What update clients of other makers call there. */
export const doorRoutesContract = {
  ddi: ddiContract,
  mender: menderContract,
} as const satisfies Record<string, Record<string, DeviceEndpoint>>;

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

const extensions = new Map<EndpointShape, ExtensionName>(
  [...Object.entries(extensionContracts), ['doors', doorRoutesContract] as const].flatMap(([name, resources]) =>
    // Safe: the names of the extensions, as the type above says.
    endpointsOf(resources).map(({ shape }) => [shape, name as ExtensionName] as const),
  ),
);

/** The extension that an endpoint is a part of; none where the specification asks for it. */
export const extensionOf = (shape: EndpointShape): ExtensionName | undefined => extensions.get(shape);
