import type { Clock } from '@moorage/base';
import { sendHttp } from './http.ts';
import { sendMail } from './mail.ts';
import { publish } from './mqtt.ts';
import { linkMqtt } from './mqtt-link.ts';
import type { MailServer, Outbound } from './ports.ts';
import { Targets } from './targets.ts';

/**
 * The one way out of the machine: public addresses, and the networks in `allowed` (CIDR texts). Every address is
 * judged where it is dialled; the mail server is the operator's own choice. Spec: API-RULE-connector-3.
 */
export function openOutbound(allowed: readonly string[], clock: Clock, mailServer: MailServer = {}): Outbound {
  const targets = new Targets(allowed);
  return {
    refusedHost: (url) => targets.refusedHost(url),
    sendHttp: (message) => sendHttp(targets, clock, message),
    publish: (message) => publish(targets, clock, message),
    linkMqtt: (link, events) => linkMqtt(targets, clock, link, events),
    sendMail: (message) => sendMail(mailServer, clock, message),
  };
}
