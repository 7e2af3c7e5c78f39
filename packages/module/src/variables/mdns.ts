import { bool, csv, interfaceOrDefault } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-mdns.*. */
export const mdnsVariables = defineVariables([
  {
    name: 'mdns.enabled',
    shortcut: 'md e',
    kind: bool,
    default: false,
    apply: 'net',
    evidence: 'seen',
    help: 'Answer for the name of the module',
  },
  {
    name: 'mdns.interface',
    shortcut: 'md i',
    kind: interfaceOrDefault,
    default: 'default',
    apply: 'net',
    evidence: 'documented',
    help: 'Interface of the name services',
  },
  {
    name: 'mdns.name',
    shortcut: 'md n',
    kind: { type: 'str', min: 1, max: 63, pattern: /^(?!.*(^|\.)-)(?!.*-(\.|$))[A-Za-z0-9.-]*#?$/ },
    default: 'module-#',
    apply: 'net',
    evidence: 'spec',
    help: 'Host name, without or with .local; a final # stands for the end of the MAC address',
  },
  {
    name: 'mdns.service',
    shortcut: 'md s',
    kind: csv(/^[A-Za-z0-9._-]{1,32}$/),
    default: '',
    apply: 'net',
    evidence: 'spec',
    help: 'Service types that are announced',
  },
]);
