import { join } from 'node:path';
import { type SecondFactorPolicy, type SignUpPolicy, secondFactorPolicies, signUpPolicies } from '@moorage/api';
import { type Result, success } from '@moorage/base';
import { databaseAddress, httpAddress, natsAddress } from '../stores/addresses.ts';
import { addressSettings } from './address-settings.ts';
import { type MapSettings, mapSettings } from './map-settings.ts';
import { type OutboundSettings, outboundSettings } from './outbound-settings.ts';
import { quotaSettings } from './quota-settings.ts';
import {
  anyText,
  count,
  flag,
  type HostAndPort,
  type ListenAddress,
  listenAddress,
  matching,
  networks,
  oneOf,
  password,
  portNumber,
} from './setting-texts.ts';
import { type SsoSettings, ssoSettings } from './sso-settings.ts';

/** What the log may be limited to, the most serious first. */
const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Settings of the service, resolved from flags, environment and file. Sizes in bytes, times in milliseconds. */
export interface Settings extends MapSettings, OutboundSettings, SsoSettings {
  readonly dataDir: string;
  /** Address that both listeners bind to. */
  readonly host: string;
  /** Port of the API; 0 picks a free one. */
  readonly port: number;
  /** Port of the device listener; 0 picks a free one. */
  readonly devicePort: number;
  /** Where monitors listen to, apart from the API; no listener of its own without it. */
  readonly opsPort: ListenAddress | undefined;
  /** Files (PEM) with the certificate of the API and its key, for TLS; both or none. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Networks (CIDR texts) whose peers are proxies: what they say of a client's address and scheme is believed. */
  readonly trustProxy: readonly string[];
  /** Where people and programs reach the API: scheme, host and port. */
  readonly publicUrl: string | undefined;
  /** Where devices reach the device listener, beside this machine's own names; the host of `publicUrl` without it. */
  readonly deviceNames: readonly HostAndPort[];
  /** Where devices reach the device listener from outside, for links: scheme, host and port. Without it by the name that they call. */
  readonly deviceUrl: string | undefined;
  /** Files (PEM) with a certificate of the device listener that another authority has signed, and its key; both or none. */
  readonly deviceCert: string | undefined;
  readonly deviceKey: string | undefined;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  /** `nats://…` or `tls://…`; the database carries messages between nodes without it. */
  readonly bus: string | undefined;
  /** File with the credentials of a NATS user. */
  readonly busCredentials: string | undefined;
  /** File with the certificates that issue those of the NATS servers. */
  readonly busCa: string | undefined;
  /** `file:DIR` or `s3://BUCKET[/PREFIX]`. */
  readonly blobs: string;
  /** Address of the object store; that of Amazon in the region without it. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string;
  readonly s3AccessKey: string | undefined;
  readonly s3SecretKey: string | undefined;
  /** Address of the object store for clients, who are sent there for downloads. */
  readonly s3PublicEndpoint: string | undefined;
  /** Plain HTTP on the device listener, with uuid and token headers; for development only. */
  readonly deviceInsecure: boolean;
  /** TLS handshakes of devices that this process begins in a second; 0 for any number. */
  readonly deviceHandshakesPerSecond: number;
  /** How long a certificate of a device is good; modules renew theirs in the last third of it. */
  readonly deviceCertificateDays: number;
  /** How long a module that restarts into an update may be silent until that counts as failed, in hours. */
  readonly updateTimeoutHours: number;
  /** Requests that a user may make in a minute, at each process; 0 for any number. Requests of devices do not count. */
  readonly requestsPerMinute: number;
  /** What an account may have, 0 for any number; administrators may have any. Spec: API-LIMIT-quotas. */
  readonly quotaDevices: number;
  readonly quotaProducts: number;
  readonly quotaBundles: number;
  readonly quotaConnectors: number;
  readonly quotaMebibytes: number;
  /** How long rows of the audit are kept, in days; 0 for good. */
  readonly auditDays: number;
  readonly logLevel: LogLevel;
  /** One line in the log for each answered request. */
  readonly accessLog: boolean;
  /** Who may make an account; `signUpPolicy` says what holds without it. */
  readonly signUp: SignUpPolicy | undefined;
  /** Of whom a second factor is wanted. */
  readonly secondFactor: SecondFactorPolicy;
  readonly adminEmail: string;
  /** When absent, the first run makes one and hands it to the caller to print. */
  readonly adminPassword: string | undefined;
}

export type Value = string | number | boolean | readonly string[] | readonly HostAndPort[] | ListenAddress | undefined;

/** One setting: everything that the command line, the config file and the documentation need to know of it. */
export interface Setting {
  /** Its name in the code. */
  readonly name: keyof Settings;
  /** `--flag`; also its name in a config file. */
  readonly flag: string;
  /** What stands for the value in help; a setting without one is a switch. */
  readonly placeholder?: string;
  readonly help: string;
  /** Taken when none is given. */
  readonly default?: string;
  /** What help shows where that is no text like those that users give; `none` without either. */
  readonly defaultText?: string;
  /** Reads a text; the error completes "Setting --flag …". */
  readonly parse: (text: string) => Result<Value, string>;
  /** The value when none is given, where it is no `default`; undefined without either. */
  readonly otherwise?: (dataDir: string) => Value;
  /**
   * Not shown in any output, or without its password where it is a URL; it may also stand in a file. Decided for each
   * setting whose name sounds so.
   */
  readonly secret?: boolean;
}

/** The variable of a setting: `MOORAGE_DEVICE_PORT` of `device-port`. */
export const variableOf = (flagName: string): string => `MOORAGE_${flagName.toUpperCase().replaceAll('-', '_')}`;

/** Every setting of the service. `data` comes first: others take their defaults from it. */
export const settingsTable: readonly Setting[] = [
  {
    name: 'dataDir',
    flag: 'data',
    placeholder: 'DIR',
    help: 'folder of the embedded storage',
    default: './data',
    parse: anyText,
  },
  {
    name: 'host',
    flag: 'host',
    placeholder: 'ADDRESS',
    help: 'address that the service listens on',
    default: '127.0.0.1',
    parse: anyText,
  },
  {
    name: 'port',
    flag: 'port',
    placeholder: 'PORT',
    help: 'port of the API; 0 picks a free one',
    default: '8080',
    parse: portNumber,
  },
  {
    name: 'devicePort',
    flag: 'device-port',
    placeholder: 'PORT',
    help: 'port of the device listener; 0 picks a free one',
    default: '8443',
    parse: portNumber,
  },
  {
    name: 'opsPort',
    flag: 'ops-port',
    placeholder: '[ADDRESS:]PORT',
    help: 'port for monitors: /healthz, /readyz, and /metrics without a token; on the address of --host without one',
    parse: listenAddress,
  },
  {
    name: 'tlsCert',
    flag: 'tls-cert',
    placeholder: 'FILE',
    help: 'certificate of the API and the console, with its chain: they speak TLS then',
    parse: anyText,
  },
  {
    name: 'tlsKey',
    flag: 'tls-key',
    placeholder: 'FILE',
    help: 'key of --tls-cert',
    parse: anyText,
    secret: false,
  },
  {
    name: 'trustProxy',
    flag: 'trust-proxy',
    placeholder: 'NETWORKS',
    help: 'networks of proxies that say who the client is (X-Forwarded-For, X-Forwarded-Proto): 127.0.0.1/32,10.0.0.0/8',
    parse: networks,
    otherwise: () => [],
  },
  ...addressSettings,
  {
    name: 'database',
    flag: 'database',
    placeholder: 'URL',
    help: 'records: sqlite:PATH or postgres://USER:PASSWORD@HOST[:PORT][,…]/NAME',
    defaultText: 'sqlite:DIR/moorage.db',
    parse: databaseAddress,
    otherwise: (dataDir) => `sqlite:${join(dataDir, 'moorage.db')}`,
    secret: true,
  },
  {
    name: 'bus',
    flag: 'bus',
    placeholder: 'URL',
    help: 'messages between nodes: nats://[USER:PASSWORD@]HOST[:PORT][,…][/PREFIX], tls://… for TLS; PostgreSQL carries them without it',
    parse: natsAddress,
    secret: true,
  },
  {
    name: 'busCredentials',
    flag: 'bus-credentials',
    placeholder: 'FILE',
    help: 'credentials file of a NATS user',
    parse: anyText,
    secret: false,
  },
  {
    name: 'busCa',
    flag: 'bus-ca',
    placeholder: 'FILE',
    help: "certificates, PEM, that issue those of the NATS servers; the system's without it",
    parse: anyText,
  },
  {
    name: 'blobs',
    flag: 'blobs',
    placeholder: 'URL',
    help: 'file contents: file:DIR or s3://BUCKET[/PREFIX]',
    defaultText: 'file:DIR/blobs',
    parse: matching(
      /^(file:.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#]*)?)$/,
      'file:DIR or s3://BUCKET[/PREFIX]',
    ),
    otherwise: (dataDir) => `file:${join(dataDir, 'blobs')}`,
    secret: false,
  },
  {
    name: 's3Endpoint',
    flag: 's3-endpoint',
    placeholder: 'URL',
    help: 'address of the object store of s3://…',
    defaultText: 'https://s3.REGION.amazonaws.com',
    parse: httpAddress,
    secret: false,
  },
  {
    name: 's3PublicEndpoint',
    flag: 's3-public-endpoint',
    placeholder: 'URL',
    help: 'address at which clients reach the object store: downloads that ask for it are redirected there; never without it',
    parse: httpAddress,
    secret: false,
  },
  {
    name: 's3Region',
    flag: 's3-region',
    placeholder: 'REGION',
    help: 'region of the object store',
    default: 'us-east-1',
    parse: matching(/^[a-z0-9-]+$/, 'the name of a region'),
  },
  {
    name: 's3AccessKey',
    flag: 's3-access-key',
    placeholder: 'KEY',
    help: 'access key of the object store',
    parse: anyText,
    // It names the owner of the secret key.
    secret: false,
  },
  {
    name: 's3SecretKey',
    flag: 's3-secret-key',
    placeholder: 'KEY',
    help: 'secret key of the object store',
    parse: anyText,
    secret: true,
  },
  {
    name: 'deviceInsecure',
    flag: 'device-insecure',
    help: 'plain HTTP on the device listener, with uuid and token headers; for development only',
    default: 'false',
    parse: flag,
  },
  {
    name: 'deviceHandshakesPerSecond',
    flag: 'device-handshakes-per-second',
    placeholder: 'NUMBER',
    help: 'TLS handshakes of devices that a process begins in a second, others wait for their turn; 0 for any number',
    default: '500',
    parse: (text) => (text === '0' ? success(0) : count('handshakes', 99_999)(text)),
  },
  {
    name: 'deviceCertificateDays',
    flag: 'device-certificate-days',
    placeholder: 'DAYS',
    help: 'how long a certificate of a device is good; modules renew theirs in the last third of that time',
    // A device that lies in a drawer for years still finds its way back.
    default: '10950',
    parse: count('days', 36_500),
  },
  {
    name: 'updateTimeoutHours',
    flag: 'update-timeout-hours',
    placeholder: 'HOURS',
    help: 'how long a module that restarts into an update may be silent until the update counts as failed',
    default: '24',
    parse: count('hours', 8_760),
  },
  {
    name: 'requestsPerMinute',
    flag: 'requests-per-minute',
    placeholder: 'NUMBER',
    help: 'requests that a user may make in a minute at each process; 0 for any number',
    default: '60000',
    parse: (text) => (text === '0' ? success(0) : count('requests', 99_999)(text)),
  },
  ...quotaSettings,
  {
    name: 'auditDays',
    flag: 'audit-days',
    placeholder: 'DAYS',
    help: 'how long the audit keeps who has changed what; 0 for good',
    default: '730',
    parse: (text) => (text === '0' ? success(0) : count('days', 36_500)(text)),
  },
  ...outboundSettings,
  ...mapSettings,
  {
    name: 'logLevel',
    flag: 'log-level',
    placeholder: 'LEVEL',
    help: `least serious lines of the log: ${logLevels.join(', ')}`,
    default: 'warn',
    parse: oneOf('must be one of', logLevels),
  },
  {
    name: 'accessLog',
    flag: 'access-log',
    help: 'one line in the log for each answered request; it costs a third of the throughput',
    default: 'false',
    parse: flag,
  },
  {
    name: 'signUp',
    flag: 'sign-up',
    placeholder: 'POLICY',
    help: 'who may make an account: open (anybody), invite (with an invitation) or closed (nobody)',
    defaultText: 'open on this machine alone, else invite',
    parse: oneOf('must be', signUpPolicies),
  },
  ...ssoSettings,
  {
    name: 'secondFactor',
    flag: 'second-factor',
    placeholder: 'POLICY',
    help: 'who needs a second factor to sign in: optional (nobody), administrators or all; without one a session can only set it up',
    default: 'optional',
    parse: oneOf('must be', secondFactorPolicies),
  },
  {
    name: 'adminEmail',
    flag: 'admin-email',
    placeholder: 'EMAIL',
    help: "address of the first run's administrator",
    default: 'admin@localhost',
    parse: matching(/^[^\s@]+@[^\s@]+$/, 'an email address'),
  },
  {
    name: 'adminPassword',
    flag: 'admin-password',
    placeholder: 'PASSWORD',
    help: "password of the first run's administrator",
    defaultText: 'random, printed once',
    parse: password,
    secret: true,
  },
];
