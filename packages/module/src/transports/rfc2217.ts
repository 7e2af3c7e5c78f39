import type { Socket } from 'node:net';
import type { Result } from '@moorage/base';
import { optionBytes, subnegotiationBytes, type TelnetVerb } from '@moorage/net/telnet/telnet';
import { telnetStream } from '@moorage/net/telnet/telnet-stream';
import { type AttachableBoard, attachSession, type OnMistake } from '../bus/attach-session.ts';
import type { Uart } from '../bus/bus.ts';
import type { LineSettings } from '../bus/line-settings.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { ComPort } from './com-port.ts';
import { listenTcp, type TcpPlace, type TcpPort, tooMany } from './tcp.ts';

const comPortOption = 44;

/** Options that we take on (binary, echo, no go-ahead, the serial port), and those that the client may. */
const ours: ReadonlySet<number> = new Set([0, 1, 3, comPortOption]);
const theirs: ReadonlySet<number> = new Set([0, 3, comPortOption]);

/** How the UART of a client is set for a board without a bus. */
const usual: LineSettings = { baud: 115_200, dataBits: 8, parity: 'none', stopBits: 1 };

/** Serves a UART as an RFC 2217 access server; each connection is a line of its own. */
export const openRfc2217 = <Board extends SessionBoard>(
  board: AttachableBoard<Board>,
  uart: Uart,
  listen: TcpPlace,
  onMistake?: OnMistake,
): Promise<Result<TcpPort, string>> =>
  listenTcp(listen, (socket) => attachRfc2217(board, uart, socket, onMistake), tooMany(board));

function attachRfc2217<Board extends SessionBoard>(
  board: AttachableBoard<Board>,
  uart: Uart,
  socket: Socket,
  onMistake?: OnMistake,
): void {
  const peer = new ComPort({
    send: (payload) => socket.write(subnegotiationBytes(comPortOption, payload)),
    settings: () => board.bus?.uart(uart) ?? usual,
  });
  const agree = optionTable((verb, option) => socket.write(optionBytes(verb, option)));
  const stream = telnetStream(socket, {
    onEvent(event) {
      if (event.kind === 'option') {
        agree(event.verb, event.option);
        if (event.option === comPortOption) peer.start();
      } else if (event.kind === 'subnegotiation' && event.option === comPortOption) peer.handle(event.payload);
    },
  });
  attachSession(board, 'serial', stream, onMistake, { uart, peer });
}

/** Answers what a client asks; what holds already is not answered again, so that two sides never talk in circles. */
function optionTable(send: (verb: TelnetVerb, option: number) => void): (verb: TelnetVerb, option: number) => void {
  const on = { ours: new Set<number>(), theirs: new Set<number>() };
  const rules = {
    DO: { side: on.ours, allowed: ours, wanted: true, yes: 'WILL', no: 'WONT' },
    DONT: { side: on.ours, allowed: ours, wanted: false, yes: 'WILL', no: 'WONT' },
    WILL: { side: on.theirs, allowed: theirs, wanted: true, yes: 'DO', no: 'DONT' },
    WONT: { side: on.theirs, allowed: theirs, wanted: false, yes: 'DO', no: 'DONT' },
  } as const;
  return (verb, option) => {
    const { side, allowed, wanted, yes, no } = rules[verb];
    if (wanted && !allowed.has(option)) return send(no, option);
    if (wanted === side.has(option)) return;
    if (wanted) side.add(option);
    else side.delete(option);
    send(wanted ? yes : no, option);
  };
}
