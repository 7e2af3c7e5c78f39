import type { Resource } from './queries.ts';

/** What may look different after an event: the kind of its type (before the dot), and the resources it touches. */
const touched: Readonly<Record<string, readonly Resource[]>> = {
  user: ['users', 'session', 'tokens'],
  token: ['tokens'],
  device: ['devices', 'deviceFiles', 'data', 'channel', 'fleet'],
  ota: ['devices', 'deviceUpdates', 'bundles', 'fleet'],
  platform: ['platforms'],
  firmware: ['platforms'],
  product: ['products', 'productPeople'],
  bundle: ['bundles', 'products'],
  resource: ['bundles'],
  asset: ['assets'],
  connector: ['connectors'],
  activation_token: ['products'],
  customer: ['customers'],
};

/** What the dashboard and the list of logs show of every event. */
const always: readonly Resource[] = ['logs', 'overview', 'metrics'];

/** The resources that an event of this type touches; all of them for a type that this console does not know. */
export function resourcesOf(type: string): readonly Resource[] {
  const [kind = ''] = type.split('.');
  const found = touched[kind] ?? [...new Set(Object.values(touched).flat())];
  return [...found, ...always];
}
