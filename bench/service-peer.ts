import { type Peer, startPeer } from './harness.ts';

/** What `peers/service.ts` says when it is ready. */
export interface ServiceReady {
  readonly api: number;
  readonly devices: number;
  readonly token: string;
  readonly ca: string;
  readonly server: { readonly certificate: string; readonly key: string };
  readonly uuids: readonly string[];
  readonly certificates: readonly { readonly cert: string; readonly key: string }[];
  readonly bundleId: string;
  readonly resourcePath: string;
  /** The same file as a device gets it in an update. */
  readonly updatePath: string;
  /** Takes the bytes of a file of up to 16 MiB. */
  readonly uploadPath: string;
  /** The resource's bytes as a plain file. */
  readonly file: string;
}

/** How much data the service has. */
export interface ServiceData {
  readonly devices: number;
  /** Devices that have certificates. */
  readonly clients: number;
  readonly fileBytes: number;
  /** SQLite by default. Of a server nothing is left when the peer is ended, not stopped. */
  readonly database?: 'postgres';
}

export async function startServicePeer(data: ServiceData): Promise<{ peer: Peer; ready: ServiceReady }> {
  const peer = await startPeer('peers/service.ts', [JSON.stringify(data)]);
  // Written by that very script.
  return { peer, ready: peer.ready as unknown as ServiceReady };
}

/** A bare Node server beside it. */
export const startBarePeer = (answer: {
  readonly text?: string;
  readonly file?: string;
  readonly store?: boolean;
  /** Reads a JSON body before it answers. */
  readonly parse?: boolean;
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}): Promise<Peer> => startPeer('peers/bare-http.ts', [JSON.stringify(answer)]);
