/** What the service has beyond the specification, by the names of its folders. */
export const extensionNames = [
  'accounts',
  'alerts',
  'audit',
  'broadcasts',
  'bulk',
  'doors',
  'events',
  'fleet',
  'gateways',
  'home-assistant',
  'rehearsals',
  'views',
] as const;

/** One extension of the service. */
export type ExtensionName = (typeof extensionNames)[number];
