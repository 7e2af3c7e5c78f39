/** A folder or file of the sources, and what it may import. */
export interface Zone {
  readonly name: string;
  /** Path from the top folder: a folder ends with a slash. The longest one that fits a file decides. */
  readonly path: string;
  /** Zones it may import, beside itself; a `*` at the end stands for any ending. */
  readonly imports: readonly string[];
  /** Zones of which it may import types only. */
  readonly types?: readonly string[];
  /** Packages and Node modules it may import; without a list any that are not system modules. */
  readonly packages?: readonly string[];
  /** May import system modules and drivers: these only, or all with `*`. */
  readonly system?: readonly string[];
}

/** Node's network, file and process modules, and drivers: only adapters may touch them. */
export const systemModules: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:cluster',
  'node:dgram',
  'node:dns',
  'node:dns/promises',
  'node:fs',
  'node:fs/promises',
  'node:http',
  'node:http2',
  'node:https',
  'node:inspector',
  'node:net',
  'node:os',
  'node:process',
  'node:readline',
  'node:readline/promises',
  'node:repl',
  'node:sqlite',
  'node:timers',
  'node:timers/promises',
  'node:tls',
  'node:tty',
  'node:worker_threads',
  '@lydell/node-pty',
  'dns-packet',
  'nodemailer',
  'pg',
  's3mini',
  'ws',
]);

const slices = [
  'auth',
  'users',
  'devices',
  'ota',
  'products',
  'bundles',
  'platforms',
  'filestore',
  'avatars',
  'connectors',
  'channel',
  'data',
  'metrics',
  'logs',
  'identity',
  'meta',
];

const sliceZones: readonly Zone[] = slices.flatMap((slice) => [
  {
    name: `service/${slice}`,
    path: `packages/service/src/${slice}/`,
    imports: [
      'base',
      'api',
      `service/${slice}/*`,
      'service/db',
      'service/db/secrets',
      'service/bus',
      'service/db/record-cache',
      'service/blobs',
      'service/blobs/records',
      'service/http/types',
      'service/http/traffic',
      'service/http/session',
      'service/access',
      'service/files',
      'rules/*',
    ],
    types: ['service/config'],
  },
  // Rules are pure: they see values, never storage. Every slice may use them.
  {
    name: `rules/${slice}`,
    path: `packages/service/src/${slice}/rules.ts`,
    imports: ['base', 'api', 'service/files', 'rules/*'],
    types: ['service/access', 'service/db', 'service/http/types'],
  },
]);

/** Who may import whom. A file that is in no zone is a problem too: a new folder needs a row. */
export const zones: readonly Zone[] = [
  { name: 'base', path: 'packages/base/src/', imports: [], packages: [] },
  // Folders, locks and the store on the host's disk; browsers never import them.
  {
    name: 'base/disk',
    path: 'packages/base/src/disk/',
    imports: ['base'],
    packages: ['node:*'],
    system: ['node:fs', 'node:fs/promises'],
  },
  { name: 'api', path: 'packages/api/src/', imports: ['base'], packages: ['typebox', 'typebox/*'] },

  { name: 'service/app', path: 'packages/service/src/', imports: ['base', 'api', 'service/*', 'rules/*'] },
  { name: 'service/config', path: 'packages/service/src/config.ts', imports: ['base'] },
  {
    name: 'service/http',
    path: 'packages/service/src/http/',
    imports: [
      'base',
      'api',
      'service/http/types',
      'service/http/traffic',
      'service/http/session',
      'service/db/away',
      'service/db/secrets',
      'service/bus',
      'service/db/record-cache',
    ],
    types: ['service/blobs', 'service/db', 'service/config'],
    // The server object that fastify is given; who calls `listen` is decided outside.
    system: ['node:http', 'node:https'],
  },
  // The shapes that slices and HTTP agree on.
  {
    name: 'service/http/types',
    path: 'packages/service/src/http/types.ts',
    imports: ['base', 'api'],
    types: ['service/blobs', 'service/db', 'service/config', 'service/http/traffic'],
  },
  {
    name: 'service/db',
    path: 'packages/service/src/db/',
    imports: ['base', 'base/disk', 'service/bus', 'service/db/*'],
    // The types of events, which the contract lists.
    types: ['service/config', 'api'],
    system: ['node:fs', 'pg'],
  },
  // The files of the built console, read once when the service is put together.
  {
    name: 'service/http/console',
    path: 'packages/service/src/http/console-files.ts',
    imports: ['api', 'service/http'],
    system: ['node:fs'],
  },
  // The cookie of the console: who logs in sets it, who checks callers reads it.
  { name: 'service/http/session', path: 'packages/service/src/http/console-session.ts', imports: ['api'] },
  // What the servers count, and who shows it reads.
  { name: 'service/http/traffic', path: 'packages/service/src/http/traffic.ts', imports: [] },
  // The two databases: drivers and what they spell differently. Slices see neither.
  {
    name: 'service/db/dialect',
    path: 'packages/service/src/db/dialect/',
    imports: ['base', 'service/bus', 'service/db', 'service/db/secrets', 'service/db/record-cache'],
    system: ['*'],
  },
  // What a failure says of the database itself: asked of whatever a request has thrown.
  { name: 'service/db/away', path: 'packages/service/src/db/away.ts', imports: ['service/db/dialect'] },
  // How secrets are hashed for their columns: needed where they are shown, too.
  { name: 'service/db/secrets', path: 'packages/service/src/db/secrets.ts', imports: [] },
  // What is kept in memory of records: it knows no database, only whether one has changed.
  { name: 'service/db/record-cache', path: 'packages/service/src/db/record-cache.ts', imports: [] },
  // What a caller may see and touch: looked up for them, and judged by the authorisation table.
  {
    name: 'service/access',
    path: 'packages/service/src/access/',
    imports: ['base', 'api', 'service/db', 'rules/*'],
    types: ['service/http/types'],
  },
  // Messages between the processes of one installation: their topics, and who listens. Pure.
  { name: 'service/bus', path: 'packages/service/src/bus/', imports: ['base', 'api'] },
  { name: 'service/blobs', path: 'packages/service/src/blobs/', imports: ['base'] },
  // What all slices know of files: check sums, types, uploads in JSON. Pure.
  {
    name: 'service/files',
    path: 'packages/service/src/files/',
    imports: ['base', 'api'],
    types: ['service/http/types'],
  },
  // Which bytes are stored is a record, too.
  {
    name: 'service/blobs/records',
    path: 'packages/service/src/blobs/blob-records.ts',
    imports: ['base', 'service/blobs'],
    types: ['service/db'],
  },
  {
    name: 'service/blobs/open',
    path: 'packages/service/src/blobs/open.ts',
    imports: ['base', 'service/blobs', 'service/blobs/*'],
  },
  {
    name: 'service/blobs/disk',
    path: 'packages/service/src/blobs/disk-blobs.ts',
    imports: ['base', 'base/disk', 'service/blobs', 'service/blobs/spool'],
    system: ['node:fs', 'node:fs/promises'],
  },
  {
    name: 'service/blobs/spool',
    path: 'packages/service/src/blobs/spool.ts',
    imports: ['base', 'service/blobs', 'service/blobs/hasher'],
    system: ['node:fs/promises', 'node:os'],
  },
  // Threads that hash what is written; it opens nothing.
  {
    name: 'service/blobs/hasher',
    path: 'packages/service/src/blobs/hasher.ts',
    imports: [],
    system: ['node:worker_threads'],
  },
  {
    name: 'service/blobs/hash-worker',
    path: 'packages/service/src/blobs/hash-worker.ts',
    imports: ['base'],
    system: ['node:fs', 'node:worker_threads'],
  },
  // The object store: bytes are streamed by Node's own client.
  {
    name: 'service/blobs/s3',
    path: 'packages/service/src/blobs/s3-client.ts',
    imports: ['base'],
    system: ['node:http', 'node:https', 's3mini'],
  },
  {
    name: 'service/blobs/s3-blobs',
    path: 'packages/service/src/blobs/s3-blobs.ts',
    imports: ['base', 'service/blobs', 'service/blobs/*'],
    // Types of what a download is.
    system: ['node:http'],
  },
  // Everything that a service keeps, as one file: it knows tables only by what the database says of them.
  {
    name: 'service/backup',
    path: 'packages/service/src/backup/',
    imports: ['base', 'service/db', 'service/blobs'],
    system: ['node:fs/promises'],
  },
  ...sliceZones,
  // What leaves the machine: the one place of the service that dials.
  {
    name: 'service/outbound',
    path: 'packages/service/src/outbound/',
    imports: ['base', 'rules/*'],
    types: ['service/connectors/ports'],
    system: ['node:dns', 'node:http', 'node:https', 'node:net', 'node:tls'],
  },
  // What connectors need of the network.
  { name: 'service/connectors/ports', path: 'packages/service/src/connectors/ports.ts', imports: ['base', 'api'] },
  // Accounts and tokens as the command line makes them: the first run, `user add`, `token add`.
  {
    name: 'service/auth/accounts',
    path: 'packages/service/src/auth/accounts.ts',
    imports: ['base', 'api', 'service/auth', 'service/db', 'service/db/secrets', 'service/http/types', 'rules/*'],
    types: ['service/config'],
  },

  // What a network is asked for, and what is known of TLS; a network itself is handed in.
  { name: 'net', path: 'packages/net/src/', imports: ['base'] },
  { name: 'net/memory', path: 'packages/net/src/memory/', imports: ['base', 'net'] },
  { name: 'net/node', path: 'packages/net/src/node/', imports: ['base', 'net'], system: ['*'] },
  // HTTP and web sockets over a connection that is handed in; nothing here opens one.
  { name: 'net/http', path: 'packages/net/src/http/', imports: ['base', 'net'], system: ['node:http', 'ws'] },

  // The device's side of the wire; it opens nothing and knows no module.
  { name: 'device', path: 'packages/device/src/', imports: ['base', 'api', 'net', 'net/http'] },

  // The module is built bottom-up. From the ground: interpreter, texts, device, variables, personality, model, wlan, bus,
  // services, cloud and web, commands; `assembly` and `module.ts` put the parts together, and `transports` stands aside,
  // above the bus. A folder imports only folders below it, values and types alike.
  { name: 'module/interpreter', path: 'packages/module/src/interpreter/', imports: ['base'] },
  // What a module prints, by key; a personality may replace any of it.
  { name: 'module/texts', path: 'packages/module/src/texts/', imports: [], types: ['module/interpreter'] },
  {
    name: 'module/device',
    path: 'packages/module/src/device/',
    imports: ['base', 'net', 'net/http', 'module/texts'],
  },
  {
    name: 'module/variables',
    path: 'packages/module/src/variables/',
    imports: ['base'],
    types: ['module/interpreter', 'module/device'],
  },
  // A personality file may override defaults and names of variables; their table says what it may hold.
  {
    name: 'module/personality',
    path: 'packages/module/src/personality/',
    imports: ['base', 'module/texts', 'module/variables'],
  },
  // The files of a board have to fit into its flash, counted as the flash does, with versions as commands take them.
  {
    name: 'module/model',
    path: 'packages/module/src/model/',
    imports: ['base', 'module/interpreter', 'module/device'],
  },
  {
    name: 'module/wlan',
    path: 'packages/module/src/wlan/',
    imports: ['base', 'net', 'module/device', 'module/variables', 'module/personality', 'module/model'],
  },
  // The serial ports, between what carries their bytes and the command line or the network.
  {
    name: 'module/bus',
    path: 'packages/module/src/bus/',
    imports: ['base', 'module/interpreter'],
    types: ['module/device', 'module/variables'],
  },
  {
    name: 'module/services',
    path: 'packages/module/src/services/',
    imports: ['base', 'net', 'net/http', 'module/texts', 'module/device', 'module/variables', 'module/bus'],
    types: ['module/personality', 'module/model', 'module/wlan'],
    // Both are fed by connections that the network has opened.
    system: ['dns-packet', 'nodemailer'],
  },
  {
    name: 'module/cloud',
    path: 'packages/module/src/cloud/',
    // Telemetry reports what the status broadcast does; the message channel is one of the services.
    imports: ['base', 'api', 'net', 'device', 'module/device', 'module/variables', 'module/services'],
    types: ['module/model', 'module/wlan'],
  },
  {
    name: 'module/web',
    path: 'packages/module/src/web/',
    imports: ['base', 'net', 'module/interpreter', 'module/device', 'module/variables', 'module/web/*'],
    types: ['module/services'],
    // Fed streams by the network; they open no port.
    system: ['node:http', 'ws'],
  },
  // The firmware's own pages are plain files beside the sources.
  { name: 'module/web/pages', path: 'packages/module/src/web/pages.ts', imports: ['base'], system: ['node:fs'] },
  {
    name: 'module/commands',
    path: 'packages/module/src/commands/',
    imports: [
      'base',
      'api',
      'net',
      'net/http',
      'device',
      'module/interpreter',
      'module/texts',
      'module/device',
      'module/variables',
      'module/personality',
      'module/model',
      'module/wlan',
      'module/bus',
      'module/services',
      'module/cloud',
    ],
  },
  {
    name: 'module/transports',
    path: 'packages/module/src/transports/',
    imports: ['base', 'module/interpreter', 'module/bus'],
    system: ['*'],
  },
  { name: 'module/assembly', path: 'packages/module/src/assembly/', imports: ['base', 'net', 'device', 'module/*'] },
  { name: 'module', path: 'packages/module/src/module.ts', imports: ['base', 'net', 'device', 'module/*'] },

  { name: 'console', path: 'packages/console/src/', imports: ['api', 'console/*'] },
  // Where the pages get the time and their waits from.
  { name: 'console/time', path: 'packages/console/src/ui/time.ts', imports: [], packages: [], system: ['*'] },
  {
    name: 'moorage',
    path: 'packages/moorage/src/',
    imports: [
      'base',
      'base/disk',
      'api',
      'service/app',
      'service/config',
      'service/auth/accounts',
      'module',
      'module/personality',
      'module/model',
      'module/wlan',
      'module/transports',
      'net',
      'net/node',
    ],
    // The events of a device, and the parts of a module.
    types: ['device', 'module/commands'],
    system: ['*'],
  },
];

/** Where `import '@moorage/…'` leads; an ending after the package is a file of its `src`. */
export const packageEntries: Readonly<Record<string, string>> = {
  '@moorage/base': 'packages/base/src/index.ts',
  '@moorage/api': 'packages/api/src/index.ts',
  '@moorage/service': 'packages/service/src/app.ts',
  '@moorage/service/testing': 'packages/service/src/testing/index.ts',
  '@moorage/module': 'packages/module/src/module.ts',
  '@moorage/device': 'packages/device/src/index.ts',
  '@moorage/net': 'packages/net/src/ports.ts',
  '@moorage/net/node': 'packages/net/src/node/index.ts',
  '@moorage/net/memory': 'packages/net/src/memory/index.ts',
};
