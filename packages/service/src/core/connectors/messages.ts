import { randomUUID } from 'node:crypto';
import { spellings } from '@moorage/api';
import { failure, type Result, success } from '@moorage/base';
import { writeLog } from '../../engine/db/logs.ts';
import type { Deps } from '../../engine/http/types.ts';
import type { Outbound } from '../../engine/outbound/ports.ts';
import { type ConnectorView, connectorByCode, insertDelivery, noteUse, optionsOf } from './queries.ts';
import { answerData, type Outgoing } from './rules.ts';
import { type SendFailure, send, type Taken } from './send.ts';

export type ConnectorDeps = Pick<Deps, 'storage' | 'clock' | 'log'> & { readonly outbound: Outbound };

/** Sends something once and at once, and records it as a delivery that has ended. */
export async function sendNow(
  { storage, clock, outbound }: ConnectorDeps,
  connector: ConnectorView,
  outgoing: Outgoing,
): Promise<Result<Taken, SendFailure>> {
  const sent = await send(outbound, connector.type, optionsOf(connector), outgoing);
  const atMs = clock.now();
  const error = sent.ok ? null : sent.error.text;
  const { id: connectorId, product_id: productId, code } = connector;
  const deviceId = outgoing.device?.id ?? null;
  await storage.transaction(async (trx) => {
    // It may have been deleted meanwhile: then nothing is left to record on.
    if (!(await connectorByCode(trx, productId, code))) return;
    await insertDelivery(trx, {
      id: outgoing.id,
      connector_id: connectorId,
      event: outgoing.event,
      log_id: null,
      device_id: deviceId,
      state: sent.ok ? 'done' : 'failed',
      attempts: 1,
      due_at: null,
      status: sent.ok ? sent.value.status : sent.error.status,
      error,
      created_at: outgoing.atMs,
      finished_at: atMs,
    });
    await noteUse(trx, connectorId, atMs, error);
    const row = { atMs, productId, deviceId, data: { connector_id: connectorId, code } };
    if (error === null && outgoing.device) {
      await writeLog(trx, { ...row, type: 'device.message', message: `Message sent through connector ${code}` });
    }
    if (error !== null) {
      const message = `Connector ${code} failed: ${error}`;
      await writeLog(trx, { ...row, type: 'connector.error', level: 'error', message });
    }
  });
  return sent;
}

/** Longest message of a device, as JSON. */
const messageLimitBytes = 256 * 1024;

/**
 * Sends data of a device through the connector that its product has under `code`, without retries: the device waits
 * for the answer. The error is a text for the device. Reference: channel 2.2, events 2.3. Spec: API-RULE-connector-6.
 */
export async function sendThroughConnector(
  deps: ConnectorDeps,
  productId: string,
  code: string,
  device: { readonly id: string; readonly uuid: string; readonly title: string },
  data: unknown,
): Promise<Result<unknown, string>> {
  const connector = await connectorByCode(deps.storage.db, productId, spellings.code(code));
  if (!connector) return failure('connector not found');
  if (Buffer.byteLength(JSON.stringify(data) ?? '') > messageLimitBytes) return failure('the message is too long');
  const { id, uuid, title } = device;
  const sent = await sendNow(deps, connector, {
    id: randomUUID(),
    event: 'message',
    code: connector.code,
    device: { id, uuid, title },
    product: { id: productId, product: connector.product },
    data,
    atMs: deps.clock.now(),
  });
  if (!sent.ok) return failure(sent.error.text);
  return sent.value.status === null ? success(null) : answerData(sent.value.status, sent.value.body);
}
