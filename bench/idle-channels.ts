import type { Socket } from 'node:net';
import { openChannel, settledBytes } from './channels.ts';
import { type Benchmark, type Finding, type Peer, startPeer } from './harness.ts';
import type { Load } from './load.ts';

const channels = 10_000;
/** Handshakes under way at a time. */
const lanes = 32;
/** Channels that are opened before the count begins: they bring what all share. */
const shared = 200;

interface DataPeer {
  readonly port: number;
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
  readonly uuids: readonly string[];
  readonly token: string;
}

/** Kibibytes that each of the channels costs the process of a peer. */
async function bytesEach(peer: Peer, load: Load, headersOf: (index: number) => string): Promise<number> {
  const sockets: Socket[] = [];
  const openTo = async (count: number) => {
    let next = sockets.length;
    const lane = async () => {
      for (let index = next++; index < count; index = next++) {
        sockets.push(await openChannel(load, headersOf(index), index));
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  };
  await openTo(shared);
  const before = await settledBytes(peer);
  await openTo(channels);
  const after = await settledBytes(peer);
  for (const socket of sockets) socket.destroy();
  return (after - before) / (channels - shared) / 1024;
}

async function measure(insecure: boolean): Promise<Finding> {
  const peer = await startPeer('peers/data.ts', [JSON.stringify({ kind: 'sqlite', devices: channels, insecure })]);
  // Written by that very script.
  const ready = peer.ready as unknown as DataPeer;
  const { certificate: cert, key } = ready.server;
  const bare = await startPeer('peers/bare-sockets.ts', [
    JSON.stringify(insecure ? {} : { tls: { ca: ready.ca, cert, key } }),
  ]);
  const load: Load = {
    port: ready.port,
    connections: channels,
    durationMs: 0,
    paths: ['/stream'],
    method: 'GET',
    headers: {},
    body: '',
    ...(!insecure && { tls: { ca: ready.ca, clients: ready.certificates } }),
  };
  const headersOf = (index: number) =>
    insecure ? `x-device-uuid: ${ready.uuids[index]}\r\nx-device-token: ${ready.token}\r\n` : '';
  try {
    const ours = await bytesEach(peer, load, headersOf);
    const theirs = await bytesEach(bare, { ...load, port: Number(bare.ready.port) }, headersOf);
    return {
      label: `memory of an idle channel, ${insecure ? 'plain' : 'TLS'}`,
      beside: 'a bare web-socket server that does nothing',
      unit: 'KiB',
      ours: [ours],
      theirs: [theirs],
    };
  } finally {
    await Promise.all([peer.end(), bare.stop()]);
  }
}

export const idleChannels: Benchmark = async () => [await measure(true), await measure(false)];
