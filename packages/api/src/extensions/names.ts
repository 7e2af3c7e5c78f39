/** What goes beyond the specification, by name: the extensions of the service, each a part that may be left out. */
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
