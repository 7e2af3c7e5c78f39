import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { startPeer } from './harness.ts';

/** A program that gives and takes bytes, on TCP and on TLS with a certificate of its own. */
export interface ByteSource {
  readonly plainPort: number;
  readonly tlsPort: number;
  /** PEM. */
  readonly certificate: string;
  /** Holds `cert.pem` and `key.pem` while it runs. */
  readonly folder: string;
  stop(): Promise<void>;
}

export async function startByteSource(): Promise<ByteSource> {
  const folder = mkdtempSync(join(tmpdir(), 'moorage-bench-'));
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  writeFileSync(join(folder, 'cert.pem'), made.cert);
  writeFileSync(join(folder, 'key.pem'), made.private);
  const peer = await startPeer('peers/byte-source.ts', [folder]);
  return {
    plainPort: Number(peer.ready.plain),
    tlsPort: Number(peer.ready.tls),
    certificate: made.cert,
    folder,
    async stop() {
      await peer.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
