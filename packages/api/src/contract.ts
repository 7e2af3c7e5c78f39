import { accountsContract } from './accounts.ts';
import { alertsContract } from './alerts.ts';
import { attributesContract } from './attributes.ts';
import { auditContract } from './audit.ts';
import { authContract, invitationsContract, sessionContract } from './auth.ts';
import { avatarsContract } from './avatars.ts';
import { broadcastsContract } from './broadcasts.ts';
import { bundlesContract } from './bundles.ts';
import { connectorsContract } from './connectors.ts';
import { customersContract, membershipsContract, productPeopleContract } from './customers.ts';
import { channelContract, dataContract } from './data.ts';
import { dataRoutesContract } from './data-routes.ts';
import { ddiContract } from './ddi.ts';
import { deviceRoutesContract, otaRoutesContract } from './device-routes.ts';
import { deviceUpdatesContract } from './device-updates.ts';
import { devicesContract } from './devices.ts';
import { doorsContract } from './doors.ts';
import type { DeclaredEndpoint, EndpointShape } from './endpoint.ts';
import { eventsContract } from './events.ts';
import { factorsContract } from './factors.ts';
import { assetsContract, deviceFilesContract, filesRoutesContract } from './files.ts';
import { fleetContract } from './fleet.ts';
import { gatewaysContract } from './gateways.ts';
import { identityContract } from './identity.ts';
import { userLinksContract } from './links.ts';
import { logsContract } from './logs.ts';
import { manyDevicesContract } from './many-devices.ts';
import { menderContract } from './mender.ts';
import { metaContract } from './meta.ts';
import { metricsContract } from './metrics.ts';
import { overviewContract } from './overview.ts';
import { passkeysContract } from './passkeys.ts';
import { platformsContract } from './platforms.ts';
import { productsContract } from './products.ts';
import { proofContract } from './proof.ts';
import { rehearsalsContract } from './rehearsals.ts';
import { rolloutsContract } from './rollouts.ts';
import { schemasContract } from './schemas.ts';
import { segmentsContract } from './segments.ts';
import { serviceAccountsContract } from './service-accounts.ts';
import { ssoContract } from './sso.ts';
import { tokensContract, usersContract } from './users.ts';
import { viewsContract } from './views.ts';

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
