import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { crc16, crc16Initial } from '@moorage/base';

// Hashes open files for the main thread: descriptors are the whole process's.
const buffer = Buffer.allocUnsafeSlow(256 * 1024);

function hashOf(fd: number, size: number) {
  const hash = createHash('sha256');
  let crc = crc16Initial;
  for (let at = 0; at < size; ) {
    const count = readSync(fd, buffer, 0, Math.min(buffer.length, size - at), at);
    if (count === 0) throw new Error(`A file of ${size} bytes ended at byte ${at}`);
    const chunk = buffer.subarray(0, count);
    hash.update(chunk);
    crc = crc16(chunk, crc);
    at += count;
  }
  return { sha256: hash.digest('hex'), crc };
}

parentPort?.on('message', ({ id, fd, size }: { id: number; fd: number; size: number }) => {
  try {
    parentPort?.postMessage({ id, ...hashOf(fd, size) });
  } catch (error) {
    parentPort?.postMessage({ id, error });
  }
});
