/**
 * Where a command line comes from: `-login` where its sender has shown a password of the module, `remote` is the service,
 * `script` the module itself, whose output goes to the log.
 */
export type Origin = 'serial' | 'terminal' | 'terminal-login' | 'http' | 'http-login' | 'remote' | 'script';

/**
 * Who is shown passwords and keys, in every way of reading them: the host on the serial line, and who has logged in. The
 * log, the service and an open network are not. Reference: variables 1.8.
 */
export const seesSecrets: Readonly<Record<Origin, boolean>> = {
  serial: true,
  terminal: false,
  'terminal-login': true,
  http: false,
  'http-login': true,
  remote: false,
  script: false,
};
