import { type DhcpRequest, dhcpTypes } from '../services/dhcp-packet.ts';

/** What a client without an address asks first. */
export const discover = (mac: string): DhcpRequest => ({
  type: 'discover',
  transaction: 1,
  flags: 0,
  clientIp: '0.0.0.0',
  relayIp: '0.0.0.0',
  mac,
  requestedIp: undefined,
  serverIp: undefined,
});

const address = (ip: string): readonly number[] => ip.split('.').map(Number);

/** The bytes that a client sends. */
export function dhcpBytes(request: DhcpRequest): Uint8Array {
  const options = [53, 1, dhcpTypes[request.type]];
  if (request.serverIp !== undefined) options.push(54, 4, ...address(request.serverIp));
  if (request.requestedIp !== undefined) options.push(50, 4, ...address(request.requestedIp));
  options.push(255);
  const bytes = new Uint8Array(240 + options.length);
  const view = new DataView(bytes.buffer);
  bytes.set([1, 1, 6]);
  view.setUint32(4, request.transaction);
  view.setUint16(10, request.flags);
  bytes.set(address(request.clientIp), 12);
  bytes.set(address(request.relayIp), 24);
  bytes.set(Buffer.from(request.mac.replaceAll(':', ''), 'hex'), 28);
  view.setUint32(236, 0x63825363);
  bytes.set(options, 240);
  return bytes;
}

/** What a client sees of an answer. */
export function readDhcpAnswer(bytes: Uint8Array): {
  type: number | undefined;
  ip: string;
  options: ReadonlyMap<number, string>;
} {
  const options = new Map<number, string>();
  for (let at = 240; at < bytes.length && bytes[at] !== 255; ) {
    const length = bytes[at + 1] ?? 0;
    options.set(bytes[at] ?? 0, Buffer.from(bytes.subarray(at + 2, at + 2 + length)).toString('hex'));
    at += 2 + length;
  }
  const type = options.get(53);
  return {
    type: type === undefined ? undefined : Number.parseInt(type, 16),
    ip: bytes.subarray(16, 20).join('.'),
    options,
  };
}
