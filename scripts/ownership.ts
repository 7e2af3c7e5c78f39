/** Which slices write which tables; others may read them. Storage itself (`db/`) is not asked. */
export const tableOwners: Readonly<Record<string, readonly string[]>> = {
  // Signing up makes an account, its owner changes it. A record names its current avatar.
  users: ['auth', 'users', 'avatars'],
  tokens: ['auth', 'users'],
  platforms: ['platforms', 'avatars'],
  flavors: ['platforms'],
  platform_flavors: ['platforms'],
  firmwares: ['platforms'],
  firmware_files: ['platforms'],
  products: ['products'],
  product_users: ['products'],
  // Claiming with a token counts one of its uses.
  activation_tokens: ['products', 'devices'],
  bundles: ['bundles'],
  resources: ['bundles'],
  files: ['filestore'],
  avatars: ['avatars'],
  devices: ['devices'],
  updates: ['ota'],
  attributes: ['attributes'],
  labels: ['attributes'],
  segments: ['segments'],
  pins: ['rollouts'],
  freezes: ['rollouts'],
  rollouts: ['rollouts'],
  executions: ['rollouts'],
  rollout_counts: ['rollouts'],
  // Written through db/logs.ts, in the transaction that a line describes.
  logs: ['logs'],
  customers: ['users'],
  attempts: ['auth'],
  invitations: ['auth'],
  connectors: ['connectors'],
  connector_events: ['connectors'],
  // Queued in the transaction of the log row that they report.
  deliveries: ['connectors', 'logs'],
  polls: ['metrics'],
  activations: ['data'],
  controls: ['data'],
  control_values: ['data'],
  messages: ['data'],
  // Samples are written by the dialects, in groups; old ones are removed by their slice.
  samples: ['data'],
  sample_batches: ['data'],
  processes: ['channel'],
  channels: ['channel'],
  telemetry: ['channel'],
  device_nodes: ['channel'],
  broadcast_keys: ['channel'],
  retired_certificates: ['devices'],
  // Small values by name; each name has one writer.
  settings: ['auth', 'identity'],
  authorities: ['identity'],
  blobs: ['blobs'],
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
  'packages/console/src/ui/time.ts',
]);
