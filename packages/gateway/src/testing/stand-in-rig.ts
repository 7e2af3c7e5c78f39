import { createServer } from 'node:http';
import { unwrap, VirtualClock } from '@moorage/base';
import { MemoryNetwork } from '@moorage/net/memory';
import { optionBytes } from '@moorage/net/telnet/telnet';
import { telnetStream } from '@moorage/net/telnet/telnet-stream';
import type { Driver } from '../driver/driver.ts';
import { type OpenPorts, openDriver } from '../driver/open.ts';
import { settler } from './gateway-rig.ts';
import { attachStandIn, StandIn, type StandInTraits } from './stand-ins.ts';

/** Ways to a stand-in, and its address on each. */
export const standInWays = {
  http: 'http://module:80',
  terminal: 'tcp:module:2000',
  serial: 'pty:/dev/module',
  rfc2217: 'rfc2217:module:2217',
} as const;
export type StandInWay = keyof typeof standInWays;

/** The HTTP server of a stand-in, which opens no port itself. */
export function standInServer(standIn: StandIn, wait: (ms: number) => Promise<void>) {
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    await wait(standIn.nextDelayMs());
    const [, path = ''] = /^\/command\/(.*)$/.exec(request.url ?? '') ?? [];
    if (request.url !== '/command' && path === '') {
      const file = standIn.files.get(decodeURIComponent(request.url ?? '').slice(1));
      response.writeHead(file ? 200 : 404).end(file);
      return;
    }
    const body = path === '' ? JSON.parse(Buffer.concat(chunks).toString()) : { command: decodeURIComponent(path) };
    const flags = body.flags ?? 0;
    const line = flags & 1 ? Buffer.from(body.command, 'base64').toString() : body.command;
    const isEndless = line === 'help variables' && standIn.traits.variables === 'endless';
    let said = standIn.run(line);
    if (said.needs !== undefined)
      said = said.take?.(Buffer.from(body.data ?? '', 'base64').subarray(0, said.needs)) ?? said;
    const text = isEndless ? 'RW more.and.more : m\r\n'.repeat(1_000_000) : `${said.text}\r\n`;
    const bytes = Buffer.from(text, 'latin1');
    const isBase64 = (flags & 2) !== 0;
    const shown = bytes.toString(isBase64 ? 'base64' : 'latin1');
    response.end(JSON.stringify({ id: 1, code: said.code, flags: isBase64 ? 1 : 0, response: shown }));
  });
}

/** A stand-in on every way to it, in memory, on a clock that stands still. */
export async function standInRig(traits: StandInTraits, way: StandInWay) {
  const clock = new VirtualClock(Date.UTC(2024, 0, 1));
  const network = new MemoryNetwork(clock);
  const standIn = new StandIn(traits);
  const own = network.attach('module', '10.5.6.108');
  const line = network.attach('serial-server', '10.5.6.9');
  const net = network.attach('gateway', '10.5.6.2');
  const until = settler(clock);
  const web = standInServer(standIn, (ms) => new Promise((resolve) => void clock.after(ms, resolve)));
  unwrap(await own.listen(80, ({ stream }) => void web.emit('connection', stream)));
  unwrap(
    await own.listen(2000, ({ stream }) =>
      attachStandIn(standIn, telnetStream(stream, { onEvent: () => {}, maybeRaw: true }), clock),
    ),
  );
  unwrap(await line.listen(7, ({ stream }) => attachStandIn(standIn, stream, clock)));
  const comPort = 44;
  unwrap(
    await own.listen(2217, ({ stream: source }) => {
      const stream = telnetStream(source, {
        onEvent(event) {
          if (event.kind === 'option' && event.option === comPort) source.write(optionBytes('DO', comPort));
        },
      });
      attachStandIn(standIn, stream, clock);
    }),
  );
  const ports: OpenPorts = {
    net,
    clock,
    async serial() {
      const dialled = await net.dial({ host: 'serial-server', port: 7, timeoutMs: 1_000 });
      return dialled.ok ? { ok: true, value: dialled.value.stream } : { ok: false, error: dialled.error.detail };
    },
  };
  const open = (): Promise<Driver> => until(openDriver(ports, standInWays[way]).then(unwrap));
  return { clock, network, standIn, ports, address: standInWays[way], until, open };
}
