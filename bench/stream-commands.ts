import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { realClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { createModule, type Module } from '@moorage/module';
import { nodeNet } from '@moorage/net/node';
import { startByteSource } from './byte-source.ts';
import { type Benchmark, type Finding, interleave } from './harness.ts';
import { exchange } from './serial-line.ts';

const movedBytes = 10 * 1024 * 1024;
const pieceBytes = 64 * 1024;
const transfersPerRound = 10;
const rounds = 7;

const piece = Buffer.alloc(pieceBytes, 'moorage');
const everything = Buffer.alloc(movedBytes, 'moorage');
const take = `t ${movedBytes}\n`;
const give = `g ${movedBytes}\n`;

/** Megabytes per second of a transfer both ways, repeated. */
async function speed(transfer: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  for (let each = 0; each < transfersPerRound; each++) await transfer();
  return (2 * transfersPerRound * movedBytes) / (performance.now() - startMs) / 1_000;
}

async function must(module: Module, line: string, data?: Uint8Array): Promise<Uint8Array> {
  const answer = await module.execute(line, data);
  if (answer.code !== 0) throw new Error(`${line}: ${answer.text}`);
  return answer.payload;
}

async function throughModule(module: Module): Promise<void> {
  await must(module, `write 0 ${take.length}`, Buffer.from(take));
  for (let sent = 0; sent < movedBytes; sent += pieceBytes) await must(module, `write 0 ${pieceBytes}`, piece);
  await must(module, 'read 0 1');
  await must(module, `write 0 ${give.length}`, Buffer.from(give));
  for (let got = 0; got < movedBytes; got += pieceBytes) {
    const { length } = await must(module, `read 0 ${pieceBytes}`);
    if (length < pieceBytes) throw new Error('The server was too slow for one read');
  }
}

async function throughSocket(socket: Socket): Promise<void> {
  await exchange(socket, Buffer.concat([Buffer.from(take), everything]), 1);
  await exchange(socket, give, movedBytes);
}

async function compare(module: Module, socket: Socket, name: string): Promise<Finding> {
  const pair = await interleave(
    rounds,
    () => speed(() => throughModule(module)),
    () => speed(() => throughSocket(socket)),
  );
  const label = `10 MiB by stream_write and 10 MiB by stream_read, ${name}`;
  return { label, beside: `a bare ${name} socket`, unit: 'MB/s', ...pair, goal: { atLeast: 0.5 } };
}

export const streamCommands: Benchmark = {
  name: 'stream-commands',
  goal: 'stream_write and stream_read of a module in the same process, without a serial line between: at least 0.5 of a bare socket, TCP and TLS',
  async run() {
    const source = await startByteSource();
    const { certificate, plainPort, tlsPort } = source;
    const net = nodeNet({ ip: '127.0.0.1', portOffset: 0, listenLan: false });
    const module = await createModule({ clock: realClock, store: new MemoryStore(), net, seed: 1 });
    await module.boot();
    try {
      for (const setting of ['ntp.enabled 0', 'bus.command.read_timeout 10000', 'wlan.ssid harbour-open'])
        await must(module, `set ${setting}`);
      await must(module, `fcr peer.pem ${certificate.length}`, Buffer.from(certificate));
      const plain = connect(plainPort, '127.0.0.1').setNoDelay(true);
      await once(plain, 'connect');
      await must(module, `tcpc 127.0.0.1 ${plainPort}`);
      const tcp = await compare(module, plain, 'TCP');
      plain.destroy();
      await must(module, 'close 0');
      const secured = connectTls({ port: tlsPort, host: '127.0.0.1', ca: certificate });
      await once(secured, 'secureConnect');
      await must(module, `tlsc 127.0.0.1 ${tlsPort} peer.pem`);
      const tls = await compare(module, secured, 'TLS');
      secured.destroy();
      return [tcp, tls];
    } finally {
      await Promise.all([module.close(), source.stop()]);
    }
  },
};
