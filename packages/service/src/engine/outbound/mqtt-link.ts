import type { CancelTimer, Clock } from '@moorage/base';
import { MqttClient } from 'mqtt';
import { dial, outboundError } from './mqtt.ts';
import type { MqttLink, MqttLinkEvents, MqttLinkOptions } from './ports.ts';
import { TargetNotAllowed, type Targets } from './targets.ts';

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
