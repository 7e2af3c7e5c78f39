import { dayMs, repeat } from '@moorage/base';
import { removeInBatches } from '../../engine/db/batches.ts';
import { writeLog } from '../../engine/db/logs.ts';
import type { ConnectorDeps } from './messages.ts';
import {
  type ConnectorView,
  changeDelivery,
  connectorById,
  type DeliveryRow,
  deleteDeliveriesBefore,
  dueDeliveries,
  noteUse,
  optionsOf,
  subjectOf,
  takeDelivery,
} from './queries.ts';
import { type Outgoing, retryPauseMs } from './rules.ts';
import { defaultTimeoutMs, send } from './send.ts';

/** Between two looks into the queue. */
const pollIntervalMs = 1_000;
/** Deliveries under way in one process; of one connector, so that a slow target does not hold up the others. */
const sendingLimit = 16;
const sendingPerConnector = 2;
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
  const { log, device } = await subjectOf(storage.db, delivery);
  if (!log) return undefined;
  const kept: Readonly<Record<string, unknown>> = JSON.parse(log.data);
  const { devices: _, titles: __, ...own } = kept;
  // Of a change of many devices each has an event, which does not name the others.
  const data = device !== undefined && log.device_id === null ? own : kept;
  return {
    event: delivery.event,
    code: connector.code,
    device: device ?? null,
    product: { id: connector.product_id, product: connector.product },
    data: { ...data, message: log.message, level: log.level },
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

/** Takes one delivery, tries it and records how that went. */
async function deliver(deps: ConnectorDeps, delivery: DeliveryRow): Promise<void> {
  const connector = await connectorById(deps.storage.db, delivery.connector_id);
  if (!connector) return;
  const timeoutMs = optionsOf(connector).timeout_ms ?? defaultTimeoutMs;
  if (!(await takeDelivery(deps.storage.db, delivery, deps.clock.now() + timeoutMs + leaseSlackMs))) return;
  await record(deps, delivery, connector, await attempt(deps, delivery, connector));
}

/**
 * Delivers what is queued, in this process; several processes share one queue. What is queued outlives all of them:
 * a try that ended with its process is made again when its lease is over. The returned function stops taking deliveries,
 * and waits for those under way.
 */
export function startDeliveries(deps: ConnectorDeps): () => Promise<void> {
  const { clock, log, storage } = deps;
  const underWay = new Map<string, { readonly connectorId: string; readonly ended: Promise<void> }>();

  const countOf = (connectorId: string): number =>
    [...underWay.values()].filter((one) => one.connectorId === connectorId).length;

  function begin(delivery: DeliveryRow): void {
    const ended = deliver(deps, delivery)
      .catch((error) => log.error({ err: error, delivery: delivery.id }, 'A delivery could not be made'))
      .finally(() => underWay.delete(delivery.id));
    underWay.set(delivery.id, { connectorId: delivery.connector_id, ended });
  }

  async function look(isOver: () => boolean): Promise<void> {
    const room = sendingLimit - underWay.size;
    if (room <= 0) return;
    const connectors = new Set([...underWay.values()].map(({ connectorId }) => connectorId));
    const busy = [...connectors].filter((id) => countOf(id) >= sendingPerConnector);
    for (const delivery of await dueDeliveries(storage.db, clock.now(), busy, room)) {
      if (isOver()) return;
      if (underWay.has(delivery.id) || countOf(delivery.connector_id) >= sendingPerConnector) continue;
      begin(delivery);
    }
  }

  const onError = (error: unknown) => log.error({ err: error }, 'The queue of deliveries could not be read');
  const stopLooking = repeat({ clock, pauseMs: pollIntervalMs, onError }, look);
  return async () => {
    await stopLooking();
    await Promise.all([...underWay.values()].map(({ ended }) => ended));
  };
}

/** Removes the deliveries that ended longer ago than they are kept. */
export async function removeOldDeliveries({ storage, clock }: Pick<ConnectorDeps, 'storage' | 'clock'>): Promise<void> {
  const beforeMs = clock.now() - deliveryRetentionMs;
  await removeInBatches(storage, (trx, rows) => deleteDeliveriesBefore(trx, beforeMs, rows));
}
