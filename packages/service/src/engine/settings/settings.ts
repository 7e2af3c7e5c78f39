import { join } from 'node:path';
import {
  type DeviceWrite,
  deviceWrites,
  extensionNames,
  extensionNeeds,
  secondFactorPolicies,
  signUpPolicies,
  ssoAccountPolicies,
} from '@moorage/api';
import { type Result, success, unwrap } from '@moorage/base';
import { databaseAddress, httpAddress, natsAddress } from '../stores/addresses.ts';
import { type OptionRow, type OptionSources, type OptionTable, type Resolved, resolveTable } from './options.ts';
import {
  anyText,
  atMost,
  count,
  countOrAny,
  extensionList,
  type HostAndPort,
  hostList,
  issuer,
  listenAddress,
  matching,
  networks,
  oneOf,
  password,
  portNumber,
  quota,
  webOrigin,
} from './setting-texts.ts';

/** What the log may be limited to, the most serious first. */
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

const file = { parse: anyText, placeholder: 'FILE', defaultText: 'none' } as const;

/** What an account may have; administrators may have any number. Spec: API-LIMIT-quotas. */
const perAccount = <const N extends number>(unit: string, usual: N, things = unit) =>
  ({
    parse: quota(unit),
    placeholder: 'NUMBER',
    default: usual,
    help: `${things} that an account may have; 0 for any number`,
  }) as const;

/** How often each device may write in a minute. Spec: API-LIMIT-writes. */
const perDevice = <const N extends number>(what: string, usual: N) =>
  ({
    parse: countOrAny('times', 99_999),
    placeholder: 'NUMBER',
    default: usual,
    help: `times in a minute that a device may ${what}, at each process; 0 for any number`,
  }) as const;

/** Every setting of the service, in the order of the help. `data` comes first: others take their defaults from it. */
export const settingsTable = {
  data: { parse: anyText, placeholder: 'DIR', default: './data', help: 'folder of the embedded storage' },
  host: {
    parse: anyText,
    placeholder: 'ADDRESS',
    default: '127.0.0.1',
    help: 'address that the service listens on',
  },
  port: { parse: portNumber, placeholder: 'PORT', default: 8080, help: 'port of the API; 0 picks a free one' },
  'device-port': {
    parse: portNumber,
    placeholder: 'PORT',
    default: 8443,
    help: 'port of the device listener; 0 picks a free one',
  },
  'ops-port': {
    parse: listenAddress,
    placeholder: '[ADDRESS:]PORT',
    defaultText: 'none',
    help: 'port for monitors: /healthz, /readyz, and /metrics without a token; on the address of --host without one',
  },
  'tls-cert': { ...file, help: 'certificate of the API and the console, with its chain: they speak TLS then' },
  'tls-key': { ...file, help: 'key of --tls-cert', secret: false },
  'trust-proxy': {
    parse: networks,
    placeholder: 'NETWORKS',
    default: '',
    defaultText: 'none',
    help: 'networks of proxies that say who the client is (X-Forwarded-For, X-Forwarded-Proto): 127.0.0.1/32,10.0.0.0/8',
  },
  'public-url': {
    parse: webOrigin,
    placeholder: 'URL',
    defaultText: 'none',
    help: 'where people and programs reach the API: https://hub.example',
    secret: false,
  },
  'device-names': {
    parse: hostList,
    placeholder: 'NAMES',
    default: '',
    defaultText: 'the host of --public-url',
    help: 'where devices reach the device listener: hub.example,192.0.2.7:443; the certificate holds these names',
  },
  'device-url': {
    parse: webOrigin,
    placeholder: 'URL',
    defaultText: 'the name that each device calls',
    help: 'where devices reach the device listener from outside, for links to files: https://hub.example:8443',
    secret: false,
  },
  'device-cert': {
    ...file,
    help: 'certificate of the device listener under the names in it, with its chain, for devices that trust a public authority',
  },
  'device-key': { ...file, help: 'key of --device-cert', secret: false },
  database: {
    parse: databaseAddress,
    placeholder: 'URL',
    defaultFrom: ({ data }) => `sqlite:${join(String(data), 'moorage.db')}`,
    defaultText: 'sqlite:DIR/moorage.db',
    help: 'records: sqlite:PATH or postgres://USER:PASSWORD@HOST[:PORT][,…]/NAME',
    secret: true,
  },
  bus: {
    parse: natsAddress,
    placeholder: 'URL',
    defaultText: 'none',
    help: 'messages between nodes: nats://[USER:PASSWORD@]HOST[:PORT][,…][/PREFIX], tls://… for TLS; PostgreSQL carries them without it',
    secret: true,
  },
  'bus-credentials': { ...file, help: 'credentials file of a NATS user', secret: false },
  'bus-ca': { ...file, help: "certificates, PEM, that issue those of the NATS servers; the system's without it" },
  blobs: {
    parse: matching(
      /^(file:.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#]*)?)$/,
      'file:DIR or s3://BUCKET[/PREFIX]',
    ),
    placeholder: 'URL',
    defaultFrom: ({ data }) => `file:${join(String(data), 'blobs')}`,
    defaultText: 'file:DIR/blobs',
    help: 'file contents: file:DIR or s3://BUCKET[/PREFIX]',
    secret: false,
  },
  's3-endpoint': {
    parse: httpAddress,
    placeholder: 'URL',
    defaultText: 'https://s3.REGION.amazonaws.com',
    help: 'address of the object store of s3://…',
    secret: false,
  },
  's3-public-endpoint': {
    parse: httpAddress,
    placeholder: 'URL',
    defaultText: 'none',
    help: 'address at which clients reach the object store: downloads that ask for it are redirected there; never without it',
    secret: false,
  },
  's3-region': {
    parse: matching(/^[a-z0-9-]+$/, 'the name of a region'),
    placeholder: 'REGION',
    default: 'us-east-1',
    help: 'region of the object store',
  },
  's3-access-key': {
    parse: anyText,
    placeholder: 'KEY',
    defaultText: 'none',
    help: 'access key of the object store',
    // It names the owner of the secret key.
    secret: false,
  },
  's3-secret-key': {
    parse: anyText,
    placeholder: 'KEY',
    defaultText: 'none',
    help: 'secret key of the object store',
    secret: true,
  },
  'device-insecure': {
    kind: 'switch',
    help: 'plain HTTP on the device listener, with uuid and token headers; for development only',
  },
  'device-handshakes-per-second': {
    parse: countOrAny('handshakes', 99_999),
    placeholder: 'NUMBER',
    default: 500,
    help: 'TLS handshakes of devices that a process begins in a second, others wait for their turn; 0 for any number',
  },
  'device-certificate-days': {
    parse: count('days', 36_500),
    placeholder: 'DAYS',
    // A device that lies in a drawer for years still finds its way back.
    default: 10_950,
    help: 'how long a certificate of a device is good; modules renew theirs in the last third of that time',
  },
  'update-timeout-hours': {
    parse: count('hours', 8_760),
    placeholder: 'HOURS',
    default: 24,
    help: 'how long a module that restarts into an update may be silent until the update counts as failed',
  },
  'requests-per-minute': {
    parse: countOrAny('requests', 99_999),
    placeholder: 'NUMBER',
    default: 60_000,
    help: 'requests that a user may make in a minute at each process; 0 for any number',
  },
  'device-connects-per-minute': perDevice('open its message channel', 60),
  'device-identity-per-minute': perDevice('renew its certificate, claim and activate itself', 60),
  'device-updates-per-minute': perDevice('ask for updates and report on them', 300),
  'device-files-per-minute': perDevice('write and delete files', 300),
  'device-attributes-per-minute': perDevice('report its attributes', 120),
  'device-samples-per-minute': perDevice('send telemetry and batches of samples', 1_200),
  'device-messages-per-minute': perDevice('send and delete messages', 600),
  'quota-devices': perAccount('devices', 100_000),
  'quota-products': perAccount('products', 1_000),
  'quota-bundles': perAccount('bundles', 100_000, 'bundles of products'),
  'quota-connectors': perAccount('connectors', 1_000, 'connectors of products'),
  'quota-mebibytes': perAccount('MiB', 102_400, 'MiB of files, assets and bundles'),
  'log-days': {
    parse: count('days', 36_500),
    placeholder: 'DAYS',
    default: 90,
    help: 'how long the log of what happened is kept, and counts of polls',
  },
  'log-days-frequent': {
    parse: count('days', 36_500),
    placeholder: 'DAYS',
    default: 14,
    help: 'the same for what devices do all day: device.online, device.offline, device.message',
  },
  'audit-days': {
    extension: 'audit',
    parse: countOrAny('days', 36_500),
    placeholder: 'DAYS',
    default: 730,
    help: 'how long the audit keeps who has changed what; 0 for good',
  },
  'connector-allow': {
    parse: networks,
    placeholder: 'NETWORKS',
    default: '',
    defaultText: 'none',
    help: 'networks that are not public and that connectors may call all the same: 10.0.0.0/8,fd00::/8',
  },
  'smtp-url': {
    parse: matching(/^smtps?:\/\/([^@/\s]+@)?[^@/\s?#]+\/?$/, 'smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…'),
    placeholder: 'URL',
    defaultText: 'none',
    help: 'mail server that takes the mails of alerts and accounts: smtp://[USER:PASSWORD@]HOST[:PORT], smtps://… for TLS from the first byte; no mail is sent without it',
    secret: true,
  },
  'mail-from': {
    parse: anyText,
    placeholder: 'ADDRESS',
    default: 'Moorage <moorage@localhost>',
    help: 'sender of mails: Moorage <moorage@hub.example>',
  },
  'map-tiles': {
    parse: matching(
      /^https?:\/\/[^@/\s?#{}]+\/(?=\S*\{z\})(?=\S*\{x\})(?=\S*\{y\})\S+$/,
      'an http or https address with {z}, {x} and {y}',
    ),
    placeholder: 'URL',
    defaultText: 'none',
    help: "pictures of the console's maps: https://tiles.example/{z}/{x}/{y}.png; coast lines of its own without it",
    // Every browser gets it, with the key of an account in it, too.
    secret: false,
  },
  'map-attribution': {
    parse: anyText,
    placeholder: 'TEXT',
    defaultText: 'none',
    help: 'whose pictures the maps show',
  },
  extensions: {
    parse: extensionList,
    placeholder: 'none|all|NAME,…',
    default: 'all',
    help: `what the service has beyond the specification: ${extensionNames.join(', ')}`,
  },
  'log-level': {
    parse: oneOf('must be one of', logLevels),
    placeholder: 'LEVEL',
    default: 'warn',
    help: `least serious lines of the log: ${logLevels.join(', ')}`,
  },
  'access-log': {
    kind: 'switch',
    help: 'one line in the log for each answered request; it costs a third of the throughput',
  },
  'sign-up': {
    parse: oneOf('must be', signUpPolicies),
    placeholder: 'POLICY',
    defaultText: 'open on this machine alone, else invite',
    help: 'who may make an account: open (anybody), invite (with an invitation) or closed (nobody)',
  },
  'oidc-issuer': {
    extension: 'accounts',
    parse: issuer,
    placeholder: 'URL',
    defaultText: 'none',
    help: 'provider of OpenID Connect that signs people in, with --oidc-client-id and --public-url: https://id.example/realms/main',
    secret: false,
  },
  'oidc-client-id': {
    extension: 'accounts',
    parse: anyText,
    placeholder: 'ID',
    defaultText: 'none',
    help: 'what the provider calls this service',
  },
  'oidc-client-secret': {
    extension: 'accounts',
    parse: anyText,
    placeholder: 'SECRET',
    defaultText: 'none',
    help: 'secret of that client; a public client has none',
    secret: true,
  },
  'oidc-name': {
    extension: 'accounts',
    parse: atMost(60),
    placeholder: 'NAME',
    default: 'single sign-on',
    help: 'what the console calls the provider',
  },
  'oidc-groups': {
    ...file,
    extension: 'accounts',
    help: 'file (JSON) that says which roles the groups of the provider have; who is in none of them is kept out',
  },
  'oidc-accounts': {
    extension: 'accounts',
    parse: oneOf('must be', ssoAccountPolicies, ' or '),
    placeholder: 'POLICY',
    default: 'invited',
    help: 'who gets in by single sign-on: create (an account is made for whoever the provider signs in) or invited (with an account or an invitation)',
  },
  'second-factor': {
    extension: 'accounts',
    parse: oneOf('must be', secondFactorPolicies),
    placeholder: 'POLICY',
    default: 'optional',
    help: 'who needs a second factor to sign in: optional (nobody), administrators or all; without one a session can only set it up',
  },
  'admin-email': {
    parse: matching(/^[^\s@]+@[^\s@]+$/, 'an email address'),
    placeholder: 'EMAIL',
    default: 'admin@localhost',
    help: "address of the first run's administrator",
  },
  'admin-password': {
    parse: password,
    placeholder: 'PASSWORD',
    defaultText: 'random, printed once',
    help: "password of the first run's administrator",
    secret: true,
  },
} as const satisfies OptionTable;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Name;
type Values = Resolved<typeof settingsTable>;

/** Settings of the service by their names in the code: `devicePort` of `device-port`. */
export type Settings = { readonly [Name in keyof Values as CamelCase<Name>]: Values[Name] };

/** The setting of what a device may write. */
export const rateSetting = (write: DeviceWrite): `device${Capitalize<DeviceWrite>}PerMinute` =>
  // Safe: the names are spelled as the type spells them.
  camelCase(`device-${write}-per-minute`) as `device${Capitalize<DeviceWrite>}PerMinute`;

const camelCase = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Nothing counts what users and devices do in a minute: for services in memory, whose clock stands still. */
export const withoutRates: Pick<Settings, 'requestsPerMinute' | ReturnType<typeof rateSetting>> = {
  requestsPerMinute: 0,
  // Safe: one for each of them.
  ...(Object.fromEntries(deviceWrites.map((write) => [rateSetting(write), 0])) as Record<
    ReturnType<typeof rateSetting>,
    0
  >),
};

/** Resolves all settings of the service. The first that cannot be used is the error, a whole sentence. */
export function resolveSettings(sources: Partial<OptionSources>): Result<Settings, string> {
  const resolved = resolveTable(settingsTable, sources);
  if (!resolved.ok) return resolved;
  const named = Object.entries(resolved.value).map(([name, value]) => [camelCase(name), value]);
  // Safe: the names are spelled as the type spells them.
  return success(Object.fromEntries(named) as Settings);
}

/** Why two files that belong together cannot be used. */
const lacksHalf = (name: string, certificate: string | undefined, key: string | undefined) =>
  (certificate === undefined) !== (key === undefined) &&
  `Settings --${name}-cert and --${name}-key are only of use together`;

/** Why extensions cannot run without others: one is left out that another needs. */
function lacksExtension({ extensions }: Settings): string | false {
  if (extensions === 'all') return false;
  for (const name of extensions) {
    const missing = extensionNeeds[name]?.find((need) => !extensions.includes(need));
    if (missing !== undefined) return `The extension ${name} needs ${missing}, which --extensions leaves out`;
  }
  return false;
}

/** Which setting is of an extension that does not run: it would promise what nothing keeps, such as second factors. */
function lacksItsExtension(settings: Settings): string | false {
  const { extensions } = settings;
  if (extensions === 'all') return false;
  const usual = unwrap(resolveSettings({}));
  for (const [name, { extension }] of Object.entries<OptionRow>(settingsTable)) {
    // Safe: the names are spelled as the type spells them.
    const key = camelCase(name) as keyof Settings;
    if (extension !== undefined && !extensions.includes(extension) && settings[key] !== usual[key])
      return `--${name} is of the extension ${extension}, which --extensions leaves out`;
  }
  return false;
}

/** What settings have to be together, beside what each has to be alone: the sentence for those that are not. */
const checks: readonly ((settings: Settings) => string | false)[] = [
  lacksExtension,
  lacksItsExtension,
  ({ port, devicePort }) =>
    port === devicePort && port !== 0 && `--port and --device-port are both ${port}; they are two listeners`,
  ({ bus, database }) =>
    bus !== undefined &&
    database.startsWith('sqlite:') &&
    '--bus connects nodes, and several can share a PostgreSQL database only (--database)',
  ({ oidcIssuer, oidcClientId, oidcClientSecret, oidcGroups }) =>
    oidcIssuer === undefined &&
    (oidcClientId ?? oidcClientSecret ?? oidcGroups) !== undefined &&
    'Settings of single sign-on are of use only with --oidc-issuer',
  ({ oidcIssuer, oidcClientId }) =>
    oidcIssuer !== undefined && oidcClientId === undefined && '--oidc-issuer needs --oidc-client-id',
  ({ oidcIssuer, publicUrl }) =>
    oidcIssuer !== undefined &&
    publicUrl === undefined &&
    '--oidc-issuer needs --public-url: the provider sends people back there',
  ({ deviceCert, deviceKey }) => lacksHalf('device', deviceCert, deviceKey),
  ({ tlsCert, tlsKey }) => lacksHalf('tls', tlsCert, tlsKey),
];

/** Why a service cannot run with settings that are each in order; undefined when it can. */
export function whyNotTogether(settings: Settings): string | undefined {
  for (const check of checks) {
    const problem = check(settings);
    if (problem !== false) return problem;
  }
  return undefined;
}

/** Where devices reach the device listener beside this machine's own names: as configured, or at the public address. */
export function deviceAddresses({
  deviceNames,
  publicUrl,
}: Pick<Settings, 'deviceNames' | 'publicUrl'>): readonly HostAndPort[] {
  if (deviceNames.length > 0 || publicUrl === undefined) return deviceNames;
  return [{ host: new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''), port: undefined }];
}
