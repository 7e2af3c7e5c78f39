import type { Interface } from '@moorage/net';
import { readValue } from '../interpreter/arguments.ts';
import type { Command } from '../interpreter/command.ts';
import { codes, fail, ok, type Response } from '../interpreter/reply.ts';
import { openTcpClient } from '../services/open-client.ts';
import { tlsSettings } from '../services/tls-settings.ts';
import { type Board, defineCommand } from './board.ts';
import { interfaceOption } from './interface-option.ts';
import { hostArg, localPortOption, portArg, startServer, stopServers } from './tcp.ts';

const tlsClient = defineCommand({
  name: 'tls_client',
  shortcut: 'tlsc',
  group: 'tls',
  spec: 'MOD-CMD-tls_client',
  evidence: 'documented',
  summary: 'Connect to a TLS server',
  example: 'tls_client files.example 443 ca.pem',
  waitsFor: 'join, connection, handshake',
  options: { iface: interfaceOption, localPort: localPortOption },
  args: {
    host: hostArg,
    port: portArg,
    cert: { kind: 'file', optional: true, help: 'file with CA certificates; network.ca_cert without it' },
  },
  run: async (board, values, { signal }) => {
    const { host, port, cert } = values;
    // Spec: MOD-VAR-network.ca_cert.
    const tls = await tlsSettings(board, cert);
    if (!tls.ok) return fail(codes.FAILED);
    const localPort = values.localPort ?? board.variables.get('tcp.client.local_port');
    const target = { host, port, localPort, iface: board.wlan.interfaceOf(values.iface), signal };
    const handle = await openTcpClient(board, target, tls.value);
    return handle.ok ? ok(String(handle.value)) : fail(codes.FAILED);
  },
});

/** `[<port>] [<cert> <key>]`: what is no number is a file. */
function start(
  board: Board,
  iface: Interface | undefined,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Response> | Response {
  const numbered = /^\d+$/.test(words[0] ?? '');
  const port = numbered ? readValue(portArg, words[0] ?? '') : undefined;
  if (port && !port.ok) return fail(codes.INVALID);
  const files = numbered ? words.slice(1) : words;
  if (files.length === 1) return fail(codes.TOO_FEW);
  if (files.length > 2) return fail(codes.TOO_MANY);
  return startServer(board, { kind: 'tls', iface, port: port && Number(port.value), tls: files, signal });
}

function stop(board: Board, words: readonly string[]): Promise<Response> | Response {
  if (words.length > 1) return fail(codes.TOO_MANY);
  const [word] = words;
  const port = word === undefined ? undefined : readValue(portArg, word);
  if (port && !port.ok) return fail(codes.INVALID);
  return stopServers(board, 'tls', port && Number(port.value));
}

const tlsServer = defineCommand({
  name: 'tls_server',
  shortcut: 'tlss',
  group: 'tls',
  spec: 'MOD-CMD-tls_server',
  evidence: 'inferred',
  summary: 'Start or stop a TLS server; each client becomes a stream',
  example: 'tls_server start 4433 cert.pem key.pem',
  waitsFor: 'join',
  options: { iface: interfaceOption },
  args: {
    action: { kind: 'choice', choices: ['start', 'stop'], help: 'what to do' },
    words: { kind: 'words', optional: true, help: 'port, and files with certificate and key' },
  },
  syntax: 'tls_server [-i <wlan/softap>] <start/stop> [<port>] [<cert> <key>]',
  run: (board, { action, iface, words = [] }, { signal }) =>
    action === 'stop' ? stop(board, words) : start(board, iface, words, signal),
});

export const tlsCommands: readonly Command<Board>[] = [tlsClient, tlsServer];
