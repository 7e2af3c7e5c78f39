// Files that make the service one of systemd's, as texts.

/** Whose service it is: the machine's, as a user of its own, or that of the user who installs it. */
export type Scope = 'system' | 'user';

export interface Unit {
  readonly scope: Scope;
  /** The Node that runs it, and the program: absolute paths. */
  readonly node: string;
  readonly program: string;
  readonly dataDir: string;
  readonly environmentFile: string;
  /** It listens on a port below 1024. */
  readonly lowPort: boolean;
}

/** The user of a system service, and the name of its folder in /var/lib. */
export const serviceName = 'moorage';
export const unitName = `${serviceName}.service`;

/** A word of a command in a unit: spaces, quotes, specifiers and variables stand for themselves. */
const unitWord = (text: string): string => {
  const escaped = text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /[\s;"'\\]/.test(text) ? `"${escaped}"` : escaped;
};

/** A path where a unit takes a single one: only specifiers are read there. */
const unitPath = (text: string): string => text.replaceAll('%', '%%');

/** What takes rights away and works for a user's own units, too. Not MemoryDenyWriteExecute: Node compiles while it runs. */
const everywhere = [
  'UMask=0077',
  'NoNewPrivileges=yes',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'RestrictNamespaces=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
];

/**
 * What only the manager of the system may do: another view of files, devices and the kernel. Not ProtectProc and ProcSubset:
 * whether another service has the data folder is read from /proc.
 */
const systemAlone = [
  'ProtectSystem=strict',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'PrivateDevices=yes',
  'PrivateTmp=yes',
  'RemoveIPC=yes',
];

const isIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isAtHome = (path: string): boolean => ['/home', '/root', '/run/user'].some((folder) => isIn(path, folder));

/**
 * Objects die young here: with more room for them V8 takes 100 MiB more under load, and does no less work. The image says the
 * same.
 */
const nodeFlag = '--max-semi-space-size=16';

/** The lines that keep a system service to its own things. */
function systemLines({ node, program, dataDir, lowPort }: Unit): string[] {
  const own = `/var/lib/${serviceName}`;
  return [
    `User=${serviceName}`,
    `Group=${serviceName}`,
    ...(dataDir === own
      ? [`StateDirectory=${serviceName}`, 'StateDirectoryMode=0700']
      : [`ReadWritePaths=${unitWord(dataDir)}`]),
    `ProtectHome=${[node, program, dataDir].some(isAtHome) ? 'read-only' : 'yes'}`,
    ...systemAlone,
    // Users of its own would hide the right to a low port.
    ...(lowPort
      ? ['CapabilityBoundingSet=CAP_NET_BIND_SERVICE', 'AmbientCapabilities=CAP_NET_BIND_SERVICE']
      : ['CapabilityBoundingSet=', 'AmbientCapabilities=', 'PrivateUsers=yes']),
  ];
}

/** The unit file. */
export function unitText(unit: Unit): string {
  const { scope, node, program, dataDir, environmentFile } = unit;
  const lines = [
    '[Unit]',
    'Description=Moorage, a home for connected devices',
    ...(scope === 'system' ? ['Wants=network-online.target', 'After=network-online.target postgresql.service'] : []),
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${unitWord(node)} ${nodeFlag} ${unitWord(program)} serve`,
    // Certificates and what else may change while it runs.
    'ExecReload=kill -HUP $MAINPID',
    `EnvironmentFile=${unitPath(environmentFile)}`,
    `WorkingDirectory=${unitPath(dataDir)}`,
    'Restart=on-failure',
    'RestartSec=2',
    // An orderly stop takes 5 seconds at most; then the process ends by itself.
    'TimeoutStopSec=10',
    // Each device holds a connection.
    'LimitNOFILE=1048576',
    '',
    ...everywhere,
    ...(scope === 'system' ? systemLines(unit) : []),
    '',
    '[Install]',
    `WantedBy=${scope === 'system' ? 'multi-user.target' : 'default.target'}`,
    '',
  ];
  return lines.join('\n');
}

/** The user of a system service, for systemd-sysusers. */
export const sysusersText = (dataDir: string): string =>
  `u ${serviceName} - "Moorage service" "${dataDir.replace(/["\\]/g, '\\$&')}"\n`;

/** A value as the environment file of a unit has it. */
const environmentValue = (value: string): string =>
  /^[\w@%+=:,./-]*$/.test(value) ? value : `"${value.replace(/["\\$`]/g, '\\$&')}"`;

/**
 * The other way to give what a variable gives: by itself, or in a file that it names. Only one of the two may be there.
 */
export const otherWay = (variable: string): string =>
  variable.endsWith('_FILE') ? variable.replace(/_FILE$/, '') : `${variable}_FILE`;

/**
 * The environment file with these variables; lines of the file that was there stay, but for those of variables that are
 * given anew.
 */
export function environmentText(variables: Readonly<Record<string, string>>, before = ''): string {
  const kept = before.split('\n').filter((line) => {
    const name = /^\s*(\w+)\s*=/.exec(line)?.[1];
    return line !== '' && (name === undefined || !(name in variables || otherWay(name) in variables));
  });
  const given = Object.entries(variables).map(([name, value]) => `${name}=${environmentValue(value)}`);
  return `${[...kept, ...given].join('\n')}\n`;
}
