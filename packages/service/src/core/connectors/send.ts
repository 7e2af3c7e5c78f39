import type { ConnectorOptions, ConnectorType, MqttOptions, WebhookOptions } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import type { Outbound, OutboundError } from '../../engine/outbound/ports.ts';
import { bodyOf, type Outgoing, signatureOf, topicOf } from './rules.ts';

/** How a target took something: an MQTT broker has neither status nor body. */
export interface Taken {
  readonly status: number | null;
  readonly body: string;
}

export const defaultTimeoutMs = 10_000;
const defaultTopic = 'moorage/{product}/{device}/{event}';

/** A failed try, for people. The target's own words are not repeated: they could come from anywhere. */
export interface SendFailure {
  readonly error: OutboundError;
  readonly status: number | null;
  readonly text: string;
}

/** A failed try in words. */
export const describe = (error: OutboundError, timeoutMs: number): string => {
  if (error.kind === 'timed_out') return `no answer within ${timeoutMs} ms`;
  return error.kind === 'not_allowed' ? `host "${error.host}" is inside the network of the service` : error.detail;
};

async function sendWebhook(
  outbound: Outbound,
  opts: WebhookOptions,
  outgoing: Outgoing,
): Promise<Result<Taken, OutboundError>> {
  const body = bodyOf(outgoing);
  return outbound.sendHttp({
    url: opts.url,
    method: opts.method ?? 'POST',
    headers: {
      ...opts.headers,
      'content-type': 'application/json',
      ...(outgoing.device && { 'X-Device-UUID': outgoing.device.uuid }),
      // API-RULE-connector-4
      ...(opts.secret && { 'X-Signature': signatureOf(body, opts.secret) }),
    },
    body,
    timeoutMs: opts.timeout_ms ?? defaultTimeoutMs,
  });
}

async function sendMqtt(
  outbound: Outbound,
  opts: MqttOptions,
  outgoing: Outgoing,
): Promise<Result<Taken, OutboundError>> {
  const { url, username, password, ca, qos } = opts;
  const sent = await outbound.publish({
    url,
    username,
    password,
    ca,
    topic: topicOf(opts.topic ?? defaultTopic, outgoing),
    payload: bodyOf(outgoing),
    // Safe: the schema of the options holds it between 0 and 2.
    qos: (qos ?? 0) as 0 | 1 | 2,
    timeoutMs: opts.timeout_ms ?? defaultTimeoutMs,
  });
  return sent.ok ? success({ status: null, body: '' }) : sent;
}

/** Sends one thing through a connector, once. Whatever is not a 2xx is a failure, redirects too. */
export async function send(
  outbound: Outbound,
  type: ConnectorType,
  opts: ConnectorOptions,
  outgoing: Outgoing,
): Promise<Result<Taken, SendFailure>> {
  const taken =
    type === 'mqtt'
      ? await sendMqtt(outbound, opts as MqttOptions, outgoing) // Safe: options are stored with their type.
      : await sendWebhook(outbound, opts as WebhookOptions, outgoing);
  if (!taken.ok) {
    const text = describe(taken.error, opts.timeout_ms ?? defaultTimeoutMs);
    return failure({ error: taken.error, status: null, text });
  }
  const { status } = taken.value;
  if (status === null || (status >= 200 && status <= 299)) return taken;
  const text = `status ${status}`;
  return failure({ error: { kind: 'failed', detail: text }, status, text });
}
