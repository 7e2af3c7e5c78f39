/** The option `-i` of every command that uses the network. Reference: line 1.2. */
export const interfaceOption = {
  kind: 'value',
  flag: '-i',
  value: { kind: 'choice', choices: ['wlan', 'softap'], help: 'interface' },
  help: 'interface; network.default_interface without it',
} as const;
