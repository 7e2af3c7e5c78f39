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
 * for the words of another firmware finds them. Reference: module-commands 1.4, 1.5, 2, 8.
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

  // System.
  versionLine: seen('{name}-{version}, Built:{built} for {module}, Board:{board}'),
  rebooting: seen('Rebooting'),
  faultRow: documented('{index}: {name}, uhandle:00 bhandle:00'),
  forcingSafeMode: documented('Forcing safemode...'),
  noStreamMode: proposed('Stream mode not operational'),
  noWebSetup: proposed('Web setup not available'),
  setupNested: proposed('Setup cannot run setup'),
  setupNoCommand: proposed('No setup command'),
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
  fileNotWritten: proposed('File not written'),
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
  closing: seen('Closing: {handle}'),
  none: seen('None'),
  noFreeStream: proposed('No free stream'),
  unknownStream: proposed('No such stream'),
  streamNotReadable: proposed('Stream cannot be read'),
  streamNotWritable: proposed('Stream cannot be written'),
  streamWriteFailed: proposed('Stream write failed'),

  // Network.
  inProgress: seen('In progress'),
  ssidNotSet: inferred('SSID not set'),
  securityFromProbe: seen('Security type from probe: {security}'),
  obtainingAddress: seen('Obtaining IPv4 address via DHCP'),
  addressObtained: seen('IPv4 address: {ip}'),
  scanning: inferred('Scanning for networks...'),
  scanCount: seen('! {count} networks found'),
  scanHead: seen('!  # Ch RSSI MAC (BSSID)       Network (SSID)'),
  askNetwork: seen('Type the number # of the network to join: '),
  askPasskey: inferred('Type the network password: '),
  savingCredentials: inferred('Saving network credentials'),

  // Device service.
  checkingForUpdates: proposed('Checking for updates...'),
  updatingFile: proposed('Updating {file}'),
  upToDate: proposed('Already up to date'),
  productsHead: proposed('! # Product                          Version    Title'),
} as const satisfies Readonly<Record<string, Text>>;

/** A key of the table of texts. */
export type TextKey = keyof typeof neutralTexts;
