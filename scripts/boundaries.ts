import { extensionNames, extensionNeeds } from '../packages/api/src/extensions/names.ts';

/** A folder or file of the sources, and what it may import. */
export interface Zone {
  readonly name: string;
  /** Paths from the top folder: a folder ends with a slash. The longest one that fits a file decides. */
  readonly path: string | readonly string[];
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
  '@nats-io/transport-node',
  'nodemailer',
  'pg',
  's3mini',
  'serialport',
  'ws',
]);

const service = 'packages/service/src';

/** The slices of the specification, from the ground up, and the slices that each may use. */
const coreSlices: Readonly<Record<string, readonly string[]>> = {
  // What a caller may see and touch: looked up for them, and judged by the authorisation table.
  access: [],
  files: ['access'],
  auth: ['access'],
  users: ['access'],
  products: ['access'],
  platforms: ['access', 'files', 'products'],
  bundles: ['access', 'files', 'products'],
  avatars: ['access', 'files'],
  devices: ['access', 'products'],
  ota: ['access', 'bundles', 'devices', 'files'],
  connectors: ['access'],
  metrics: ['access', 'devices'],
  logs: ['access'],
  data: ['access'],
  channel: ['access'],
  certificates: ['access'],
  listener: [],
  meta: ['access'],
};

/** What goes beyond the specification, and the other extensions that each may use: those that have to be there for it. */
const extensions = extensionNames.map((name) => [name, extensionNeeds[name] ?? []] as const);

/** What every slice and extension may use. */
const aboveEngine = [
  'base',
  'api',
  'api/frames',
  'service/blobs',
  'service/bus',
  'service/db',
  'service/engine',
  'service/http',
  'service/settings',
  'service/stores',
];

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
  // Frames of the message channel, for devices and the service; the console must not load MessagePack.
  {
    name: 'api/frames',
    path: 'packages/api/src/core/channel-frames.ts',
    imports: ['base'],
    packages: ['@msgpack/msgpack'],
  },

  {
    name: 'service/app',
    path: `${service}/`,
    imports: ['base', 'api', 'service/*', 'core', 'core/*', 'extensions', 'extensions/*'],
  },
  // What every floor uses: secrets by chance, and their hashes.
  { name: 'service/engine', path: `${service}/engine/`, imports: ['base'] },
  // Addresses of what is stored elsewhere, what is known of its health, and a watch for silence.
  { name: 'service/stores', path: `${service}/engine/stores/`, imports: ['base'], system: ['node:fs'] },
  { name: 'service/settings', path: `${service}/engine/settings/`, imports: ['base', 'api', 'service/stores'] },
  {
    name: 'service/http',
    path: `${service}/engine/http/`,
    imports: ['base', 'api', 'service/engine', 'service/bus', 'service/settings', 'service/stores'],
    types: ['service/blobs', 'service/db'],
    // The server object that the framework is given, and the files of the console; what listens is decided outside.
    system: ['node:fs', 'node:http', 'node:http2', 'node:https', 'node:tls'],
  },
  {
    name: 'service/db',
    path: `${service}/engine/db/`,
    // The contract lists events and refusals; the records name blobs of a store, and look at them.
    imports: ['api', 'base', 'base/disk', 'service/blobs', 'service/bus', 'service/stores', 'service/db/dialect'],
    system: ['node:fs', 'pg'],
  },
  // The two databases: drivers and what they spell differently. Slices see neither.
  {
    name: 'service/db/dialect',
    path: `${service}/engine/db/dialect/`,
    imports: ['base', 'service/bus', 'service/stores', 'service/db'],
    system: ['*'],
  },
  // Messages between the processes of one installation: their topics, who listens, and NATS.
  {
    name: 'service/bus',
    path: `${service}/engine/bus/`,
    imports: ['base', 'api', 'service/stores'],
    system: ['node:fs', '@nats-io/transport-node'],
  },
  // What bytes are stored.
  { name: 'service/blobs', path: `${service}/engine/blobs/`, imports: ['base', 'service/stores'] },
  // Where the bytes are: a folder, or an object store, whose downloads Node's own client streams.
  {
    name: 'service/blobs/backends',
    path: `${service}/engine/blobs/backends/`,
    imports: ['base', 'base/disk', 'service/stores', 'service/blobs'],
    system: ['node:fs', 'node:fs/promises', 'node:http', 'node:https', 'node:os', 'node:worker_threads', 's3mini'],
  },
  // What leaves the machine: the one place of the service that dials.
  {
    name: 'service/outbound',
    path: `${service}/engine/outbound/`,
    imports: ['base', 'api'],
    system: ['node:dns', 'node:http', 'node:https', 'node:net', 'node:tls', 'nodemailer'],
  },
  // Everything that a service keeps, as one file: it knows tables only by what the database says of them.
  {
    name: 'service/backup',
    path: `${service}/engine/backup/`,
    imports: ['base', 'base/disk', 'service/db', 'service/blobs'],
    system: ['node:fs/promises'],
  },
  ...Object.entries(coreSlices).map(([slice, others]) => ({
    name: `core/${slice}`,
    path: `${service}/core/${slice}/`,
    imports: [...aboveEngine, ...others.map((other) => `core/${other}`)],
    types: ['service/outbound'],
  })),
  // What the core asks, and its parts put together.
  { name: 'core', path: `${service}/core/`, imports: [...aboveEngine, 'core/*'], types: ['service/outbound'] },
  // What an extension is, and the list of them.
  { name: 'extensions', path: `${service}/extensions/`, imports: [...aboveEngine, 'core', 'extensions/*'] },
  ...extensions.map(([extension, others]) => ({
    name: `extensions/${extension}`,
    path: `${service}/extensions/${extension}/`,
    imports: [
      ...aboveEngine,
      'service/outbound',
      'core',
      'core/*',
      'extensions',
      ...others.map((other) => `extensions/${other}`),
    ],
  })),

  // What a network is asked for, and what is known of TLS; a network itself is handed in.
  { name: 'net', path: 'packages/net/src/', imports: ['base'] },
  { name: 'net/memory', path: 'packages/net/src/memory/', imports: ['base', 'net'] },
  { name: 'net/node', path: 'packages/net/src/node/', imports: ['base', 'net'], system: ['*'] },
  // Serial ports of the host.
  { name: 'net/serial', path: 'packages/net/src/serial/', imports: ['base'], system: ['serialport'] },
  // Messages of DNS, and what services there are by multicast.
  { name: 'net/dns', path: 'packages/net/src/dns/', imports: ['base', 'net'], system: ['dns-packet'] },
  // HTTP and web sockets over a connection that is handed in; nothing here opens one.
  { name: 'net/http', path: 'packages/net/src/http/', imports: ['base', 'net'], system: ['node:http', 'ws'] },

  // The device's side of the wire; it opens nothing and knows no module.
  { name: 'device', path: 'packages/device/src/', imports: ['base', 'api', 'api/frames', 'net', 'net/http'] },
  // A device of the computer that it runs on: clock, network and folder are that one's.
  { name: 'device/node', path: 'packages/device/src/node.ts', imports: ['base', 'base/disk', 'net/node', 'device'] },

  // Real modules over their command line: drivers, rescue archives, and the device that each adopted one becomes.
  { name: 'gateway', path: 'packages/gateway/src/', imports: ['base', 'api', 'net', 'net/dns', 'net/http', 'device'] },
  // The one part that opens something: serial ports of the host.
  { name: 'gateway/serial', path: 'packages/gateway/src/serial/', imports: ['base', 'net/serial'] },

  // The module is built bottom-up. From the ground: interpreter, texts, device, variables, personality, model, wlan, bus,
  // services, cloud and web, commands; `assembly` and `module.ts` put the parts together, and `transports` stands aside,
  // above the bus. A folder imports only folders below it, values and types alike.
  { name: 'module/interpreter', path: 'packages/module/src/interpreter/', imports: ['base'] },
  // What a module prints, by key; a personality may replace any of it.
  { name: 'module/texts', path: 'packages/module/src/texts/', imports: ['base', 'net'], types: ['module/interpreter'] },
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
    imports: ['base', 'module/interpreter', 'module/texts', 'module/variables'],
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
    imports: ['base', 'net', 'net/dns', 'net/http', 'module/texts', 'module/device', 'module/variables', 'module/bus'],
    types: ['module/personality', 'module/model', 'module/wlan'],
    // Fed by connections that the network has opened.
    system: ['nodemailer'],
  },
  {
    name: 'module/cloud',
    path: 'packages/module/src/cloud/',
    // Telemetry reports what the status broadcast does; the message channel is one of the services.
    imports: ['base', 'api', 'net', 'device', 'module/texts', 'module/device', 'module/variables', 'module/services'],
    types: ['module/model', 'module/wlan'],
  },
  {
    name: 'module/web',
    path: 'packages/module/src/web/',
    imports: [
      'base',
      'net',
      'module/interpreter',
      'module/texts',
      'module/device',
      'module/variables',
      'module/services',
    ],
    // Fed streams by the network, it opens no port; the firmware's own pages are plain files beside the sources.
    system: ['node:fs', 'node:http', 'ws'],
  },
  {
    name: 'module/commands',
    path: 'packages/module/src/commands/',
    imports: [
      'base',
      'api',
      'net',
      'net/dns',
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
    imports: ['base', 'net', 'net/serial', 'module/interpreter', 'module/bus'],
    system: ['*'],
  },
  // The composition root: it alone sees every part.
  {
    name: 'module',
    path: ['packages/module/src/assembly/', 'packages/module/src/module.ts'],
    imports: ['base', 'net', 'device', 'module/*'],
  },
  // A module with what is around it, for tests: host, pins, power, air and network, in virtual time.
  {
    name: 'module/bench',
    path: 'packages/module/src/bench/',
    imports: ['base', 'net/memory', 'module', 'module/bus', 'module/wlan'],
    types: ['module/commands', 'module/device', 'module/interpreter'],
  },
  // Scenario scripts: steps on a bench.
  {
    name: 'module/script',
    path: 'packages/module/src/script/',
    imports: ['base', 'module/bench', 'module/device', 'module/interpreter'],
  },
  // Recordings of a serial line: made, played back, and asked of a virtual module.
  {
    name: 'module/recorder',
    path: 'packages/module/src/recorder/',
    imports: ['base', 'module/bench', 'module/bus', 'module/commands', 'module/interpreter', 'module/personality'],
    system: ['node:events', 'node:fs'],
  },

  // Many modules with what is around them: scenarios, links, power. It opens nothing, and knows a service through its API.
  {
    name: 'fleet',
    path: 'packages/fleet/src/',
    imports: [
      'base',
      'api',
      'net',
      'net/memory',
      'device',
      'module',
      'module/cloud',
      'module/model',
      'module/personality',
      'module/wlan',
    ],
  },

  { name: 'console', path: 'packages/console/src/', imports: ['api'] },
  {
    name: 'moorage',
    path: 'packages/moorage/src/',
    imports: [
      'base',
      'base/disk',
      'api',
      'service/app',
      'service/engine',
      'service/settings',
      'service/stores',
      'module',
      'module/bench',
      'module/script',
      'module/recorder',
      'module/personality',
      'module/model',
      'module/wlan',
      'module/transports',
      'net',
      'net/node',
      'net/memory',
      'gateway',
      'gateway/serial',
      'fleet',
    ],
    // The events of a device, and the parts of a module.
    types: ['device', 'module/commands', 'extensions/*'],
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
  '@moorage/gateway': 'packages/gateway/src/index.ts',
  '@moorage/fleet': 'packages/fleet/src/index.ts',
  '@moorage/net': 'packages/net/src/ports.ts',
  '@moorage/net/node': 'packages/net/src/node/index.ts',
  '@moorage/net/memory': 'packages/net/src/memory/index.ts',
};
