import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Benchmark, interleave, median, startPeer } from './harness.ts';

const roundTripsPerRound = 4_000;
const rounds = 5;

async function openLine(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

/** Sends `request` and waits for `replyBytes` bytes, again and again; the median in microseconds. */
async function measure(socket: Socket, request: string, replyBytes: number): Promise<number> {
  const times: number[] = [];
  for (let trip = 0; trip < roundTripsPerRound; trip++) {
    const startMs = performance.now();
    await new Promise<void>((resolve) => {
      let received = 0;
      const onData = (chunk: Buffer): void => {
        received += chunk.length;
        if (received < replyBytes) return;
        socket.off('data', onData);
        resolve();
      };
      socket.on('data', onData);
      socket.write(request);
    });
    times.push((performance.now() - startMs) * 1_000);
  }
  return median(times);
}

/** Reply of a machine-mode module to one command, read until it has been silent for a moment. */
async function replyOf(socket: Socket, request: string): Promise<string> {
  let text = '';
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
  };
  socket.on('data', onData);
  socket.write(request);
  await new Promise((resolve) => setTimeout(resolve, 200));
  socket.off('data', onData);
  return text;
}

export const commandRoundTrip: Benchmark = {
  name: 'command-round-trip',
  goal: 'module command round trip over TCP (get wlan.ssid, machine mode) at most 1.5 times a bare TCP echo',
  async run() {
    const module = await startPeer('../packages/moorage/src/main.ts', [
      'module',
      '--serial',
      'tcp:127.0.0.1:0',
      '--json',
    ]);
    const echo = await startPeer('peers/echo.ts');
    try {
      const modulePort = Number(/\d+$/.exec(String(module.ready.serial))?.[0]);
      const line = await openLine(modulePort);
      const echoLine = await openLine(Number(echo.ready.port));
      await replyOf(line, 'set system.cmd.mode machine\r\nset wlan.ssid "harbour office"\r\n');
      const request = 'get wlan.ssid\r\n';
      const reply = await replyOf(line, request);
      if (!reply.startsWith('R0')) throw new Error(`The module answered ${JSON.stringify(reply)}`);
      const pair = await interleave(
        rounds,
        () => measure(line, request, reply.length),
        () => measure(echoLine, request, request.length),
      );
      line.destroy();
      echoLine.destroy();
      return [{ label: 'get wlan.ssid', beside: 'TCP echo', unit: 'µs', ...pair, goal: { atMost: 1.5 } }];
    } finally {
      await Promise.all([module.stop(), echo.stop()]);
    }
  },
};
