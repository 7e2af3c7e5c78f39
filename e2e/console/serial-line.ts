import { connect, type Socket } from 'node:net';

/** The serial line of a module, as a program that drives it has it. */
export interface SerialLine {
  /** Runs a command, with bytes behind it where it wants some; rejects when the module refuses. */
  run(line: string, data?: string): Promise<string>;
  close(): void;
}

const headerPattern = /^([A-Z])(\d)(\d{5})\r\n/;

/** Takes whole frames off the front of what has come: their kind, code and payload. */
function takeFrames(text: string): {
  readonly frames: { kind: string; code: number; payload: string }[];
  rest: string;
} {
  const frames: { kind: string; code: number; payload: string }[] = [];
  let rest = text;
  for (let header = headerPattern.exec(rest); header; header = headerPattern.exec(rest)) {
    const end = header[0].length + Number(header[3]);
    if (rest.length < end) break;
    frames.push({ kind: header[1] ?? '', code: Number(header[2]), payload: rest.slice(header[0].length, end) });
    rest = rest.slice(end);
  }
  return { frames, rest };
}

const opened = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });

/** Opens a serial line at `tcp:HOST:PORT` and puts the module into machine mode. */
export async function openSerialLine(address: string): Promise<SerialLine> {
  const [, host = '', port = ''] = address.split(':');
  const socket = connect(Number(port), host);
  await opened(socket);
  socket.setEncoding('latin1');
  let text = '';
  let machine = false;
  const waiting: { resolve: (payload: string) => void; reject: (error: Error) => void; line: string }[] = [];
  const confirmed: (() => void)[] = [];
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (!machine) {
      // Until the mode has changed, answers come as people read them.
      if (text.includes('Set OK')) confirmed.shift()?.();
      return;
    }
    const { frames, rest } = takeFrames(text);
    text = rest;
    for (const { kind, code, payload } of frames) {
      if (kind !== 'R') continue;
      const next = waiting.shift();
      if (code === 0) next?.resolve(payload);
      else next?.reject(new Error(`The module answered ${code} ${payload.trim()} to "${next.line}"`));
    }
  });
  const switched = new Promise<void>((resolve) => confirmed.push(resolve));
  socket.write('set system.cmd.mode machine\r\n');
  await switched;
  machine = true;
  text = '';
  return {
    run: (line, data = '') =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject, line });
        socket.write(`${line}\r\n${data}`);
      }),
    close: () => socket.destroy(),
  };
}
