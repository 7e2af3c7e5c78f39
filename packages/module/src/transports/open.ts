import type { Duplex } from 'node:stream';
import { failure, type Result, success } from '@moorage/base';
import { type AttachableBoard, attachSession, type OnMistake } from '../bus/attach-session.ts';
import type { Uart } from '../bus/bus.ts';
import type { SerialPlace } from '../bus/bus-port.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { openPty } from './pty.ts';
import { openRfc2217 } from './rfc2217.ts';
import { openStdio } from './stdio.ts';
import { listenTcp, tooMany } from './tcp.ts';
import { keepCalling } from './tcp-connect.ts';
import { openTty } from './tty.ts';

/** Where the serial port is to be had: the value of `--serial`. */
type SerialSpec =
  | { readonly kind: 'pty'; readonly link: string | undefined }
  | { readonly kind: 'tcp' | 'tcp-connect' | 'rfc2217'; readonly host: string; readonly port: number }
  | { readonly kind: 'tty'; readonly path: string; readonly baud: number }
  | { readonly kind: 'stdio' | 'none' };

/** An open serial port. */
export interface SerialPort {
  /** Path of the pseudo-terminal or its link; the words of `--serial` for others, with the real port. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** How `--serial` is written. */
export const serialForms =
  'pty[:LINK]|tcp:HOST:PORT|tcp-connect:HOST:PORT|rfc2217:HOST:PORT|tty:DEVICE[,BAUD]|stdio|none';

const usualBaud = 115_200;

/** Reads what `serialForms` shows; an IPv6 host may have brackets. */
export function parseSerial(text: string): Result<SerialSpec, string> {
  const refused = failure(`Serial port "${text}" is not one of ${serialForms.replaceAll('|', ', ')}`);
  const [kind = ''] = text.split(':', 1);
  const rest = text.slice(kind.length + 1);
  if (kind === 'pty') {
    if (text === 'pty:') return refused;
    return success({ kind, link: rest === '' ? undefined : rest });
  }
  if (kind === 'tty') {
    const [, path = '', baud = usualBaud] = /^([^,]+)(?:,(\d{2,8}))?$/.exec(rest) ?? [];
    return path === '' ? refused : success({ kind, path, baud: Number(baud) });
  }
  if (kind === 'tcp' || kind === 'tcp-connect' || kind === 'rfc2217') {
    const match = /^\[?([^[\]]+?)\]?:(\d{1,5})$/.exec(rest);
    const [, host = '', port = ''] = match ?? [];
    return match && Number(port) <= 65_535 ? success({ kind, host, port: Number(port) }) : refused;
  }
  return text === 'stdio' || text === 'none' ? success({ kind: text }) : refused;
}

interface SerialOptions {
  /** Lets a TCP port be reached from outside this machine. */
  readonly listenLan?: boolean;
  readonly onMistake?: OnMistake;
  /** Which UART of the module the port is; 0 without it. */
  readonly uart?: Uart;
}

/** Opens the serial port that `text` describes and attaches sessions to it; the refusal is one sentence for the user. */
export async function openSerial<Board extends SessionBoard>(
  text: string,
  board: AttachableBoard<Board>,
  { listenLan = false, onMistake, uart = 0 }: SerialOptions = {},
): Promise<Result<SerialPort, string>> {
  const spec = parseSerial(text);
  if (!spec.ok) return spec;
  const { value: serial } = spec;
  if (serial.kind === 'rfc2217') {
    const opened = await openRfc2217(board, uart, { ...serial, listenLan }, onMistake);
    if (!opened.ok) return opened;
    return success({ address: `rfc2217:${serial.host}:${opened.value.port}`, close: opened.value.close });
  }
  const attach: Attach = (stream, place) => attachSession(board, 'serial', stream, onMistake, { uart, ...place });
  return openLine(text, attach, { listenLan, refusal: tooMany(board) });
}

/** Takes an open line; several may be open at a time where there is a listener. */
type Attach = (stream: Duplex, place?: Pick<SerialPlace, 'peer'>) => void;

/** Opens what `text` describes as plain lines of bytes; one that speaks RFC 2217 is none. The refusal is one sentence. */
export async function openLine(
  text: string,
  attach: Attach,
  { listenLan = false, refusal }: { readonly listenLan?: boolean; readonly refusal?: string } = {},
): Promise<Result<SerialPort, string>> {
  const spec = parseSerial(text);
  if (!spec.ok) return spec;
  const { value: serial } = spec;
  switch (serial.kind) {
    case 'none':
      return success({ address: undefined, close: async () => {} });
    case 'rfc2217':
      return failure(`Serial port "${text}" speaks RFC 2217, which has no place here`);
    case 'stdio': {
      const stdio = openStdio();
      attach(stdio.stream);
      return success({ address: 'stdio', close: stdio.close });
    }
    case 'tcp': {
      const opened = await listenTcp({ ...serial, listenLan }, attach, refusal);
      if (!opened.ok) return opened;
      return success({ address: `tcp:${serial.host}:${opened.value.port}`, close: opened.value.close });
    }
    case 'tcp-connect': {
      const { close } = keepCalling(serial, attach);
      return success({ address: text, close });
    }
    case 'tty': {
      const opened = await openTty(serial.path, serial.baud);
      if (!opened.ok) return opened;
      const { close, peer, stream } = opened.value;
      attach(stream, { peer });
      return success({ address: text, close });
    }
    case 'pty': {
      const opened = await openPty(serial.link);
      if (!opened.ok) return opened;
      attach(opened.value.stream);
      return success({ address: serial.link ?? opened.value.path, close: opened.value.close });
    }
  }
}
