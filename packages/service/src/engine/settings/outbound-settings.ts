import type { Setting } from './config.ts';
import { anyText, matching, networks } from './setting-texts.ts';

/** Where the service may call by itself. */
export interface OutboundSettings {
  /** Networks (CIDR texts) inside which connectors may call. */
  readonly connectorAllow: readonly string[];
  /** Mail server that takes the mails of alerts and accounts, with its login; no mail is sent without it. */
  readonly smtpUrl: string | undefined;
  /** Sender of mails. */
  readonly mailFrom: string;
}

export const outboundSettings: readonly Setting[] = [
  {
    name: 'connectorAllow',
    flag: 'connector-allow',
    placeholder: 'NETWORKS',
    help: 'networks that are not public and that connectors may call all the same: 10.0.0.0/8,fd00::/8',
    parse: networks,
    otherwise: () => [],
  },
  {
    name: 'smtpUrl',
    flag: 'smtp-url',
    placeholder: 'URL',
    help: 'mail server that takes the mails of alerts and accounts: smtp://[USER:PASSWORD@]HOST[:PORT], smtps://… for TLS from the first byte; no mail is sent without it',
    parse: matching(/^smtps?:\/\/([^@/\s]+@)?[^@/\s?#]+\/?$/, 'smtp://[USER:PASSWORD@]HOST[:PORT] or smtps://…'),
    secret: true,
  },
  {
    name: 'mailFrom',
    flag: 'mail-from',
    placeholder: 'ADDRESS',
    help: 'sender of mails: Moorage <moorage@hub.example>',
    default: 'Moorage <moorage@localhost>',
    parse: anyText,
  },
];
