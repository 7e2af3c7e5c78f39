/**
 * A table is written by the slice in whose folder it stands, and by these; others may read it. Storage itself (`engine/db/`)
 * is not asked: logs, deliveries and the audit are written through it, in the transaction that they tell of.
 */
export const secondWriters: Readonly<Record<string, readonly string[]>> = {
  // Signing up makes an account, its owner changes it. A record names its current avatar.
  users: ['auth', 'avatars', 'accounts'],
  tokens: ['accounts'],
  platforms: ['avatars'],
  // Claiming with a token counts one of its uses.
  activation_tokens: ['devices'],
  // A link that is used confirms an address.
  alert_addresses: ['accounts'],
  // Queued in the transaction of the log row that they report.
  deliveries: ['logs'],
  // Small values by name; each name has one writer.
  settings: ['auth', 'certificates', 'doors'],
};

/** Time and chance are handed in; asking the host for them is for adapters and for the one real clock. */
export const handedIn: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'setInterval',
  'setTimeout',
]);
export const realClockFiles: ReadonlySet<string> = new Set([
  'packages/base/src/clock.ts',
  'packages/console/src/browser/time.ts',
]);
