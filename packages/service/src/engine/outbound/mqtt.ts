import net from 'node:net';
import tls from 'node:tls';
import { type Clock, failure, type Result, success } from '@moorage/base';
import { MqttClient } from 'mqtt';
import type { MqttMessage, OutboundError } from './ports.ts';
import { hostOf, TargetNotAllowed, type Targets } from './targets.ts';

const plainPort = 1883;
const tlsPort = 8883;

/** A connection to the broker whose address has been judged. */
export function dial(targets: Targets, { url, ca }: Pick<MqttMessage, 'url' | 'ca'>): net.Socket {
  const { protocol, port } = new URL(url);
  const host = hostOf(url);
  const { lookup } = targets;
  if (protocol === 'mqtt:') return net.connect({ host, port: Number(port || plainPort), lookup });
  const servername = net.isIP(host) ? '' : host;
  return tls.connect({ host, port: Number(port || tlsPort), lookup, servername, ...(ca && { ca }) });
}

/** What an error of a connection means. */
export const outboundError = (error: Error & { code?: unknown }): OutboundError =>
  error instanceof TargetNotAllowed
    ? { kind: 'not_allowed', host: error.host }
    : { kind: 'failed', detail: typeof error.code === 'string' ? error.code : error.message };

/** Publishes one message on a connection of its own. */
export const publish = (
  targets: Targets,
  clock: Clock,
  message: MqttMessage,
): Promise<Result<undefined, OutboundError>> =>
  new Promise((resolve) => {
    const host = targets.refusedHost(message.url);
    if (host !== undefined) return resolve(failure({ kind: 'not_allowed', host }));
    const { username, password, timeoutMs, topic, payload, qos } = message;
    // The client keeps to itself why its connection could not be made.
    const connect = () => dial(targets, message).on('error', fail);
    const client = new MqttClient(connect, {
      // One try: when to try again is the queue's to say.
      reconnectPeriod: 0,
      // The time limit below comes first, and covers all of it.
      connectTimeout: 2 * timeoutMs,
      ...(username && { username }),
      ...(password && { password }),
    });
    const settle = (outcome: Result<undefined, OutboundError>) => {
      cancel();
      resolve(outcome);
      client.end(!outcome.ok);
    };
    function fail(error: Error & { code?: unknown }): void {
      settle(failure(outboundError(error)));
    }
    const cancel = clock.after(timeoutMs, () => settle(failure({ kind: 'timed_out' })));
    client.on('error', fail);
    client.on('close', () => settle(failure({ kind: 'failed', detail: 'the broker closed the connection' })));
    client.on('connect', () =>
      client.publish(topic, payload, { qos }, (error) => (error ? fail(error) : settle(success(undefined)))),
    );
  });
