import type { Resource } from './queries.ts';

/** What may look different after an event: the kind of its type (before the dot), and the resources it touches. */
const touched: Readonly<Record<string, readonly Resource[]>> = {
  user: ['users', 'session', 'tokens', 'serviceAccounts'],
  token: ['tokens', 'serviceAccounts'],
  device: ['devices', 'deviceFiles', 'channel', 'fleet', 'rollouts', 'segments'],
  ota: ['devices', 'deviceUpdates', 'bundles', 'fleet', 'rollouts'],
  alert: ['alerts'],
  door: ['doors'],
  platform: ['platforms'],
  firmware: ['platforms'],
  product: ['products', 'productPeople'],
  // What is published or tagged says how devices stand.
  bundle: ['bundles', 'products', 'devices', 'fleet'],
  rollout: ['rollouts', 'devices', 'fleet'],
  resource: ['bundles'],
  asset: ['assets'],
  connector: ['connectors'],
  activation_token: ['products'],
  customer: ['customers', 'memberships', 'users'],
};

/** After these a device has other streams and controls, or none. */
const dataTypes: readonly string[] = ['device.data_activate', 'device.data_deactivate', 'device.reset'];

/** What the dashboard and the list of logs show of every event. */
const always: readonly Resource[] = ['logs', 'overview', 'metrics'];

/** The resources that an event of this type touches; all of them for a type that this console does not know. */
export function resourcesOf(type: string): readonly Resource[] {
  const [kind = ''] = type.split('.');
  const found = touched[kind] ?? [...new Set(Object.values(touched).flat()), 'data' as const];
  // Not for every event of a device: one that comes and goes would have its charts loaded anew each time.
  const data: readonly Resource[] = dataTypes.includes(type) ? ['data'] : [];
  return [...found, ...data, ...always];
}
