/** The `-i` option that commands of the network share. Reference: module-commands 1.1. */
export const interfaceOption = {
  kind: 'value',
  flag: '-i',
  value: { kind: 'choice', choices: ['wlan', 'softap'], help: 'interface' },
  help: 'interface; network.default_interface without it',
} as const;
