import { once } from 'node:events';
import { createServer } from 'node:http';
import { UserError } from '../commands/define.ts';
import type { WatchedFleet } from './watch.ts';

/** What only grows; the other figures go up and down. */
const counters: ReadonlySet<string> = new Set([
  'polls',
  'updates',
  'failures',
  'sent_bytes',
  'received_bytes',
  'troubles',
]);

/** The figures of a fleet in the text format of Prometheus. */
export function metricsText({ summary }: WatchedFleet): string {
  return Object.entries(summary)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => {
      const isCounter = counters.has(name);
      const full = `moorage_fleet_${name}${isCounter ? '_total' : ''}`;
      return `# TYPE ${full} ${isCounter ? 'counter' : 'gauge'}\n${full} ${value}\n`;
    })
    .join('');
}

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
