import type { Interface } from '@moorage/net';
import { readValue } from '../interpreter/arguments.ts';
import type { ArgSpec, Command } from '../interpreter/command.ts';
import { codes, discarding, fail, needBytes, ok, type Reply, type Response } from '../interpreter/reply.ts';
import { openUdpClient } from '../services/open-client.ts';
import { type Board, defineCommand } from './board.ts';
import { interfaceOption } from './interface-option.ts';
import { maxReadBytes, readReply, refuseWith, writeReply } from './stream-io.ts';
import { hostArg, portArg } from './tcp.ts';

const udpClient = defineCommand({
  name: 'udp_client',
  shortcut: 'udpc',
  group: 'udp',
  spec: 'MOD-CMD-udp_client',
  evidence: 'documented',
  summary: 'Open a stream of datagrams; each write is one',
  example: 'udp_client files.example 7',
  waitsFor: 'join, look-up',
  options: { iface: interfaceOption },
  args: {
    host: { ...hostArg, help: 'host name or address; a broadcast address is allowed' },
    port: portArg,
    local_port: { kind: 'int', min: 0, max: 65_535, optional: true, help: 'local port; any without it' },
  },
  run: async (board, { host, port, iface, local_port: localPort = 0 }, { signal }) => {
    const handle = await openUdpClient(board, { host, port, localPort, iface: board.wlan.interfaceOf(iface), signal });
    return handle.ok ? ok(String(handle.value)) : fail(codes.FAILED);
  },
});

interface How {
  readonly iface: Interface | undefined;
  readonly signal: AbortSignal;
}

interface Action {
  readonly args: readonly ArgSpec[];
  /** How many of them must be there. */
  readonly required: number;
  run(board: Board, values: readonly string[], how: How): Reply | Promise<Reply>;
}

const sizeArg = (max: number) => ({ kind: 'int', min: 1, max, help: 'bytes' }) as const;

/** Most bytes that `udp_server write` may announce; more than a datagram holds are taken and refused. */
const maxWriteBytes = 1024 * 1024;

const actions: Readonly<Record<'start' | 'stop' | 'write' | 'read', Action>> = {
  start: { args: [portArg], required: 0, run: (board, [port], { iface }) => start(board, port, iface) },
  stop: {
    args: [],
    required: 0,
    run: async (board) => {
      const stopped = await board.sockets.udp.stop();
      return stopped ? ok(board.personality.text('success')) : refuseWith(board, 'serverNotRunning');
    },
  },
  write: {
    args: [sizeArg(maxWriteBytes), hostArg, portArg],
    required: 3,
    run: (board, [size, address = '', port], { signal }) => {
      const { running } = board.sockets.udp;
      if (!running)
        return needBytes(
          Number(size),
          discarding(() => refuseWith(board, 'serverNotRunning')),
        );
      return writeReply(
        board,
        Number(size),
        running.stream.writeTo({ address, port: Number(port) }, Number(size)),
        signal,
      );
    },
  },
  read: {
    args: [sizeArg(maxReadBytes)],
    required: 1,
    run: (board, [size], { signal }) => {
      const { running } = board.sockets.udp;
      return running ? readReply(board, running.handle, Number(size), signal) : refuseWith(board, 'serverNotRunning');
    },
  },
};

async function start(board: Board, port: string | undefined, iface: Interface | undefined): Promise<Response> {
  const { personality, sockets, variables, wlan } = board;
  const wanted = wlan.interfaceOf(iface);
  // Spec: MOD-NET-auto-up.
  const joined = await wlan.ensureUp(wanted);
  if (!joined.ok) return fail(codes.FAILED);
  // Spec: MOD-VAR-udp.server.port.
  const started = await sockets.udp.start({ port: Number(port ?? variables.get('udp.server.port')), iface: wanted });
  return started.ok ? ok(personality.text('success')) : fail(codes.FAILED);
}

const udpServer = defineCommand({
  name: 'udp_server',
  shortcut: 'udps',
  group: 'udp',
  spec: 'MOD-CMD-udp_server',
  evidence: 'documented',
  summary: 'Start or stop the UDP server, or write and read its datagrams',
  example: 'udp_server start 3000',
  waitsFor: 'join, data',
  announces: ({ words: [action, ...words] }) => (action === 'write' ? words : undefined),
  options: { iface: interfaceOption },
  args: {
    action: { kind: 'choice', choices: ['start', 'stop', 'write', 'read'], help: 'what to do' },
    words: { kind: 'words', optional: true, help: 'port to start on; size, address and port to write; size to read' },
  },
  syntax: 'udp_server [-i <wlan/softap>] start [<port>] / stop / write <size> <ip> <port> / read <size>',
  run: (board, { action, iface, words = [] }, { signal }) => {
    const { args, required, run } = actions[action];
    if (words.length < required) return fail(codes.TOO_FEW);
    if (words.length > args.length) return fail(codes.TOO_MANY);
    const fit = words.every((word, index) => {
      const spec = args[index];
      return spec !== undefined && readValue(spec, word).ok;
    });
    return fit ? run(board, words, { iface, signal }) : fail(codes.INVALID);
  },
});

export const udpCommands: readonly Command<Board>[] = [udpClient, udpServer];
