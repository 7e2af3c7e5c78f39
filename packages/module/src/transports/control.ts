import type { Socket } from 'node:net';
import { failure, type Result, success } from '@moorage/base';
import { type HttpCalls, isHttp, serveHttp } from './control-http.ts';
import { listenTcp, type TcpPort } from './tcp.ts';

/** One user of a control port. */
interface ControlUser extends HttpCalls {
  receive(bytes: Uint8Array): void;
  close(): void;
}

/** What may wait for a user who does not read, in bytes; then the connection is given up. */
const maxWaitingBytes = 1_048_576;

/** Reads `HOST:PORT`; an IPv6 host may have brackets. The refusal is one sentence. */
export function parseControl(text: string): Result<{ readonly host: string; readonly port: number }, string> {
  const [, host = '', port = ''] = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  return host !== '' && Number(port) <= 65_535
    ? success({ host, port: Number(port) })
    : failure(`Control address "${text}" is not HOST:PORT`);
}

/**
 * Opens a control port; `join` makes a user for each connection, which speaks lines of JSON or HTTP, as its first bytes
 * say. The address in the answer has the real port.
 */
export async function openControl(
  text: string,
  join: (write: (line: string) => void) => ControlUser,
  listenLan = false,
): Promise<Result<{ readonly address: string; close: TcpPort['close'] }, string>> {
  const place = parseControl(text);
  if (!place.ok) return place;
  const opened = await listenTcp({ ...place.value, listenLan }, (socket) => attachControl(socket, join));
  if (!opened.ok) return opened;
  const { host } = place.value;
  const shown = host.includes(':') ? `[${host}]` : host;
  return success({ address: `${shown}:${opened.value.port}`, close: opened.value.close });
}

function attachControl(socket: Socket, join: (write: (line: string) => void) => ControlUser): void {
  const user = join((line) => {
    socket.write(line);
    if (socket.writableLength > maxWaitingBytes) socket.destroy();
  });
  const receive = (bytes: Buffer): void => user.receive(bytes);
  socket.once('data', (bytes: Buffer) => {
    if (!isHttp(bytes)) {
      receive(bytes);
      socket.on('data', receive);
      socket.on('end', () => socket.end());
      return;
    }
    socket.pause();
    serveHttp(socket, user);
    socket.unshift(bytes);
    process.nextTick(() => socket.resume());
  });
  // A client that has gone gets no response.
  socket.on('error', () => user.close());
  socket.on('close', () => user.close());
}
