/** Message types of RFC 2132, 9.6, by their numbers. */
export const dhcpTypes = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

type DhcpType = keyof typeof dhcpTypes;

/** What a client sends. Addresses are dotted; `0.0.0.0` where it has none. */
export interface DhcpRequest {
  readonly type: DhcpType;
  readonly transaction: number;
  readonly flags: number;
  /** Address that the client has already. */
  readonly clientIp: string;
  readonly relayIp: string;
  /** `AA:BB:CC:DD:EE:FF`. */
  readonly mac: string;
  readonly requestedIp: string | undefined;
  readonly serverIp: string | undefined;
}

/** What the server answers. */
export interface DhcpReply {
  readonly type: 'offer' | 'ack' | 'nak';
  readonly to: DhcpRequest;
  readonly serverIp: string;
  /** Without it none is given, as in an answer to `inform` and in a refusal. */
  readonly ip?: string;
  readonly netmask?: string;
  /** In seconds. */
  readonly leaseSeconds?: number;
}

const cookie = 0x63825363;
const fixedBytes = 240;
/** The smallest packet that every client takes. */
const leastBytes = 300;
const ethernet = 1;
const macBytes = 6;
const options = {
  mask: 1,
  router: 3,
  dns: 6,
  requested: 50,
  lease: 51,
  type: 53,
  server: 54,
  renewal: 58,
  rebinding: 59,
};
const pad = 0;
const end = 255;

const dotted = (bytes: Uint8Array): string => bytes.join('.');
const addressBytes = (ip: string): readonly number[] => ip.split('.').map(Number);

/** Reads a request of a client with an Ethernet address; `undefined` for anything else. */
export function readDhcp(bytes: Uint8Array): DhcpRequest | undefined {
  if (bytes.length < fixedBytes) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isRequest = bytes[0] === 1 && bytes[1] === ethernet && bytes[2] === macBytes;
  if (!isRequest || view.getUint32(236) !== cookie) return undefined;
  const given = readOptions(bytes.subarray(fixedBytes));
  const type = typeOf(given?.get(options.type));
  if (!given || !type) return undefined;
  return {
    type,
    transaction: view.getUint32(4),
    flags: view.getUint16(10),
    clientIp: dotted(bytes.subarray(12, 16)),
    relayIp: dotted(bytes.subarray(24, 28)),
    mac: Array.from(bytes.subarray(28, 34), (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(':'),
    requestedIp: addressIn(given.get(options.requested)),
    serverIp: addressIn(given.get(options.server)),
  };
}

function typeOf(option: Uint8Array | undefined): DhcpType | undefined {
  if (option?.length !== 1) return undefined;
  const found = Object.entries(dhcpTypes).find(([, number]) => number === option[0]);
  // The entries of the table have its keys.
  return found?.[0] as DhcpType | undefined;
}

const addressIn = (option: Uint8Array | undefined): string | undefined =>
  option?.length === 4 ? dotted(option) : undefined;

/** By number; `undefined` when one goes beyond the end. What comes twice counts the first time. */
function readOptions(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined {
  const found = new Map<number, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at++];
    if (code === end) break;
    if (code === pad || code === undefined) continue;
    const length = bytes[at++];
    if (length === undefined || at + length > bytes.length) return undefined;
    if (!found.has(code)) found.set(code, bytes.subarray(at, at + length));
    at += length;
  }
  return found;
}

/** The bytes of an answer. Spec: MOD-RULE-dhcp-server. */
export function writeDhcp({ type, to, serverIp, ip, netmask, leaseSeconds }: DhcpReply): Uint8Array {
  const list: number[] = [options.type, 1, dhcpTypes[type], options.server, 4, ...addressBytes(serverIp)];
  const seconds = (code: number, value: number): number[] => [
    code,
    4,
    ...Buffer.from(Uint32Array.of(value).buffer).swap32(),
  ];
  if (leaseSeconds !== undefined) {
    list.push(...seconds(options.lease, leaseSeconds));
    list.push(...seconds(options.renewal, Math.floor(leaseSeconds / 2)));
    list.push(...seconds(options.rebinding, Math.floor((leaseSeconds * 7) / 8)));
  }
  if (netmask !== undefined) {
    // The module is gateway and name server of its clients. Reference: network 2.1.
    list.push(options.mask, 4, ...addressBytes(netmask));
    list.push(options.router, 4, ...addressBytes(serverIp));
    list.push(options.dns, 4, ...addressBytes(serverIp));
  }
  list.push(end);
  const bytes = new Uint8Array(Math.max(leastBytes, fixedBytes + list.length));
  const view = new DataView(bytes.buffer);
  bytes.set([2, ethernet, macBytes]);
  view.setUint32(4, to.transaction);
  view.setUint16(10, to.flags);
  if (type !== 'nak') {
    bytes.set(addressBytes(to.clientIp), 12);
    bytes.set(addressBytes(ip ?? '0.0.0.0'), 16);
    bytes.set(addressBytes(serverIp), 20);
  }
  bytes.set(addressBytes(to.relayIp), 24);
  bytes.set(Buffer.from(to.mac.replaceAll(':', ''), 'hex'), 28);
  view.setUint32(236, cookie);
  bytes.set(list, fixedBytes);
  return bytes;
}
