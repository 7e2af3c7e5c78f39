import type { Socket } from 'node:net';
import { type Benchmark, interleave, startPeer } from './harness.ts';
import { exchange, openLine, startModules, succeed } from './serial-line.ts';

const fileBytes = 1024 * 1024;
/** What one `stream_read` asks for. */
const readBytes = 64 * 1024;
const readReplyBytes = 'R065538\r\n'.length + readBytes + '\r\n'.length;
const filesPerRound = 100;
const readsPerRound = 1_000;
const rounds = 7;

const content = Buffer.alloc(fileBytes, 'moorage');
const created = 'R000014\r\nFile created\r\n'.length;
const success = 'R000009\r\nSuccess\r\n'.length;
const handle = 'R000003\r\n0\r\n'.length;

/** Repeats a transfer of so many bytes; megabytes per second of the transfers alone. */
async function speed(count: number, bytes: number, transfer: () => Promise<void>, after = async () => {}) {
  let spentMs = 0;
  for (let each = 0; each < count; each++) {
    const startMs = performance.now();
    await transfer();
    spentMs += performance.now() - startMs;
    await after();
  }
  return (count * bytes) / spentMs / 1_000;
}

const creation = Buffer.concat([Buffer.from(`fcr a ${fileBytes}\n`), content]);
const createFile = (line: Socket): Promise<void> => exchange(line, creation, created);

/** Asks for the whole file in one segment of commands, as a host does that knows its size. */
const readFile = (line: Socket): Promise<void> =>
  exchange(line, `read 0 ${readBytes}\n`.repeat(fileBytes / readBytes), (readReplyBytes * fileBytes) / readBytes);

const openFile = (line: Socket): Promise<void> => exchange(line, 'fop a\n', handle);

async function reopen(line: Socket): Promise<void> {
  await exchange(line, 'close 0\n', success);
  await openFile(line);
}

export const fileTransfer: Benchmark = async () => {
  const module = await startModules(1);
  const bare = await startPeer('peers/bytes.ts');
  try {
    const line = await openLine(module.ports[0] ?? 0);
    const bareLine = await openLine(Number(bare.ready.port));
    await succeed(line, 'set system.cmd.mode machine\n');
    const take = Buffer.concat([Buffer.from(`t ${fileBytes}\n`), content]);
    const remove = () => exchange(line, 'fde a\n', success);
    const create = await interleave(
      rounds,
      () => speed(filesPerRound, fileBytes, () => createFile(line), remove),
      () => speed(filesPerRound, fileBytes, () => exchange(bareLine, take, 1)),
    );
    await createFile(line);
    await openFile(line);
    const one = await interleave(
      rounds,
      () =>
        speed(
          readsPerRound,
          readBytes,
          () => exchange(line, `read 0 ${readBytes}\n`, readReplyBytes),
          () => reopen(line),
        ),
      () => speed(readsPerRound, readBytes, () => exchange(bareLine, `g ${readBytes}\n`, readBytes)),
    );
    const whole = await interleave(
      rounds,
      // With the last byte the stream closes itself and prints nothing at print level 0.
      () =>
        speed(
          filesPerRound,
          fileBytes,
          () => readFile(line),
          () => openFile(line),
        ),
      () => speed(filesPerRound, fileBytes, () => exchange(bareLine, `g ${fileBytes}\n`, fileBytes)),
    );
    line.destroy();
    bareLine.destroy();
    const common = { unit: 'MB/s' };
    return [
      { label: 'file_create of 1 MiB', beside: 'a socket that takes as many bytes', ...create, ...common },
      { label: 'stream_read of 64 KiB', beside: 'a socket that gives as many bytes', ...one, ...common },
      { label: '1 MiB by stream_read', beside: 'a socket that gives as many bytes', ...whole, ...common },
    ];
  } finally {
    await Promise.all([module.peer.stop(), bare.stop()]);
  }
};
