import type { Interface } from '@moorage/net';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Response } from '../interpreter/reply.ts';
import { openTcpClient } from '../services/open-client.ts';
import { type ServerKind, serverTls } from '../services/tcp-servers.ts';
import { type Board, defineCommand } from './board.ts';
import { interfaceOption } from './interface-option.ts';
import { refuseWith } from './stream-io.ts';

export const portArg = { kind: 'int', min: 1, max: 65_535, help: 'port' } as const;

/** Longest host name. */
const maxHostLength = 128;

export const hostArg = { kind: 'word', maxLength: maxHostLength, help: 'host name or address' } as const;

export const localPortOption = {
  kind: 'value',
  flag: '-l',
  value: { kind: 'int', min: 0, max: 65_535, help: 'local port' },
  help: 'local port; tcp.client.local_port without it',
} as const;

const tcpClient = defineCommand({
  name: 'tcp_client',
  shortcut: 'tcpc',
  group: 'tcp',
  spec: 'MOD-CMD-tcp_client',
  evidence: 'documented',
  summary: 'Connect to a TCP server',
  example: 'tcp_client files.example 7',
  waitsFor: 'join, connection',
  options: { iface: interfaceOption, localPort: localPortOption },
  args: {
    host: { ...hostArg, optional: true, help: 'host name or address; tcp.client.remote_host without it' },
    port: { ...portArg, optional: true, help: 'port; tcp.client.remote_port without it' },
  },
  run: async (board, values, { signal }) => {
    const { variables, wlan } = board;
    // Spec: MOD-VAR-tcp.client.remote_host, MOD-VAR-tcp.client.remote_port, MOD-VAR-tcp.client.local_port,
    // MOD-OPT-tcp_client-l.
    const host = values.host ?? variables.get('tcp.client.remote_host');
    if (host === '') return fail(codes.TOO_FEW);
    const port = values.port ?? variables.get('tcp.client.remote_port');
    const localPort = values.localPort ?? variables.get('tcp.client.local_port');
    const handle = await openTcpClient(board, { host, port, localPort, iface: wlan.interfaceOf(values.iface), signal });
    return handle.ok ? ok(String(handle.value)) : fail(codes.FAILED);
  },
});

/** Spec: MOD-CMD-tcp_server, MOD-CMD-tls_server. Stops one server, or all that the command has started. */
export async function stopServers(board: Board, kind: ServerKind, port: number | undefined): Promise<Response> {
  const stopped = await board.sockets.tcp.stop(kind, port);
  return stopped ? ok(board.personality.text('success')) : refuseWith(board, 'serverNotRunning');
}

interface ServerRequest {
  readonly kind: ServerKind;
  readonly iface: Interface | undefined;
  readonly port: number | undefined;
  /** Files of certificate and key; `undefined` without TLS, empty for those of the HTTP server. */
  readonly tls: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Brings the network up if need be and listens. Spec: MOD-NET-auto-up. */
export async function startServer(board: Board, request: ServerRequest): Promise<Response> {
  const { personality, sockets, variables, wlan } = board;
  const iface = wlan.interfaceOf(request.iface);
  const joined = await wlan.ensureUp(iface);
  if (!joined.ok) return fail(codes.FAILED);
  const tls = request.tls && (await serverTls(board, request.tls[0], request.tls[1]));
  if (request.signal.aborted) return fail(codes.FAILED);
  if (tls && !tls.ok) return refuseWith(board, tls.error);
  // Spec: MOD-VAR-tcp.server.port.
  const port = request.port ?? variables.get('tcp.server.port');
  const started = await sockets.tcp.start({ kind: request.kind, port, iface, tls: tls?.value });
  return started.ok ? ok(personality.text('success')) : fail(codes.FAILED);
}

const tcpServer = defineCommand({
  name: 'tcp_server',
  shortcut: 'tcps',
  group: 'tcp',
  spec: 'MOD-CMD-tcp_server',
  evidence: 'documented',
  summary: 'Start or stop a TCP server; each client becomes a stream',
  example: 'tcp_server start 3000',
  waitsFor: 'join',
  options: { iface: interfaceOption },
  args: {
    action: { kind: 'choice', choices: ['start', 'stop'], help: 'what to do' },
    port: { ...portArg, optional: true, help: 'port; tcp.server.port without it, and all servers for stop' },
  },
  run: (board, { action, iface, port }, { signal }) => {
    if (action === 'stop') return stopServers(board, 'tcp', port);
    // Spec: MOD-VAR-tcp.server.tls_enabled.
    const tls = board.variables.get('tcp.server.tls_enabled') ? [] : undefined;
    return startServer(board, { kind: 'tcp', iface, port, tls, signal });
  },
});

export const tcpCommands: readonly Command<Board>[] = [tcpClient, tcpServer];
