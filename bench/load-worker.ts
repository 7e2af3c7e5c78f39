import type { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { type Load, openConnection, type WorkerResult } from './load.ts';

const { load, index } = workerData as { load: Load; index: number };
const timesMs: number[] = [];
let bytes = 0;

const head = Object.entries(load.headers)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
const length =
  load.body === '' ? '' : `Content-Length: ${Buffer.byteLength(load.body)}\r\nContent-Type: application/json\r\n`;
const rest = ` HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}${length}\r\n${load.body}`;
const { uniqueMark } = load;
let unique = BigInt(Date.now()) * 2n ** 20n + BigInt(index) * 2n ** 60n;

const nextRequest = (): string => {
  const path = load.paths[Math.floor(Math.random() * load.paths.length)] ?? '/';
  const whole = `${load.method} ${path}${rest}`;
  if (uniqueMark === undefined) return whole;
  unique++;
  return whole.replace(uniqueMark, (unique % 2n ** 64n).toString(16).padStart(uniqueMark.length, '0'));
};

/** One request at a time on one connection until the time is up. */
function keepBusy(socket: Socket, endMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let startMs = 0;
    /** Bytes of the answer that are still to come; `undefined` while its head is. */
    let missing: number | undefined;
    const send = (): void => {
      startMs = performance.now();
      socket.write(nextRequest(), 'latin1');
    };
    const answered = (): void => {
      const nowMs = performance.now();
      timesMs.push(nowMs - startMs);
      missing = undefined;
      if (nowMs < endMs) send();
      else {
        socket.destroy();
        resolve();
      }
    };
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (missing !== undefined) {
        missing -= chunk.length;
        if (missing <= 0) answered();
        return;
      }
      const text = chunk.toString('latin1', 0, Math.min(chunk.length, 2048));
      const bodyAt = text.indexOf('\r\n\r\n') + 4;
      const size = /content-length: (\d+)/i.exec(text)?.[1];
      if (bodyAt < 4 || size === undefined || !text.startsWith('HTTP/1.1 200')) {
        reject(new Error(`Unexpected answer: ${text.slice(0, 300)}`));
        return;
      }
      missing = Number(size) - (chunk.length - bodyAt);
      if (missing <= 0) answered();
    });
    socket.once('error', reject);
    send();
  });
}

const sockets = await Promise.all(
  Array.from({ length: load.connections }, (_, at) => openConnection(load, index * load.connections + at)),
);
const endMs = performance.now() + load.durationMs;
await Promise.all(sockets.map((socket) => keepBusy(socket, endMs)));
parentPort?.postMessage({ timesMs, bytes } satisfies WorkerResult);
