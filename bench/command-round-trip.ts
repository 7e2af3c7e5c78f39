import type { Socket } from 'node:net';
import { type Benchmark, type Finding, interleave, median, startPeer } from './harness.ts';
import { exchange, openLine, startModules, succeed } from './serial-line.ts';

const roundTripsPerRound = 4_000;
const rounds = 5;
const moduleCount = 50;
const roundTripsOfEach = 400;
const request = 'get wlan.ssid\r\n';

/** Round trips one after another on one line, in microseconds. */
async function measure(socket: Socket, replyBytes: number, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let trip = 0; trip < count; trip++) {
    const startMs = performance.now();
    await exchange(socket, request, replyBytes);
    times.push((performance.now() - startMs) * 1_000);
  }
  return times;
}

/** The median over all lines, which are busy at the same time. */
const measureAll = async (lines: readonly Socket[], replyBytes: number, count: number): Promise<number> =>
  median((await Promise.all(lines.map((line) => measure(line, replyBytes, count)))).flat());

async function prepare(line: Socket): Promise<number> {
  await succeed(line, 'set system.cmd.mode machine\r\nset wlan.ssid "harbour office"\r\n');
  return (await succeed(line, request)).length;
}

async function compare(label: string, ports: readonly number[], echoPort: number, count: number): Promise<Finding> {
  const lines = await Promise.all(ports.map(openLine));
  const echoLines = await Promise.all(ports.map(() => openLine(echoPort)));
  const [replyBytes = 0] = await Promise.all(lines.map(prepare));
  const pair = await interleave(
    rounds,
    () => measureAll(lines, replyBytes, count),
    () => measureAll(echoLines, request.length, count),
  );
  for (const socket of [...lines, ...echoLines]) socket.destroy();
  return { label, beside: 'TCP echo', unit: 'µs', ...pair };
}

export const commandRoundTrip: Benchmark = async () => {
  const echo = await startPeer('peers/echo.ts');
  const echoPort = Number(echo.ready.port);
  const one = await startModules(1);
  const many = await startModules(moduleCount);
  try {
    return [
      await compare('a command, one session', one.ports, echoPort, roundTripsPerRound),
      await compare(`a command, ${moduleCount} sessions`, many.ports, echoPort, roundTripsOfEach),
    ];
  } finally {
    await Promise.all([one.peer.stop(), many.peer.stop(), echo.stop()]);
  }
};
