import { connect, type TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

/** A share of the devices of a storm, in a thread of its own. Each keeps a channel open, and comes back when it ends. */
export interface StormShare {
  readonly port: number;
  readonly ca: string;
  readonly clients: readonly { readonly cert: string; readonly key: string }[];
}

/** What has happened since the last message. */
export interface StormNews {
  opened: number;
  lost: number;
  /** Attempts that came to nothing, by reason. */
  readonly failed: Record<string, number>;
  resumed: number;
}

/** As devices do: the first wait after an end, doubled with each failure, half to all of it, in ms. */
const firstMs = 1_000;
const longestMs = 300_000;
const patienceMs = 30_000;
const newsMs = 50;

const { port, ca, clients } = workerData as StormShare;
let news: StormNews = { opened: 0, lost: 0, failed: {}, resumed: 0 };
setInterval(() => {
  parentPort?.postMessage(news);
  news = { opened: 0, lost: 0, failed: {}, resumed: 0 };
}, newsMs);

const upgrade =
  'GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

function keepOpen(client: StormShare['clients'][number]): void {
  let failures = 0;
  let session: Buffer | undefined;

  function again(): void {
    const wholeMs = Math.min(firstMs * 2 ** failures++, longestMs);
    setTimeout(dial, wholeMs / 2 + (Math.random() * wholeMs) / 2);
  }

  function dial(): void {
    let open = false;
    let reason = '';
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', servername: 'localhost', ca, ...client, session });
    const patience = setTimeout(() => {
      reason = 'time-out';
      socket.destroy();
    }, patienceMs);
    socket.on('session', (ticket) => {
      session = ticket;
    });
    socket.once('secureConnect', () => socket.write(upgrade));
    socket.on('data', (chunk) => {
      if (open) return;
      const status = String(chunk).split(' ', 2)[1] ?? 'no status';
      clearTimeout(patience);
      if (status !== '101') {
        reason = status;
        socket.destroy();
        return;
      }
      open = true;
      failures = 0;
      news.opened++;
      if (socket.isSessionReused()) news.resumed++;
    });
    socket.on('error', (error: Error & { code?: string }) => {
      reason ||= error.code ?? error.message;
    });
    socket.once('close', () => {
      clearTimeout(patience);
      if (open) news.lost++;
      else news.failed[reason || 'closed'] = (news.failed[reason || 'closed'] ?? 0) + 1;
      again();
    });
  }

  dial();
}

for (const client of clients) keepOpen(client);
