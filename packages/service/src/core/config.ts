import { join } from 'node:path';
import { failure, type Result, success } from '@moorage/base';
import ipaddr from 'ipaddr.js';

/** What the log may be limited to, the most serious first. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Settings of the service, resolved from flags, environment and file. Sizes in bytes, times in milliseconds. */
export interface Settings {
  readonly dataDir: string;
  /** Address that both listeners bind to. */
  readonly host: string;
  /** Port of the API; 0 picks a free one. */
  readonly port: number;
  /** Port of the device listener; 0 picks a free one. */
  readonly devicePort: number;
  /** `sqlite:PATH` or `postgres://…`. */
  readonly database: string;
  /** `file:DIR` or `s3://BUCKET[/PREFIX]`. */
  readonly blobs: string;
  /** Address of the object store; that of Amazon in the region without it. */
  readonly s3Endpoint: string | undefined;
  readonly s3Region: string;
  readonly s3AccessKey: string | undefined;
  readonly s3SecretKey: string | undefined;
  /** Plain HTTP on the device listener, with uuid and token headers; for development only. */
  readonly deviceInsecure: boolean;
  /** How long a certificate of a device is good; modules renew theirs in the last third of it. */
  readonly deviceCertificateDays: number;
  /** How long a module that restarts into an update may be silent until that counts as failed, in hours. */
  readonly updateTimeoutHours: number;
  /** Networks (CIDR texts) inside which connectors may call. */
  readonly connectorAllow: readonly string[];
  readonly logLevel: LogLevel;
  /** One line in the log for each answered request. */
  readonly accessLog: boolean;
  readonly adminEmail: string;
  /** When absent, the first run makes one and hands it to the caller to print. */
  readonly adminPassword: string | undefined;
}

type Value = string | number | boolean | readonly string[] | undefined;

/** One setting: everything that the command line, the config file and the documentation need to know of it. */
export interface Setting {
  /** Its name in the code. */
  readonly name: keyof Settings;
  /** `--flag`; also its name in a config file. */
  readonly flag: string;
  readonly env: string;
  /** What stands for the value in help; a setting without one is a switch. */
  readonly placeholder?: string;
  readonly help: string;
  /** Its default as help shows it. */
  readonly default: string;
  /** Reads a text; the error completes "Setting --flag …". */
  readonly parse: (text: string) => Result<Value, string>;
  /** The value when none is given. */
  readonly otherwise: (dataDir: string) => Value;
  /** Not shown in any output. */
  readonly secret?: boolean;
}

const anyText = (text: string): Result<string, string> => (text === '' ? failure('must not be empty') : success(text));

const portNumber = (text: string): Result<number, string> =>
  /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? success(Number(text))
    : failure(`must be a port from 0 to 65535, not "${text}"`);

const count =
  (unit: string, most: number) =>
  (text: string): Result<number, string> =>
    /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= most
      ? success(Number(text))
      : failure(`must be a number of ${unit} from 1 to ${most}, not "${text}"`);

const flag = (text: string): Result<boolean, string> => {
  if (['true', '1', 'yes'].includes(text)) return success(true);
  if (['false', '0', 'no'].includes(text)) return success(false);
  return failure(`must be true or false, not "${text}"`);
};

const matching = (pattern: RegExp, forms: string) => (text: string) =>
  pattern.test(text) ? success(text) : failure(`must be ${forms}, not "${text.replace(/:[^:@/]*@/, ':***@')}"`);

/** CIDR texts between commas: an IPv4 or IPv6 address, and how many of its bits count. */
const networks = (text: string): Result<readonly string[], string> => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const wrong = parts.find((part) => !ipaddr.isValidCIDR(part));
  return wrong === undefined ? success(parts) : failure(`must be networks such as 10.0.0.0/8, not "${wrong}"`);
};

const password = (text: string): Result<string, string> =>
  text.length >= 8 ? success(text) : failure('must have at least 8 characters');

/** Every setting of the service. `data` comes first: others take their defaults from it. */
export const settingsTable: readonly Setting[] = [
  {
    name: 'dataDir',
    flag: 'data',
    env: 'MOORAGE_DATA',
    placeholder: 'DIR',
    help: 'folder of the embedded storage',
    default: './data',
    parse: anyText,
    otherwise: () => './data',
  },
  {
    name: 'host',
    flag: 'host',
    env: 'MOORAGE_HOST',
    placeholder: 'ADDRESS',
    help: 'address that the service listens on',
    default: '127.0.0.1',
    parse: anyText,
    otherwise: () => '127.0.0.1',
  },
  {
    name: 'port',
    flag: 'port',
    env: 'MOORAGE_PORT',
    placeholder: 'PORT',
    help: 'port of the API; 0 picks a free one',
    default: '8080',
    parse: portNumber,
    otherwise: () => 8080,
  },
  {
    name: 'devicePort',
    flag: 'device-port',
    env: 'MOORAGE_DEVICE_PORT',
    placeholder: 'PORT',
    help: 'port of the device listener; 0 picks a free one',
    default: '8443',
    parse: portNumber,
    otherwise: () => 8443,
  },
  {
    name: 'database',
    flag: 'database',
    env: 'MOORAGE_DATABASE',
    placeholder: 'URL',
    help: 'records: sqlite:PATH or postgres://…',
    default: 'sqlite:DIR/moorage.db',
    parse: matching(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'sqlite:PATH or postgres://…'),
    otherwise: (dataDir) => `sqlite:${join(dataDir, 'moorage.db')}`,
  },
  {
    name: 'blobs',
    flag: 'blobs',
    env: 'MOORAGE_BLOBS',
    placeholder: 'URL',
    help: 'file contents: file:DIR or s3://BUCKET[/PREFIX]',
    default: 'file:DIR/blobs',
    parse: matching(
      /^(file:.+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^?#]*)?)$/,
      'file:DIR or s3://BUCKET[/PREFIX]',
    ),
    otherwise: (dataDir) => `file:${join(dataDir, 'blobs')}`,
  },
  {
    name: 's3Endpoint',
    flag: 's3-endpoint',
    env: 'MOORAGE_S3_ENDPOINT',
    placeholder: 'URL',
    help: 'address of the object store of s3://…',
    default: 'https://s3.REGION.amazonaws.com',
    parse: matching(/^https?:\/\/[^\s?#]+$/, 'an http or https address'),
    otherwise: () => undefined,
  },
  {
    name: 's3Region',
    flag: 's3-region',
    env: 'MOORAGE_S3_REGION',
    placeholder: 'REGION',
    help: 'region of the object store',
    default: 'us-east-1',
    parse: matching(/^[a-z0-9-]+$/, 'the name of a region'),
    otherwise: () => 'us-east-1',
  },
  {
    name: 's3AccessKey',
    flag: 's3-access-key',
    env: 'MOORAGE_S3_ACCESS_KEY',
    placeholder: 'KEY',
    help: 'access key of the object store',
    default: 'none',
    parse: anyText,
    otherwise: () => undefined,
  },
  {
    name: 's3SecretKey',
    flag: 's3-secret-key',
    env: 'MOORAGE_S3_SECRET_KEY',
    placeholder: 'KEY',
    help: 'secret key of the object store; others see flags, so the variable or the config file is the place for it',
    default: 'none',
    parse: anyText,
    otherwise: () => undefined,
    secret: true,
  },
  {
    name: 'deviceInsecure',
    flag: 'device-insecure',
    env: 'MOORAGE_DEVICE_INSECURE',
    help: 'plain HTTP on the device listener, with uuid and token headers; for development only',
    default: 'false',
    parse: flag,
    otherwise: () => false,
  },
  {
    name: 'deviceCertificateDays',
    flag: 'device-certificate-days',
    env: 'MOORAGE_DEVICE_CERTIFICATE_DAYS',
    placeholder: 'DAYS',
    help: 'how long a certificate of a device is good; modules renew theirs in the last third of that time',
    default: '10950',
    parse: count('days', 36_500),
    // A device that lies in a drawer for years still finds its way back.
    otherwise: () => 10_950,
  },
  {
    name: 'updateTimeoutHours',
    flag: 'update-timeout-hours',
    env: 'MOORAGE_UPDATE_TIMEOUT_HOURS',
    placeholder: 'HOURS',
    help: 'how long a module that restarts into an update may be silent until the update counts as failed',
    default: '24',
    parse: count('hours', 8_760),
    otherwise: () => 24,
  },
  {
    name: 'connectorAllow',
    flag: 'connector-allow',
    env: 'MOORAGE_CONNECTOR_ALLOW',
    placeholder: 'NETWORKS',
    help: 'networks that are not public and that connectors may call all the same: 10.0.0.0/8,fd00::/8',
    default: 'none',
    parse: networks,
    otherwise: () => [],
  },
  {
    name: 'logLevel',
    flag: 'log-level',
    env: 'MOORAGE_LOG_LEVEL',
    placeholder: 'LEVEL',
    help: `least serious lines of the log: ${logLevels.join(', ')}`,
    default: 'warn',
    parse: (text) =>
      logLevels.some((level) => level === text)
        ? success(text)
        : failure(`must be one of ${logLevels.join(', ')}, not "${text}"`),
    otherwise: () => 'warn',
  },
  {
    name: 'accessLog',
    flag: 'access-log',
    env: 'MOORAGE_ACCESS_LOG',
    help: 'one line in the log for each answered request; it costs a third of the throughput',
    default: 'false',
    parse: flag,
    otherwise: () => false,
  },
  {
    name: 'adminEmail',
    flag: 'admin-email',
    env: 'MOORAGE_ADMIN_EMAIL',
    placeholder: 'EMAIL',
    help: "address of the first run's administrator",
    default: 'admin@localhost',
    parse: matching(/^[^\s@]+@[^\s@]+$/, 'an email address'),
    otherwise: () => 'admin@localhost',
  },
  {
    name: 'adminPassword',
    flag: 'admin-password',
    env: 'MOORAGE_ADMIN_PASSWORD',
    placeholder: 'PASSWORD',
    help: "password of the first run's administrator",
    default: 'random, printed once',
    parse: password,
    otherwise: () => undefined,
    secret: true,
  },
];

/** A setting that cannot be used: which one, where it was given, and why. */
export interface SettingError {
  readonly setting: string;
  /** A whole sentence for the user. */
  readonly message: string;
}

/** Where settings are given. Flags by their name, in either spelling: `device-port` or `devicePort`. */
export interface SettingSources {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The parsed config file. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** Variables `MOORAGE_*` that belong to other parts of the program. */
  readonly foreignEnv?: readonly string[];
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

interface Given {
  readonly flag: string;
  readonly text: string;
  /** How the user wrote it: `--port`, `MOORAGE_PORT`, `port` of the config file. */
  readonly spelling: string;
}

const unknown = (setting: string, what: string): Result<never, SettingError> =>
  failure({ setting, message: `Unknown ${what} "${setting}"` });

/** All that was given, the strongest source first: flags, environment, file. */
function gather(sources: SettingSources): Result<Given[], SettingError> {
  const given: Given[] = [];
  const known = new Set(settingsTable.map((row) => row.flag));
  for (const [name, value] of Object.entries(sources.flags ?? {})) {
    if (value === undefined) continue;
    if (!known.has(kebab(name))) return unknown(`--${kebab(name)}`, 'option');
    given.push({ flag: kebab(name), text: String(value), spelling: `--${kebab(name)}` });
  }
  for (const [name, value] of Object.entries(sources.env ?? {})) {
    if (!name.startsWith('MOORAGE_') || value === undefined || sources.foreignEnv?.includes(name)) continue;
    const row = settingsTable.find(({ env }) => env === name);
    if (!row) return unknown(name, 'variable');
    given.push({ flag: row.flag, text: value, spelling: name });
  }
  for (const [name, value] of Object.entries(sources.file ?? {})) {
    if (!known.has(name)) return unknown(name, 'setting of the config file');
    given.push({ flag: name, text: String(value), spelling: `${name} of the config file` });
  }
  return success(given);
}

/**
 * Resolves all settings: a flag wins over a variable, a variable over the config file. The first unknown name or bad
 * value is the error.
 */
export function resolveSettings(sources: SettingSources): Result<Settings, SettingError> {
  const gathered = gather(sources);
  if (!gathered.ok) return gathered;
  const values: Partial<Record<keyof Settings, Value>> = {};
  for (const row of settingsTable) {
    const given = gathered.value.find((one) => one.flag === row.flag);
    if (!given) {
      values[row.name] = row.otherwise(String(values.dataDir));
      continue;
    }
    const parsed = row.parse(given.text);
    if (!parsed.ok) return failure({ setting: row.flag, message: `Setting ${given.spelling} ${parsed.error}` });
    values[row.name] = parsed.value;
  }
  // Safe: the table has a row for each setting, whose parser and default give its type; a test walks it.
  return success(values as unknown as Settings);
}
