import { once } from 'node:events';
import { createServer } from 'node:http';
import { figureNames, fleetFigures } from '@moorage/fleet/figures';
import { UserError } from '../command-line/define.ts';
import type { WatchedFleet } from './watch.ts';

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
