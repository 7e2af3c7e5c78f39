import { type CancelTimer, ignoreFailure } from '@moorage/base';
import type { DatagramSocket, Interface } from '@moorage/net';
import { HttpClient } from '@moorage/net/http/client';
import { rawSample } from '../device/adc.ts';
import { inBackground } from '../device/background.ts';
import { addressOf } from './host-name.ts';
import type { NetworkService, RunningService, ServiceParts } from './service.ts';

/** Items of `broadcast.data` without a number behind them. Spec: MOD-VAR-broadcast.data. */
const items: Readonly<Record<string, (parts: ServiceParts, iface: Interface) => string | number>> = {
  mac: ({ identity }) => identity.mac,
  bssid: ({ wlan }) => wlan.accessPoint?.bssid ?? '',
  channel: ({ wlan }, iface) => (iface === 'softap' ? wlan.softAp?.channel : wlan.accessPoint?.channel) ?? 0,
  ip: (parts, iface) => addressOf(parts, iface),
  ssid: ({ wlan }) => wlan.accessPoint?.ssid ?? '',
  rssi: ({ wlan }) => wlan.rssiDbm ?? 0,
  remote_terminal_port: ({ variables }) => variables.get('remote_terminal.port'),
  time: ({ rtc }) => rtc.nowMs(),
  uuid: ({ identity }) => identity.uuid,
  version: ({ variables }) => variables.get('system.version'),
};

/** The level of a pin, or a sample of an analog one; 0 where the board has no such pin or needs it for something else. */
function pinItem({ model, pins, variables }: ServiceParts, kind: string, number: number): number {
  if (number >= pins.count) return 0;
  if (kind === 'gpio') return pins.level(number);
  if (!model.adc.pins.includes(number)) return 0;
  const volts = pins.sample(number);
  return volts.ok
    ? rawSample(volts.value, { vrefMv: variables.get('system.adc.vref'), gain: 1, bits: model.adc.bits })
    : 0;
}

/** The object that is sent, with its keys in the order of `broadcast.data`. Spec: MOD-EVENT-3. */
export function statusObject(parts: ServiceParts, iface: Interface): Readonly<Record<string, string | number>> {
  const entries = parts.variables
    .get('broadcast.data')
    .split(',')
    .flatMap((item): readonly (readonly [string, string | number])[] => {
      const pin = /^(gpio|adc)(\d+)$/.exec(item);
      if (pin?.[1]) return [[item, pinItem(parts, pin[1], Number(pin[2]))]];
      const value = Object.hasOwn(items, item) ? items[item] : undefined;
      return value ? [[item, value(parts, iface)]] : [];
    });
  return Object.fromEntries(entries);
}

/** Where a post goes. */
interface PostTarget {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly path: string;
}

/** Reads `broadcast.http.host`: a host, with `:port`, a path and `http://` or `https://` if need be. */
export function postTarget(text: string): PostTarget | undefined {
  const match = /^(?:(https?):\/\/)?([^/:?#]+)(?::(\d{1,5}))?(\/.*)?$/i.exec(text);
  const [, scheme, host, port, path = '/'] = match ?? [];
  if (host === undefined || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535))) return undefined;
  const secure = scheme?.toLowerCase() === 'https';
  return { host, port: port === undefined ? (secure ? 443 : 80) : Number(port), secure, path };
}

/** Largest file of authorities, in bytes. */
const maxCaBytes = 65_536;

class Broadcast implements RunningService {
  readonly #parts: ServiceParts;
  readonly #iface: Interface;
  readonly #intervalMs: number;
  readonly #socket: DatagramSocket | undefined;
  readonly #to: { readonly ip: string; readonly port: number };
  #cancel: CancelTimer | undefined;
  #posting: HttpClient | undefined;
  #stopped = false;

  constructor(parts: ServiceParts, iface: Interface, socket: DatagramSocket | undefined) {
    const { variables } = parts;
    this.#parts = parts;
    this.#iface = iface;
    this.#socket = socket;
    // Spec: MOD-VAR-broadcast.interval, MOD-VAR-broadcast.udp.ip, MOD-VAR-broadcast.udp.port: as they are at the start.
    this.#intervalMs = variables.get('broadcast.interval') * 1000;
    this.#to = { ip: variables.get('broadcast.udp.ip'), port: variables.get('broadcast.udp.port') };
  }

  /** Sends the status now, and again after every interval. */
  send(): void {
    const status = statusObject(this.#parts, this.#iface);
    // The next one comes after the interval.
    ignoreFailure(this.#socket?.send(Buffer.from(JSON.stringify(status)), this.#to.ip, this.#to.port));
    void inBackground(this.#parts.log, () => this.#post(status));
    this.#cancel = this.#parts.clock.after(this.#intervalMs, () => this.send());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    this.#posting?.close();
    await this.#socket?.close();
  }

  /** Spec: MOD-VAR-broadcast.http.host. A server that is slow misses one: posts do not pile up. */
  async #post(status: object): Promise<void> {
    const { hostClock: clock = this.#parts.clock, net, variables } = this.#parts;
    const target = postTarget(variables.get('broadcast.http.host'));
    if (!target || this.#posting) return;
    const { host, port, secure, path } = target;
    const tls = secure ? { ca: await this.#authorities() } : undefined;
    if (this.#stopped) return;
    const client = new HttpClient(net, clock, { host, port, tls });
    this.#posting = client;
    // The response of the server is ignored.
    ignoreFailure(await client.json('POST', path, status));
    client.close();
    this.#posting = undefined;
  }

  async #authorities(): Promise<string | undefined> {
    const name = this.#parts.variables.get('network.ca_cert');
    const content = name === '' ? undefined : await this.#parts.flash.readAll(name, maxCaBytes);
    return content?.ok ? Buffer.from(content.value).toString('latin1') : undefined;
  }
}

/** The status broadcast. Reference: network 4.3. */
export const broadcastService: NetworkService = {
  name: 'broadcast',
  spec: 'MOD-RULE-broadcast',
  // Spec: MOD-VAR-broadcast.interface.
  wanted: ({ variables, wlan }) =>
    variables.get('broadcast.interval') > 0 ? [wlan.interfaceOf(variables.get('broadcast.interface'))] : [],
  async start(parts, iface) {
    const port = parts.variables.get('broadcast.udp.port');
    const broadcast = new Broadcast(parts, iface, port === 0 ? undefined : await openSocket(parts, port));
    broadcast.send();
    return broadcast;
  },
};

/** The source port is that of the destination; where it is taken any will do. */
async function openSocket({ net }: ServiceParts, port: number): Promise<DatagramSocket | undefined> {
  // Nothing is expected.
  const receive = (): void => {};
  const own = await net.datagrams({ port }, receive);
  const opened = own.ok ? own : await net.datagrams({ port: 0 }, receive);
  return opened.ok ? opened.value : undefined;
}
