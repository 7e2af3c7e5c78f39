import { bool, interfaceOrDefault, str, u16 } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-remote_terminal.*. */
export const remoteTerminalVariables = defineVariables([
  {
    name: 'remote_terminal.enabled',
    shortcut: 're e',
    kind: bool,
    default: false,
    apply: 'net',
    evidence: 'documented',
    help: 'Listen while the interface is up',
  },
  {
    name: 'remote_terminal.interface',
    shortcut: 're i',
    kind: interfaceOrDefault,
    default: 'default',
    apply: 'net',
    evidence: 'documented',
    help: 'Interface of the terminal',
  },
  {
    name: 'remote_terminal.password',
    shortcut: 're w',
    kind: str(64),
    default: '',
    evidence: 'documented',
    secret: true,
    help: 'Password of the terminal; empty for none',
  },
  {
    name: 'remote_terminal.port',
    shortcut: 're p',
    kind: u16(1),
    default: 2000,
    apply: 'net',
    evidence: 'documented',
    help: 'TCP port of the terminal',
  },
  {
    name: 'remote_terminal.timeout',
    shortcut: 're t',
    kind: u16(),
    default: 60,
    evidence: 'documented',
    help: 'Idle seconds before a client is dropped; 0 for never',
  },
]);
