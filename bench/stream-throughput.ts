import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { startByteSource } from './byte-source.ts';
import { type Benchmark, type Finding, interleave, startPeer } from './harness.ts';
import { exchange, openLine, startModules, succeed } from './serial-line.ts';

const movedBytes = 10 * 1024 * 1024;
const readBytes = 64 * 1024;
const writeBytes = 64 * 1024;
const rounds = 7;

const readReplyBytes = 'R065538\r\n'.length + readBytes + '\r\n'.length;
const successBytes = 'R000009\r\nSuccess\r\n'.length;

const spare = Buffer.alloc(movedBytes, 'moorage');
/** The host's whole side of a transfer through `stream_write`: as one segment, as a host does that knows its size. */
const writes = Buffer.concat(
  Array.from({ length: movedBytes / writeBytes }, () => [
    Buffer.from(`write 0 ${writeBytes}\n`),
    spare.subarray(0, writeBytes),
  ]).flat(),
);
const reads = `read 0 ${readBytes}\n`.repeat(movedBytes / readBytes);

const transfersPerRound = 10;

/** Megabytes per second of a transfer, repeated. */
async function speed(transfer: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  for (let each = 0; each < transfersPerRound; each++) await transfer();
  return (transfersPerRound * movedBytes) / (performance.now() - startMs) / 1_000;
}

/** The far end answers one byte when it has everything. */
async function sendThrough(line: Socket): Promise<void> {
  const command = `t ${movedBytes}\n`;
  await exchange(line, `write 0 ${command.length}\n${command}`, successBytes);
  await exchange(line, writes, successBytes * (movedBytes / writeBytes));
  await exchange(line, 'read 0 1\n', 'R000003\r\nk\r\n'.length);
}

async function receiveThrough(line: Socket): Promise<void> {
  const command = `g ${movedBytes}\n`;
  await exchange(line, `write 0 ${command.length}\n${command}`, successBytes);
  await exchange(line, reads, readReplyBytes * (movedBytes / readBytes));
}

const take = Buffer.concat([Buffer.from(`t ${movedBytes}\n`), spare]);
const receiveBare = (socket: Socket): Promise<void> => exchange(socket, `g ${movedBytes}\n`, movedBytes);
const sendBare = (socket: Socket): Promise<void> => exchange(socket, take, 1);

/** Both ways beside the host's own socket to the server, and beside one that another program passes on. */
async function compare(line: Socket, bare: Socket, relayed: Socket, name: string): Promise<readonly Finding[]> {
  const common = { unit: 'MB/s' };
  const bothWaysBeside = (socket: Socket) =>
    interleave(
      rounds,
      () =>
        speed(async () => {
          await sendThrough(line);
          await receiveThrough(line);
        }),
      () =>
        speed(async () => {
          await sendBare(socket);
          await receiveBare(socket);
        }),
    );
  const both = await bothWaysBeside(bare);
  const passed = await bothWaysBeside(relayed);
  const received = await interleave(
    rounds,
    () => speed(() => receiveThrough(line)),
    () => speed(() => receiveBare(bare)),
  );
  const sent = await interleave(
    rounds,
    () => speed(() => sendThrough(line)),
    () => speed(() => sendBare(bare)),
  );
  return [
    {
      label: `10 MiB to a ${name} server by stream_write and 10 MiB back by stream_read`,
      beside: `a bare ${name} socket`,
      ...both,
      ...common,
      goal: { atLeast: 0.5 },
    },
    { label: 'the same', beside: `a bare relay to the ${name} server`, ...passed, ...common },
    { label: '10 MiB by stream_read alone', beside: `a bare ${name} socket`, ...received, ...common },
    { label: '10 MiB by stream_write alone', beside: `a bare ${name} socket`, ...sent, ...common },
  ];
}

/** A module on a line of its own that has joined, with nothing printed but answers. */
async function joinedLine(port: number): Promise<Socket> {
  const line = await openLine(port);
  await succeed(line, 'set system.cmd.mode machine\n');
  // A loaded machine may take longer for a piece than the default: the figure is throughput, not patience.
  for (const setting of [
    'mdns.enabled 0',
    'ntp.enabled 0',
    'http.server.enabled 0',
    'bus.command.read_timeout 10000',
    'wlan.ssid harbour-open',
  ])
    await succeed(line, `set ${setting}\n`);
  return line;
}

export const streamThroughput: Benchmark = {
  name: 'stream-throughput',
  goal: '10 MiB through stream_write and stream_read of a TCP client at least 0.5 of a bare socket; TLS likewise beside a bare TLS socket',
  async run() {
    const [module, source] = await Promise.all([startModules(1), startByteSource()]);
    const { certificate, folder, plainPort, tlsPort } = source;
    const relay = await startPeer('peers/relay.ts', [String(plainPort), String(tlsPort), folder]);
    try {
      const line = await joinedLine(module.ports[0] ?? 0);
      await succeed(line, `fcr peer.pem ${certificate.length}\n${certificate}`);
      const plain = connect(plainPort, '127.0.0.1').setNoDelay(true);
      await once(plain, 'connect');
      await succeed(line, `tcpc 127.0.0.1 ${plainPort}\n`);
      const tcp = await compare(line, plain, await openLine(Number(relay.ready.plain)), 'TCP');
      plain.destroy();
      await succeed(line, 'close 0\n');
      const secured = connectTls({ port: tlsPort, host: '127.0.0.1', ca: certificate });
      await once(secured, 'secureConnect');
      secured.setNoDelay(true);
      await succeed(line, `tlsc 127.0.0.1 ${tlsPort} peer.pem\n`);
      const tls = await compare(line, secured, await openLine(Number(relay.ready.tls)), 'TLS');
      secured.destroy();
      line.destroy();
      return [...tcp, ...tls];
    } finally {
      await Promise.all([module.peer.stop(), source.stop(), relay.stop()]);
    }
  },
};
