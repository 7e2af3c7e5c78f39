import type { Clock } from '@moorage/base';
import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import type { Db } from '../../engine/db/storage.ts';
import { durationBounds, type Traffic, type TrafficCell } from '../../engine/http/traffic.ts';
import { devicesByState, openUpdatesByState } from './queries.ts';

/** Counting 100,000 devices takes some milliseconds: it is done this often at most, however often it is requested. */
const recountMs = 60_000;

const requestSeconds = 'moorage_http_request_duration_seconds';

/** One cell in the cumulative form of the text format. */
function* samplesOf(cell: TrafficCell) {
  const labels = { listener: cell.listener, method: cell.method, route: cell.route, status: cell.status };
  let total = 0;
  for (const [at, count] of cell.counts.entries()) {
    total += count;
    yield {
      metricName: `${requestSeconds}_bucket`,
      labels: { ...labels, le: durationBounds[at] ?? '+Inf' },
      value: total,
    };
  }
  yield { metricName: `${requestSeconds}_sum`, labels, value: cell.sum };
  yield { metricName: `${requestSeconds}_count`, labels, value: total };
}

/** A histogram that reads what the servers have counted, where the library's own would count each request at a cost. */
const trafficMetric = (traffic: Traffic): Metric => {
  const metric = {
    name: requestSeconds,
    help: 'Seconds from the first byte of a request to the end of its answer; the count is the number of requests',
    type: 'histogram',
    aggregator: 'sum',
    get: async () => ({ ...metric, values: traffic.cells.flatMap((cell) => [...samplesOf(cell)]) }),
    reset: () => {},
  };
  // Safe: the registry asks a metric for its name and `get`, whose answer has the library's own form; a test reads it.
  return metric as unknown as Metric;
};

type Count = { readonly state: string; readonly count: number };

/** Gauges by state that ask the database once in a while. */
function stateGauge(registry: Registry, name: string, help: string, counts: () => Promise<readonly Count[]>): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const found = await counts().catch((): readonly Count[] => []);
      this.reset();
      for (const { state, count } of found) this.set({ state }, count);
    },
  });
}

/** The same answer again until it is old; those who ask meanwhile wait for the same one. */
function onceInAWhile<T>(clock: Clock, ask: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly answer: Promise<T> } | undefined;
  return () => {
    if (kept && clock.monotonic() - kept.atMs < recountMs) return kept.answer;
    const answer = ask();
    kept = { atMs: clock.monotonic(), answer };
    answer.catch(() => {
      kept = undefined;
    });
    return answer;
  };
}

/** What the figures are of. */
export interface FigureSources {
  readonly db: Db;
  readonly traffic: Traffic;
  readonly clock: Clock;
  readonly version: string;
  /** Whether each part of the storage replies; asked at each request for figures. */
  readonly parts: Readonly<Record<string, () => Promise<boolean>>>;
  /** Whether something is wrong though requests are answered. */
  readonly hasWarning: () => boolean;
  /** Writes of devices that were refused, by kind. */
  readonly refusedWrites: ReadonlyMap<string, number>;
  /** Message channels that are open at this process. */
  readonly channels: () => number;
}

/**
 * The text that monitors read. What is known of the process is collected from the first request on: a
 * service that is not monitored spends nothing on it. Counts that the database does not give are left out.
 */
export function openFigures(sources: FigureSources): () => Promise<string> {
  const { db, traffic, clock, version, parts } = sources;
  let registry: Registry | undefined;
  const open = (): Registry => {
    const made = new Registry();
    const registers = [made];
    collectDefaultMetrics({ register: made });
    made.registerMetric(trafficMetric(traffic));
    new Gauge({ name: 'moorage_info', help: 'Version of the service', labelNames: ['version'], registers }).set(
      { version },
      1,
    );
    new Gauge({
      name: 'moorage_part_up',
      help: '1 for a part of the storage that replies, 0 for one that does not',
      labelNames: ['part'],
      registers,
      async collect() {
        const up = await Promise.all(Object.entries(parts).map(async ([part, ask]) => [part, await ask()] as const));
        for (const [part, isUp] of up) this.set({ part }, isUp ? 1 : 0);
      },
    });
    new Gauge({
      name: 'moorage_warning',
      help: '1 when /readyz has a warning',
      registers,
      collect() {
        this.set(sources.hasWarning() ? 1 : 0);
      },
    });
    new Gauge({
      name: 'moorage_channels',
      help: 'Message channels of devices that are open at this process',
      registers,
      collect() {
        this.set(sources.channels());
      },
    });
    new Gauge({
      name: 'moorage_device_writes_refused_total',
      help: 'What devices wrote more often than they may in a minute, by kind, since the start of this process',
      labelNames: ['writes'],
      registers,
      collect() {
        for (const [writes, count] of sources.refusedWrites) this.set({ writes }, count);
      },
    });
    const devices = onceInAWhile(clock, () => devicesByState(db));
    stateGauge(made, 'moorage_devices', 'Devices by state', devices);
    const updates = onceInAWhile(clock, () => openUpdatesByState(db));
    stateGauge(made, 'moorage_open_updates', 'Updates that are under way, by state', updates);
    return made;
  };
  return () => {
    registry ??= open();
    return registry.metrics();
  };
}
