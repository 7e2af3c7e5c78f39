import { host, str, u16 } from './kinds.ts';
import { defineVariables } from './variable.ts';

/** Spec: MOD-VAR-email.*. */
export const emailVariables = defineVariables([
  {
    name: 'email.name_address',
    shortcut: 'em n',
    kind: str(128),
    default: '',
    evidence: 'documented',
    help: 'Sender of mail: an address, or a name with the address in angle brackets',
  },
  {
    name: 'email.smtp.host',
    shortcut: 'em s h',
    aliases: ['smtp.host'],
    kind: host,
    default: '',
    evidence: 'documented',
    help: 'Mail server',
  },
  {
    name: 'email.smtp.password',
    shortcut: 'em s w',
    aliases: ['smtp.password'],
    kind: str(64),
    default: '',
    evidence: 'documented',
    secret: true,
    help: 'Password at the mail server',
  },
  {
    name: 'email.smtp.port',
    shortcut: 'em s p',
    aliases: ['smtp.port'],
    kind: u16(),
    default: 587,
    evidence: 'documented',
    help: 'Port of the mail server',
  },
  {
    name: 'email.smtp.username',
    shortcut: 'em s u',
    aliases: ['smtp.username'],
    kind: str(64),
    default: '',
    evidence: 'documented',
    help: 'User name at the mail server',
  },
]);
