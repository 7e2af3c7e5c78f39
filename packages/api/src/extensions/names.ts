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

/** Extensions that have to be there for one. Alerts are rules over filters, mailed to addresses that confirm by a link. */
export const extensionNeeds: Readonly<Partial<Record<ExtensionName, readonly ExtensionName[]>>> = {
  alerts: ['accounts', 'fleet'],
  rehearsals: ['fleet'],
};
