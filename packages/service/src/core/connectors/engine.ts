import { dayMs, repeat, Turns } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { ConnectorDeps } from './messages.ts';
import {
  type ConnectorView,
  changeDelivery,
  connectorById,
  type DeliveryRow,
  deleteDeliveriesBefore,
  dueConnectors,
  logOf,
  nextDeliveries,
  noteUse,
  optionsOf,
  takeDelivery,
} from './queries.ts';
import { type Outgoing, retryPauseMs } from './rules.ts';
import { defaultTimeoutMs, send } from './send.ts';

/** Between two looks for connectors that something is due for. */
const pollIntervalMs = 1_000;
/** Deliveries under way in one process; of one connector, so that a slow target does not hold up the others. */
const sendingLimit = 16;
const sendingPerConnector = 2;
/** Deliveries that are read together: as many may go before an alert that comes meanwhile. */
const readAtOnce = 16;
/** Beyond the time limit of a try, before another process may take the delivery over. */
const leaseSlackMs = 60_000;
/** What could not even be tried for so long, is not sent any more. */
const maxWaitMs = dayMs;
/** Spec: API-RULE-connector-7. */
const deliveryRetentionMs = 7 * dayMs;

/** How a try went. */
interface Tried {
  readonly status: number | null;
  readonly error: string | null;
  /** Do not try again, whatever the error. */
  readonly isLast?: boolean;
}

/** What a delivery of an event says. Reference: events 2.4. */
async function outgoingOf(
  { storage }: ConnectorDeps,
  delivery: DeliveryRow,
  connector: ConnectorView,
): Promise<Outgoing | undefined> {
  const log = delivery.log_id === null ? undefined : await logOf(storage.db, delivery.log_id);
  if (!log) return undefined;
  const { device_id: id, device_uuid: uuid, device_title: title } = delivery;
  const device = id !== null && uuid !== null && title !== null ? { id, uuid, title } : null;
  const kept: Readonly<Record<string, unknown>> = JSON.parse(log.data);
  const { devices: _, titles: __, ...own } = kept;
  // Of a change of many devices each has an event, which does not name the others.
  const data = device !== null && log.device_id === null ? own : kept;
  return {
    id: delivery.id,
    event: delivery.event,
    code: connector.code,
    device,
    product: { id: connector.product_id, product: connector.product },
    data: {
      ...data,
      ...(log.bundle_id !== null && { bundle_id: log.bundle_id }),
      message: log.message,
      level: log.level,
    },
    atMs: log.created_at,
  };
}

async function attempt(deps: ConnectorDeps, delivery: DeliveryRow, connector: ConnectorView): Promise<Tried> {
  // Only a process that died in each of its tries leaves more of them than there are.
  if (delivery.attempts > 0 && retryPauseMs(delivery.attempts) === undefined) {
    return { status: null, error: 'interrupted', isLast: true };
  }
  if (deps.clock.now() - delivery.created_at > maxWaitMs)
    return { status: null, error: 'waited too long', isLast: true };
  const outgoing = await outgoingOf(deps, delivery, connector);
  if (!outgoing) return { status: null, error: 'the log is gone', isLast: true };
  const sent = await send(deps.outbound, connector.type, optionsOf(connector), outgoing);
  return sent.ok ? { status: sent.value.status, error: null } : { status: sent.error.status, error: sent.error.text };
}

/** Records how a try went: the end of the delivery, or when it is tried again. Spec: API-RULE-connector-5. */
async function record(
  { storage, clock }: ConnectorDeps,
  delivery: DeliveryRow,
  connector: ConnectorView,
  { status, error, isLast }: Tried,
): Promise<void> {
  const atMs = clock.now();
  const pauseMs = error === null || isLast ? undefined : retryPauseMs(delivery.attempts + 1);
  const state = error === null ? 'done' : pauseMs === undefined ? 'failed' : 'waiting';
  const ended = state !== 'waiting';
  await storage.transaction(async (trx) => {
    await changeDelivery(trx, delivery.id, {
      state,
      due_at: pauseMs === undefined ? null : atMs + pauseMs,
      status,
      error,
      finished_at: ended ? atMs : null,
    });
    await noteUse(trx, connector.id, atMs, error);
    if (state !== 'failed') return;
    await writeLog(trx, {
      type: 'connector.error',
      level: 'error',
      message: `Connector ${connector.code} could not deliver ${delivery.event}: ${error}`,
      atMs,
      productId: connector.product_id,
      deviceId: delivery.device_id,
      data: { connector_id: connector.id, code: connector.code, delivery_id: delivery.id },
    });
  });
}

/** Takes what a connector sends next. Undefined when nothing is due, or the connector has been deleted. */
function takerOf(deps: ConnectorDeps, connectorId: string) {
  const turns = new Turns();
  let read: DeliveryRow[] = [];
  const next = async () => {
    const { db } = deps.storage;
    for (;;) {
      if (read.length === 0) read = await nextDeliveries(db, connectorId, deps.clock.now(), readAtOnce);
      const [delivery, ...rest] = read;
      read = rest;
      const connector = delivery && (await connectorById(db, connectorId));
      if (!connector) return undefined;
      const timeoutMs = optionsOf(connector).timeout_ms ?? defaultTimeoutMs;
      // Another process may have been faster.
      if (await takeDelivery(db, delivery, deps.clock.now() + timeoutMs + leaseSlackMs)) return { delivery, connector };
    }
  };
  return () => turns.run(next);
}

/**
 * Delivers what is queued, in this process; several processes share one queue. Of each connector the next delivery begins
 * when one ends, a few at a time. What is queued outlives all processes: a try that ended with its process is made again
 * when its lease is over. The returned function stops taking deliveries, and waits for those under way.
 */
export function startDeliveries(deps: ConnectorDeps): () => Promise<void> {
  const { clock, log, storage } = deps;
  const sending = new Turns(sendingLimit);
  const connectors = new Map<string, { readonly take: ReturnType<typeof takerOf>; lanes: number }>();
  const underWay = new Set<Promise<void>>();
  let isOver = false;

  /** Sends one delivery. False when nothing is due. */
  async function sendNext(take: ReturnType<typeof takerOf>): Promise<boolean> {
    const taken = isOver ? undefined : await take();
    if (taken)
      await record(deps, taken.delivery, taken.connector, await attempt(deps, taken.delivery, taken.connector));
    return taken !== undefined;
  }

  /** Sends what is due for a connector until nothing is. */
  async function sendAll(connectorId: string): Promise<void> {
    const connector = connectors.get(connectorId) ?? { take: takerOf(deps, connectorId), lanes: 0 };
    if (connector.lanes >= sendingPerConnector) return;
    connectors.set(connectorId, connector);
    connector.lanes++;
    try {
      while (await sending.run(() => sendNext(connector.take)));
    } catch (error) {
      log.error({ err: error, connector: connectorId }, 'A delivery could not be made');
    }
    if (--connector.lanes === 0) connectors.delete(connectorId);
  }

  const onError = (error: unknown) => log.error({ err: error }, 'The queue of deliveries could not be read');
  const stopLooking = repeat({ clock, pauseMs: pollIntervalMs, onError }, async () => {
    const full = [...connectors].filter(([, { lanes }]) => lanes >= sendingPerConnector).map(([id]) => id);
    for (const id of await dueConnectors(storage.db, clock.now(), full)) {
      for (let lane = 0; lane < sendingPerConnector; lane++) {
        const ended = sendAll(id).finally(() => underWay.delete(ended));
        underWay.add(ended);
      }
    }
  });
  return async () => {
    isOver = true;
    await stopLooking();
    await Promise.all(underWay);
  };
}

/** Removes the deliveries that ended longer ago than they are kept. */
export async function removeOldDeliveries({ storage, clock }: Pick<ConnectorDeps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - deliveryRetentionMs;
  await removeInBatches(storage, (trx, rows) => deleteDeliveriesBefore(trx, beforeMs, rows));
}
