import { failure, type Result, success } from '@moorage/base';
import { type AttachableBoard, attachSession, type OnMistake } from '../bus/attach-session.ts';
import type { Uart } from '../bus/bus.ts';
import type { SessionBoard } from '../interpreter/board-port.ts';
import { openPty } from './pty.ts';
import { openRfc2217 } from './rfc2217.ts';
import { openStdio } from './stdio.ts';
import { openTcp } from './tcp.ts';

/** Where the serial port is to be had: the value of `--serial`. */
type SerialSpec =
  | { readonly kind: 'pty'; readonly link: string | undefined }
  | { readonly kind: 'tcp' | 'rfc2217'; readonly host: string; readonly port: number }
  | { readonly kind: 'stdio' | 'none' };

/** An open serial port. */
export interface SerialPort {
  /** Path of the pseudo-terminal or its link, `tcp:HOST:PORT` or `rfc2217:HOST:PORT` with the real port, or `stdio`. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

/** Reads `pty[:LINK] | tcp:HOST:PORT | rfc2217:HOST:PORT | stdio | none`; an IPv6 host may have brackets. */
export function parseSerial(text: string): Result<SerialSpec, string> {
  const refused = failure(
    `Serial port "${text}" is not one of pty[:LINK], tcp:HOST:PORT, rfc2217:HOST:PORT, stdio, none`,
  );
  const [kind = ''] = text.split(':', 1);
  const rest = text.slice(kind.length + 1);
  if (kind === 'pty') {
    if (text === 'pty:') return refused;
    return success({ kind, link: rest === '' ? undefined : rest });
  }
  if (kind === 'tcp' || kind === 'rfc2217') {
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
  switch (serial.kind) {
    case 'none':
      return success({ address: undefined, close: async () => {} });
    case 'stdio': {
      const stdio = openStdio();
      attachSession(board, 'serial', stdio.stream, onMistake, { uart });
      return success({ address: 'stdio', close: stdio.close });
    }
    case 'tcp': {
      const opened = await openTcp(board, { ...serial, listenLan }, onMistake, uart);
      if (!opened.ok) return opened;
      return success({ address: `tcp:${serial.host}:${opened.value.port}`, close: opened.value.close });
    }
    case 'rfc2217': {
      const opened = await openRfc2217(board, uart, { ...serial, listenLan }, onMistake);
      if (!opened.ok) return opened;
      return success({ address: `rfc2217:${serial.host}:${opened.value.port}`, close: opened.value.close });
    }
    case 'pty': {
      const opened = await openPty(serial.link);
      if (!opened.ok) return opened;
      attachSession(board, 'serial', opened.value.stream, onMistake, { uart });
      return success({ address: serial.link ?? opened.value.path, close: opened.value.close });
    }
  }
}
