import { createHash } from 'node:crypto';
import { type Clock, crc16, crc16Initial, realClock } from '@moorage/base';
import type { BlobInfo, BlobStore, OpenBlob } from './blob-store.ts';
import { chunksOf } from './chunks.ts';

interface Stored {
  readonly bytes: Buffer;
  readonly modifiedMs: number;
}

/** Blobs in memory, for tests and trials. Unlike the others it does hold them whole. */
export function memoryBlobs(clock: Clock = realClock): BlobStore {
  const stored = new Map<string, Stored>();

  const opened = (bytes: Buffer): OpenBlob => ({
    size: bytes.length,
    read: async (buffer, position) => bytes.copy(buffer, 0, position),
    close: async () => {},
  });

  return {
    async put(source, maxBytes): Promise<BlobInfo | undefined> {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of chunksOf(source)) {
        size += chunk.length;
        if (size > maxBytes) return undefined;
        chunks.push(Buffer.from(chunk));
      }
      const bytes = Buffer.concat(chunks);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      stored.set(sha256, { bytes, modifiedMs: clock.now() });
      return { sha256, size, crc: crc16(bytes, crc16Initial) };
    },
    async open(sha256) {
      const found = stored.get(sha256);
      return found && opened(found.bytes);
    },
    async remove(sha256, storedBeforeMs = Number.POSITIVE_INFINITY) {
      const found = stored.get(sha256);
      if (found && found.modifiedMs < storedBeforeMs) stored.delete(sha256);
    },
    async check() {},
    async *list() {
      for (const [sha256, { modifiedMs }] of stored) yield { sha256, storedAtMs: modifiedMs };
    },
  };
}
