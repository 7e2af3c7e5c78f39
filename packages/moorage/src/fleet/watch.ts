import { once } from 'node:events';
import { createServer } from 'node:http';
import type { FleetSummary } from '@moorage/fleet';
import { figureNames, fleetFigures } from '@moorage/fleet/figures';
import { UserError } from '../command-line/define.ts';
import type { Reporter } from '../command-line/output.ts';

/** A fleet in this process or in several. */
export interface WatchedFleet {
  readonly summary: FleetSummary;
}

export interface Watch {
  /** Resolves with the exit code, when there is an end to wait for. */
  readonly end: Promise<number>;
  stop(): void;
}

interface WatchParts {
  readonly fleet: WatchedFleet;
  readonly reporter: Reporter;
  /** Modules that there shall be. */
  readonly count: number;
  readonly until: boolean;
  readonly timeoutS: number | undefined;
  readonly everyMs?: number;
}

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);

/** All of them in one line. */
function summaryLine(now: FleetSummary, rates: { polls: number; bytes: number }): string {
  const parts = [
    `${now.modules} modules`,
    `${now.online} online`,
    ...(['starting', 'updating', 'asleep', 'off', 'lost'] as const).flatMap((state) =>
      now[state] > 0 ? [`${now[state]} ${state}`] : [],
    ),
    `${now.updated} updated`,
    `${now.failed} failed`,
    `${rates.polls.toFixed(1)} polls/s`,
    `${kilobytes(rates.bytes)} kB/s`,
    ...(now.troubles > 0 ? [`${now.troubles} troubles`] : []),
  ];
  return parts.join(', ');
}

/** Says each second how a fleet stands, and when it has come to where it shall. */
export function watchFleet({ count, everyMs = 1_000, fleet, reporter, timeoutS, until }: WatchParts): Watch {
  const end = Promise.withResolvers<number>();
  const startMs = performance.now();
  let before = fleet.summary;
  let beforeMs = startMs;
  const look = (): void => {
    const now = fleet.summary;
    const nowMs = performance.now();
    const perS = 1000 / Math.max(1, nowMs - beforeMs);
    const bytesOf = (summary: FleetSummary): number => summary.sent_bytes + summary.received_bytes;
    const rates = { polls: (now.polls - before.polls) * perS, bytes: (bytesOf(now) - bytesOf(before)) * perS };
    [before, beforeMs] = [now, nowMs];
    const seconds = Math.round((nowMs - startMs) / 1000);
    const perSecond = { polls_per_s: Number(rates.polls.toFixed(2)), bytes_per_s: Math.round(rates.bytes) };
    reporter.event('summary', { seconds, ...now, ...perSecond });
    reporter.status(summaryLine(now, rates), now.updated / count);
    if (!until) return;
    if (now.updated >= count) end.resolve(0);
    else if (timeoutS !== undefined && nowMs - startMs >= timeoutS * 1000) end.resolve(1);
  };
  const timer = setInterval(look, everyMs);
  return {
    end: end.promise,
    stop: () => {
      clearInterval(timer);
      reporter.status('');
    },
  };
}

/** The figures of a fleet in the text format of Prometheus. */
const metricsText = ({ summary }: WatchedFleet): string =>
  figureNames
    .map((name) => {
      const type = fleetFigures[name];
      const full = `moorage_fleet_${name}${type === 'counter' ? '_total' : ''}`;
      return `# TYPE ${full} ${type}\n${full} ${summary[name]}\n`;
    })
    .join('');

/** Answers monitors on a port of the loopback. @throws {UserError} when the port is taken */
export async function openMetrics(port: number, fleet: WatchedFleet): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isMetrics = request.url === '/metrics';
    response.writeHead(isMetrics ? 200 : 404, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(isMetrics ? metricsText(fleet) : 'Only /metrics is here\n');
  });
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new UserError(`Port ${port} cannot be used for figures: ${(cause as Error).message}`, 1, { cause });
  }
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${bound}/metrics`, close };
}
