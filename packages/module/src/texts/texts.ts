import type { Evidence } from '../interpreter/command.ts';

/** A printed text with `{blanks}`, and how sure it is. */
export interface Text {
  readonly text: string;
  readonly evidence: Evidence;
}

const seen = (text: string): Text => ({ text, evidence: 'seen' });
const inferred = (text: string): Text => ({ text, evidence: 'inferred' });
const proposed = (text: string): Text => ({ text, evidence: 'proposed' });
const documented = (text: string): Text => ({ text, evidence: 'documented' });
const spec = (text: string): Text => ({ text, evidence: 'spec' });

/**
 * Every text that the module prints, by key. A personality file may change any of them, so that software which looks
 * for the words of another firmware finds them. Reference: line 3.2, 3.3, 4.1, 4.3.
 */
export const neutralTexts = {
  // Session.
  prompt: seen('> '),
  safeModePrompt: seen('SAFEMODE> '),

  // Responses.
  success: spec('Success'),
  setOk: seen('Set OK'),
  commandFailed: spec('Command failed'),
  parseError: inferred('Parse error'),
  unknownCommand: seen('Unknown command'),
  tooFewArguments: inferred('Too few arguments'),
  tooManyArguments: inferred('Too many arguments'),
  unknownVariable: inferred('Unknown variable'),
  invalidArgument: spec('Invalid argument'),
  overflow: inferred('Overflow'),
  boundsError: inferred('Bounds error'),

  // Help.
  usage: proposed('Usage: {syntax}'),
  example: proposed('Example: {line}'),

  // System.
  versionLine: seen('{name}-{version}, Built:{built} for {module}, Board:{board}'),
  rebooting: seen('Rebooting'),
  faultRow: documented('{index}: {name}, uhandle:00 bhandle:00'),
  forcingSafeMode: documented('Forcing safemode...'),
  noStreamMode: proposed('Stream mode not operational'),
  webSetupStarted: seen('Web setup started'),
  setupNested: proposed('Setup cannot run setup'),
  setupNoCommand: proposed('No setup command'),
  scriptLineFailed: proposed('Line {line} of {name} failed'),
  settingDropped: proposed('Saved value of {name} is not valid and was dropped'),
  settingsDamaged: proposed('Saved settings are damaged and were dropped'),
  pinTaken: proposed('GPIO {pin} in use by {owner}'),
  variableLocked: proposed('{name} cannot be changed now'),

  // Pins.
  gpioNotOutput: spec('GPIO not configured for output'),
  gpioNotConfigured: proposed('GPIO not configured'),
  gpioCount: spec('Must supply {count} gpios'),
  noDac: proposed('No DAC'),
  tableMalformed: proposed('Look-up table malformed'),

  // Files.
  listHead: seen('!  #   Size   Version  Filename'),
  listVerboseHead: seen('!  # Type  Flags  Hnd    Size    Version  Filename'),
  fileCreated: seen('File created'),
  fileDeleted: seen('File deleted'),
  fileMissing: proposed('File not found'),
  fileExists: proposed('File exists'),
  fileProtected: proposed('File protected'),
  fileCrcMismatch: proposed('File CRC mismatch'),
  fileIncomplete: proposed('File incomplete'),
  fileTooLong: proposed('More data than the size of the file'),
  fileTooLarge: proposed('File too large'),
  flashFull: proposed('Not enough space'),
  tooManyFiles: proposed('Too many files'),
  noBulkFlash: proposed('No bulk flash'),

  // Streams.
  streamListHead: seen('! # Type  Info'),
  tooManyConnections: proposed('Too many connections: {count} are open'),
  closing: seen('Closing: {handle}'),
  none: seen('None'),
  noFreeStream: proposed('No free stream'),
  unknownStream: proposed('No such stream'),
  streamNotReadable: proposed('Stream cannot be read'),
  streamNotWritable: proposed('Stream cannot be written'),
  streamWriteFailed: proposed('Stream write failed'),
  streamWriteCut: proposed('{taken} of {size} bytes written'),
  responseCut: proposed('Response incomplete'),
  datagramTooLarge: proposed('More data than a datagram holds'),
  openRefused: proposed('Connection refused'),
  openUnreachable: proposed('Host unreachable'),
  openTimedOut: proposed('Connection timed out'),
  openPortTaken: proposed('Local port in use'),
  openNotPermitted: proposed('Not permitted'),
  openReset: proposed('Connection reset'),
  openLinkLost: proposed('Network lost'),
  connectingTcp: inferred('Connecting (TCP): {host}:{port}'),
  connectingTls: proposed('Connecting (TLS): {host}:{port}'),
  tcpListening: inferred('TCP server listening on port: {port}'),
  tlsListening: proposed('TLS server listening on port: {port}'),
  udpListening: proposed('UDP server listening on port: {port}'),
  serverRunning: proposed('Server running already'),
  serverNotRunning: proposed('Server not running'),
  tooManyClients: proposed('Too many clients'),
  noCertificate: proposed('No certificate and key'),

  // Network.
  inProgress: seen('In progress'),
  ssidNotSet: inferred('SSID not set'),
  securityFromProbe: seen('Security type from probe: {security}'),
  obtainingAddress: seen('Obtaining IPv4 address via DHCP'),
  addressObtained: seen('IPv4 address: {ip}'),
  scanning: inferred('Scanning for networks...'),
  scanCount: seen('! {count} networks found'),
  scanHead: seen('!  # Ch RSSI MAC (BSSID)       Network (SSID)'),
  scanVerboseHead: proposed('!  # Ch RSSI MAC (BSSID)        Rate Security   --- Ln Network (SSID)'),
  scanStarted: inferred('Scanning...'),
  radioBusy: proposed('Radio busy'),
  notAssociated: proposed('Not associated'),
  hostNotFound: proposed('Host not found: {host}'),
  pingReply: inferred('Ping reply in {ms}ms'),
  pingFailed: proposed('Ping failed'),
  wpsStarted: proposed('Waiting for WPS'),
  wpsOverlap: proposed('More than one WPS network'),
  wpsFailed: proposed('WPS failed'),
  wpsReceived: proposed('WPS credentials received: {ssid}'),
  askNetwork: seen('Type the number # of the network to join: '),
  askPasskey: inferred('Type the network password: '),
  savingCredentials: inferred('Saving network credentials'),

  // HTTP client; the letter case differs as in captures. Reference: line 4.2.
  httpRequest: documented('Request {method} {path}'),
  connectingHttp: documented('Connecting (HTTP): {host}:{port}'),
  connectingHttps: documented('Connecting (https): {host}:{port}'),
  startingTls: documented('Starting TLS'),
  tlsFailed: documented('Error with TLS handshake: {error}'),
  httpResponse: documented('HTTP response: {status}'),
  chunkedResponse: documented('Chunked response'),
  noHttpResponse: proposed('No HTTP response'),
  notHttpStream: proposed('No HTTP stream'),
  requestSent: proposed('Request has been sent'),
  headerMalformed: proposed('Header malformed'),
  headersTooLarge: proposed('Headers too large'),
  certificateMalformed: proposed('Certificate malformed'),
  downloadCut: proposed('Download incomplete'),
  fileDownloaded: proposed('File downloaded'),
  manifestMalformed: proposed('Manifest malformed'),

  // Mail; `{text}` is what the server has answered.
  mailAnswer: proposed('{text}'),
  mailTimedOut: proposed('No end in {ms} ms'),
  mailMalformed: proposed('Answer of the server malformed'),
  mailUnwritten: proposed('Attachment not readable'),
  connectingSmtp: inferred('Connecting (SMTP): {host}:{port}'),
  mailNotConfigured: proposed('{name} not set'),
  mailRefused: proposed('Mail refused: {reason}'),
  mailFailed: proposed('Mail not sent: {reason}'),
  mailSent: proposed('Mail sent'),

  // HTTP server.
  httpApiListening: seen('HTTP and REST API server listening on port: {port}'),
  httpListening: inferred('HTTP server listening on port: {port}'),
  httpsApiListening: proposed('HTTPS and REST API server listening on port: {port}'),
  httpsListening: proposed('HTTPS server listening on port: {port}'),
  httpServerError: proposed('HTTP server error: {detail}'),

  storageFull: proposed('Storage full'),
  storageFailed: proposed('Storage failed'),
  internalError: proposed('Internal error'),
  webSocketUnread: proposed('Web socket data not read'),

  // Services on the network.
  startingMdns: seen('Starting mDNS'),
  mdnsDomain: seen('mDNS domain: {name}.local'),
  mdnsOff: proposed('mDNS is off'),
  networkDown: proposed('the network is down'),
  badCertificate: proposed('"{cert}" and "{key}" are not a certificate and its key'),
  noFile: proposed('no file "{name}"'),
  serviceNotStarted: proposed('{service} not started: {detail}'),
  serviceCount: proposed('! {count} services found'),
  serviceHead: proposed('! # Name                             IP              Port'),

  // Remote terminal.
  askTerminalPassword: proposed('Password: '),
  terminalInUse: proposed('Remote terminal in use'),
  terminalFailed: proposed('Remote terminal cannot listen on port {port}'),

  // Device service.
  checkingForUpdates: proposed('Checking for updates...'),
  updatingFile: proposed('Updating {file}'),
  upToDate: proposed('Already up to date'),
  activeAlready: proposed('Activated already'),
  notActivated: proposed('Not activated'),
  activationLost: proposed('Activation has ended at the service'),
  noCapabilities: proposed('No capabilities file'),
  capabilitiesMalformed: proposed('Capabilities file malformed: {detail}'),
  capabilitiesUnknown: proposed('No such capabilities file: {name}'),
  capabilitiesHead: proposed('! # Name                             Version    Default'),
  unknownData: proposed('No such stream or control: {name}'),
  wrongValue: proposed('Value of {name} {problem}'),
  writeMalformed: proposed('Name, value or time malformed'),
  cacheTooSmall: proposed('More samples than the cache holds'),
  samplesDropped: proposed('Oldest samples dropped: {count}'),
  notPushed: proposed('Not pushed: {reason}'),
  // Of the service; `{text}` is its own sentence, or one of the device's client.
  serviceText: proposed('{text}'),
  serviceRefused: proposed('Refused by the service'),
  fieldRefused: proposed('Refused by the service: {field}'),
  noSignUp: proposed('Sign up is no longer supported from devices'),
  messageListHead: proposed('! # ID  Timestamp  Length'),
  noMessage: proposed('No such message'),
  messageNotText: proposed('Message is no UTF-8 text'),
  messageNotPosted: proposed('Message not posted'),
  productsHead: proposed('! # Product                          Version    Title'),
  cloudFilesHead: proposed('! #     Size  CRC Updated              Path'),
} as const satisfies Readonly<Record<string, Text>>;

/** A key of the table of texts. */
export type TextKey = keyof typeof neutralTexts;

/** A text of the table with its blanks filled: what a reason is said with, so that no foreign words get into the log. */
export type Phrase = readonly [key: TextKey, blanks?: Blanks];

/** Values for the `{blanks}` of a text. */
export interface Blanks {
  readonly [name: string]: string | number | Phrase;
  readonly detail?: Phrase;
  readonly reason?: Phrase;
}

/** What the parts of a module print with: a personality's texts, filled in. */
export interface Texts {
  text(key: TextKey, blanks?: Blanks): string;
}
