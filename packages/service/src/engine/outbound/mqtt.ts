import net from 'node:net';
import tls from 'node:tls';
import { type CancelTimer, type Clock, failure, type Result, success } from '@moorage/base';
import { MqttClient } from 'mqtt';
import type { MqttLink, MqttLinkEvents, MqttLinkOptions, MqttMessage, OutboundError } from './ports.ts';
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

/** Publishes one message on a new connection. */
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

/** From the end of a connection to the next one, in ms. */
const reconnectMs = 10_000;
/** Longer messages of others are not read, in bytes. */
const messageLimitBytes = 1_024;
/** How long an orderly end may take, in ms. */
const goodbyeMs = 1_000;

/** Opens a connection to a broker, and again whenever it ends. */
export function linkMqtt(targets: Targets, clock: Clock, options: MqttLinkOptions, events: MqttLinkEvents): MqttLink {
  const { url, username, password, will, timeoutMs } = options;
  let client: MqttClient | undefined;
  let closed = false;
  let cancel: CancelTimer = () => {};

  function connect(): void {
    let failed = false;
    const fail = (error: Error): void => {
      if (!failed && !closed) events.failed(outboundError(error));
      failed = true;
    };
    const refused = targets.refusedHost(url);
    if (refused !== undefined) {
      fail(new TargetNotAllowed(refused));
      return;
    }
    const made = new MqttClient(() => dial(targets, options).on('error', fail), {
      reconnectPeriod: 0,
      connectTimeout: timeoutMs,
      ...(will && { will: { ...will, payload: Buffer.from(will.payload), qos: 1, retain: true } }),
      ...(username && { username }),
      ...(password && { password }),
    });
    client = made;
    made.on('connect', () => events.connected());
    made.on('message', (topic, payload, { retain }) => {
      if (payload.length <= messageLimitBytes) events.message(topic, payload.toString(), retain);
    });
    made.on('error', fail);
    made.on('close', () => {
      if (client !== made) return;
      client = undefined;
      made.end(true);
      if (closed) return;
      fail(new Error('the broker closed the connection'));
      cancel = clock.after(reconnectMs, connect);
    });
  }

  /** Asks the broker for something; false without an answer in time. */
  const ask = (request: (to: MqttClient, done: (error?: Error | null) => void) => void): Promise<boolean> =>
    new Promise((resolve) => {
      if (!client?.connected) return resolve(false);
      const giveUp = clock.after(timeoutMs, () => resolve(false));
      request(client, (error) => {
        giveUp();
        resolve(!error);
      });
    });

  connect();
  return {
    get isConnected() {
      return client?.connected ?? false;
    },
    retain: (topic, payload) =>
      ask((to, done) => void to.publish(topic, payload, { qos: 1, retain: true }, (error) => done(error))),
    subscribe: (filters) => ask((to, done) => void to.subscribe([...filters], { qos: 1 }, (error) => done(error))),
    close() {
      closed = true;
      cancel();
      const made = client;
      client = undefined;
      return made ? endInOrder(made, clock) : Promise.resolve();
    },
  };
}

/** Says goodbye, for as long as that may take. */
const endInOrder = (client: MqttClient, clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    const giveUp = clock.after(goodbyeMs, () => {
      client.end(true);
      resolve();
    });
    client.end(false, {}, () => {
      giveUp();
      resolve();
    });
  });
