import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { WebSocketServer } from 'ws';

// Web sockets on a bare Node server, with which nothing is done. The argument has the certificates, if it has TLS.
const { tls } = JSON.parse(process.argv[2] ?? '{}') as { tls?: { ca: string; cert: string; key: string } };

const server = tls
  ? createTlsServer({ ...tls, requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' })
  : createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => socket.on('message', () => {}));
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;
process.stdin.on('data', () => {
  const collect = (globalThis as { gc?: Collect }).gc;
  for (let time = 0; time < 3; time++) collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
});
