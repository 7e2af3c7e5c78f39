import { type Clock, type Result, sleep, success } from '@moorage/base';
import type { Net, NetFailure } from '@moorage/net';
import { discoverServices } from '@moorage/net/dns/mdns-browser';

/** What a module says of itself over the network, unasked or by mDNS. */
export interface Sighting {
  readonly by: 'broadcast' | 'mdns';
  readonly ip: string;
  readonly mac?: string | undefined;
  readonly version?: string | undefined;
  readonly ssid?: string | undefined;
  readonly signalDbm?: number | undefined;
  /** Ports of its command line. */
  readonly httpPort?: number | undefined;
  readonly httpsPort?: number | undefined;
  readonly terminalPort?: number | undefined;
}

/** Most modules that are looked at, so that none who shouts can fill the memory. */
const maxSightings = 1_000;

/** Largest status broadcast, in bytes. */
const maxStatusBytes = 4_096;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 256) : undefined;
const number = (value: unknown): number | undefined => (Number.isFinite(value) ? Number(value) : undefined);
const port = (value: unknown): number | undefined => {
  const found = number(value);
  return found !== undefined && Number.isInteger(found) && found >= 1 && found <= 65_535 ? found : undefined;
};

/** An address as modules write it, in capitals; `undefined` for what is none. */
export const macOf = (value: unknown): string | undefined => {
  const digits = typeof value === 'string' ? value.replaceAll(/[:-]/g, '').toUpperCase() : '';
  return /^[0-9A-F]{12}$/.test(digits) ? digits.match(/../g)?.join(':') : undefined;
};

/** Reads a status broadcast; `undefined` for what is none. The sender's address counts, whatever is in it. */
export function readStatus(bytes: Uint8Array, ip: string): Sighting | undefined {
  if (bytes.length > maxStatusBytes) return undefined;
  let status: unknown;
  try {
    status = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (typeof status !== 'object' || status === null || Array.isArray(status)) return undefined;
  const said = status as Readonly<Record<string, unknown>>;
  const mac = macOf(said.mac);
  // Of a stranger's JSON nothing is believed: a module says at least who it is or what it runs.
  if (mac === undefined && text(said.version) === undefined) return undefined;
  return {
    by: 'broadcast',
    ip,
    mac,
    version: text(said.version),
    ssid: text(said.ssid),
    signalDbm: number(said.rssi),
    terminalPort: port(said.remote_terminal_port),
  };
}

/** Listens for status broadcasts, for a time in ms. Each module is there once, with what it said last. */
export async function hearBroadcasts(
  { clock, net }: { readonly clock: Clock; readonly net: Pick<Net, 'datagrams'> },
  { port: wanted, forMs }: { readonly port: number; readonly forMs: number },
): Promise<Result<readonly Sighting[], NetFailure>> {
  const heard = new Map<string, Sighting>();
  const socket = await net.datagrams({ port: wanted }, ({ bytes, address }) => {
    const sighting = readStatus(bytes, address);
    const key = sighting?.mac ?? address;
    if (sighting && (heard.size < maxSightings || heard.has(key))) heard.set(key, sighting);
  });
  if (!socket.ok) return socket;
  await sleep(clock, forMs);
  await socket.value.close();
  return success([...heard.values()]);
}

/** Services behind which a module's command line may be. */
const serviceTypes = { httpPort: '_http._tcp.local', httpsPort: '_https._tcp.local' } as const;

/** Asks by mDNS who has a web server. Others than modules have one, too. Takes three seconds. */
export async function askMdns(ports: {
  readonly clock: Clock;
  readonly net: Pick<Net, 'datagrams'>;
}): Promise<Result<readonly Sighting[], NetFailure>> {
  const asked = Object.entries(serviceTypes).map(
    async ([key, type]) => [key, await discoverServices(ports, type)] as const,
  );
  const sightings: Sighting[] = [];
  for (const [key, found] of await Promise.all(asked)) {
    if (!found.ok) return found;
    for (const { ip, port: place, txt } of found.value) {
      const said = Object.fromEntries(txt.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]));
      const mac = macOf(said.mac);
      sightings.push({ by: 'mdns', ip, mac, version: text(said.version), [key]: place });
    }
  }
  return success(sightings.slice(0, maxSightings));
}
