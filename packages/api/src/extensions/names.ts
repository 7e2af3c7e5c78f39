/** What the service does beyond the specification, by name. */
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
export type ExtensionName = (typeof extensionNames)[number];
