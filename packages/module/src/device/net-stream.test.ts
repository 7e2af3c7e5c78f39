import { type Duplex, PassThrough } from 'node:stream';
import { defined, seededRandom, VirtualClock } from '@moorage/base';
import { pairOfEnds } from '@moorage/net/memory/end';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PacketPool, ReceiveQueue } from './net-buffers.ts';
import { drainTimeoutMs, lingerMs, SocketStream } from './net-stream.ts';

const settings = { bytes: 4096, receivePercent: 50 };

/** A stream over a connection in memory whose far end is the test's. */
function line(options: { readonly pool?: PacketPool; readonly idleMs?: number } = {}) {
  const clock = new VirtualClock();
  const [near, far] = pairOfEnds(clock, seededRandom(1), {});
  const pool = options.pool ?? new PacketPool(settings, 8);
  const gone: boolean[] = [];
  const stream = new SocketStream({
    type: 'TCPC',
    connection: { stream: near, localAddress: '', localPort: 1, remoteAddress: '', remotePort: 2 },
    info: () => 'far:2 (1)',
    pool,
    clock,
    iface: 'wlan',
    writeTimeoutMs: () => 1_000,
    gone: (remoteClosed) => gone.push(remoteClosed),
    ...defined({ idleMs: options.idleMs }),
  });
  let changes = 0;
  stream.watch(() => {
    changes++;
  });
  return { clock, near, far, pool, stream, gone, changes: () => changes, settle: () => clock.advance(0) };
}

const pieceBytes = 10_000;

async function writeAll(stream: SocketStream, bytes: Uint8Array): Promise<boolean> {
  const sink = stream.write();
  if (!sink.ok) return false;
  // As a session brings them: piece by piece, each after the one before has been taken.
  for (let at = 0; at < bytes.length; at += pieceBytes) await sink.value.append(bytes.subarray(at, at + pieceBytes));
  return (await sink.value.end()).ok;
}

/** Takes all that comes. */
function collect(far: Duplex): () => Buffer {
  const chunks: Buffer[] = [];
  far.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks);
}

const bytesOf = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, index) => (index * 31) & 0xff));

describe('SocketStream', () => {
  test('holds no more than the pool has room for, and the sender back', async () => {
    // MOD-VAR-network.buffer.size
    const { far, stream, settle } = line();
    const sent = bytesOf(300_000);
    let taken = 0;
    far.on('error', () => {});
    // The sender learns of each piece that has been taken.
    for (let at = 0; at < sent.length; at += 10_000) far.write(sent.subarray(at, at + 10_000), () => taken++);
    await settle();
    // Of 2,048 bytes for receiving, a quarter is divided among eight streams.
    expect(stream.available()).toBe(1_536 + 64);
    expect(taken).toBeLessThan(10);
    const chunks: Uint8Array[] = [];
    for (let bytes = stream.read(700); bytes.length > 0; bytes = stream.read(700)) {
      chunks.push(bytes);
      expect(stream.available()).toBeLessThanOrEqual(1_600);
      await settle();
    }
    expect(Buffer.concat(chunks).equals(sent)).toBe(true);
    expect(taken).toBe(30);
  });

  test('a stream that is not read leaves the others their own part', async () => {
    const pool = new PacketPool(settings, 8);
    const [lazy, busy] = [line({ pool }), line({ pool })];
    lazy.far.write(bytesOf(50_000));
    await lazy.settle();
    busy.far.write(bytesOf(5_000));
    await busy.settle();
    expect(pool.usage).toBe('rx:82,tx:0');
    let read = 0;
    for (let bytes = busy.stream.read(999); bytes.length > 0; bytes = busy.stream.read(999)) read += bytes.length;
    expect(read).toBe(5_000);
    // What the lazy one gives back is there for the busy one.
    busy.far.write(bytesOf(5_000));
    await busy.settle();
    expect(busy.stream.available()).toBe(64);
    await lazy.stream.close();
    await busy.settle();
    expect(busy.stream.available()).toBe(1_600);
  });

  test('any pieces of a sender and any sizes of reads give the same bytes', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, sizes, async (pieces, reads) => {
        const { far, stream, settle } = line();
        const sent = bytesOf(pieces.reduce((sum, size) => sum + size, 0));
        let at = 0;
        const got: Uint8Array[] = [];
        for (const [index, size] of pieces.entries()) {
          far.write(sent.subarray(at, at + size));
          at += size;
          if (index % 3 === 0) await settle();
          got.push(stream.read(reads[index % reads.length] ?? 1));
        }
        far.end();
        // Each turn reads a byte at least.
        for (let turn = 0; turn < sent.length + 100 && !(stream.remoteClosed && stream.available() === 0); turn++) {
          await settle();
          got.push(stream.read(reads[turn % reads.length] ?? 1));
        }
        expect(Buffer.concat(got).equals(sent)).toBe(true);
        expect(stream.remoteClosed).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('byte by byte, the end is reported after the last byte', async () => {
    const { far, stream, settle } = line();
    for (const byte of Buffer.from('bytes')) {
      far.write(Buffer.of(byte));
      await settle();
    }
    far.end();
    await settle();
    const got: string[] = [];
    while (stream.available() > 0) got.push(Buffer.from(stream.read(1)).toString());
    expect(got.join('')).toBe('bytes');
    expect(stream.remoteClosed).toBe(true);
  });

  test('a write waits for a reader that is slow, and ends when it reads', async () => {
    const { far, stream, pool, settle } = line();
    const sent = bytesOf(200_000);
    const writing = writeAll(stream, sent);
    let written: boolean | undefined;
    void writing.then((ok) => {
      written = ok;
    });
    await settle();
    expect(written).toBeUndefined();
    expect(pool.sending.usedPercent).toBeLessThanOrEqual(100);
    expect(stream.writeRoom()).toBe(0);
    const got = collect(far);
    for (let turn = 0; turn < 500 && written === undefined; turn++) await settle();
    expect(written).toBe(true);
    await settle();
    expect(got().equals(sent)).toBe(true);
    expect(pool.usage).toBe('rx:0,tx:0');
  });

  test('a write to a reader that takes nothing fails after its time', async () => {
    // MOD-VAR-bus.command.write_timeout
    const { stream, clock } = line();
    let written: boolean | undefined;
    void writeAll(stream, bytesOf(200_000)).then((done) => {
      written = done;
    });
    await clock.advance(999);
    expect(written).toBeUndefined();
    await clock.advance(1);
    expect(written).toBe(false);
  });

  test('a write that is under way when the line breaks fails, and later ones are refused', async () => {
    const { far, stream, settle } = line();
    const writing = writeAll(stream, bytesOf(200_000));
    await settle();
    far.destroy(new Error('cut'));
    await settle();
    expect(await writing).toBe(false);
    expect(stream.remoteClosed).toBe(true);
    expect(stream.write()).toEqual({ ok: false, error: 'not-writable' });
  });

  // MOD-BUS-flush
  test('a patient write waits for as long as the peer is there', async () => {
    const { far, stream, clock } = line();
    const begun = stream.write(0, true);
    if (!begun.ok) throw new Error(begun.error);
    const pieces = [bytesOf(200_000), Buffer.from('the end')];
    const writing = (async () => {
      for (const piece of pieces) await begun.value.append(piece);
      return begun.value.end();
    })();
    await clock.advance(3_600_000);
    const got = collect(far);
    expect(await writing).toMatchObject({ ok: true });
    await clock.advance(0);
    expect(got().equals(Buffer.concat(pieces))).toBe(true);
  });

  test('close sends what is queued, ends, and drops a peer that does not end', async () => {
    const { far, near, stream, clock, gone } = line();
    expect(await writeAll(stream, Buffer.from('last'))).toBe(true);
    const got = collect(far);
    await stream.close();
    expect(gone).toEqual([false]);
    await clock.advance(0);
    expect(got().toString()).toBe('last');
    expect(far.readableEnded).toBe(true);
    expect(near.destroyed).toBe(false);
    await clock.advance(lingerMs);
    expect(near.destroyed).toBe(true);
  });

  test('close does not wait for ever for a peer that takes nothing', async () => {
    const { stream, near, clock } = line();
    const writing = writeAll(stream, bytesOf(200_000));
    await clock.advance(0);
    const closing = stream.close();
    expect(await writing).toBe(false);
    await clock.advance(drainTimeoutMs);
    await closing;
    expect(near.destroyed).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('a connection that both sides end leaves no timer behind', async () => {
    const { far, near, stream, clock, gone } = line({ idleMs: 5_000 });
    collect(far);
    far.end();
    await clock.advance(0);
    expect(stream.remoteClosed).toBe(true);
    await stream.close();
    await clock.advance(0);
    expect(near.destroyed).toBe(true);
    expect(clock.pending).toBe(0);
    expect(gone).toEqual([true]);
  });

  test('without traffic for its idle time it finishes', async () => {
    const { far, stream, clock } = line({ idleMs: 5_000 });
    await clock.advance(4_000);
    far.write('x');
    await clock.advance(4_000);
    expect(stream.finished).toBe(false);
    await writeAll(stream, Buffer.from('y'));
    await clock.advance(4_900);
    expect(stream.finished).toBe(false);
    await clock.advance(200);
    expect(stream.finished).toBe(true);
  });

  test('what has come before the stream is watched counts', async () => {
    const clock = new VirtualClock();
    const stream = new PassThrough();
    stream.write('early');
    await clock.advance(0);
    const early = new SocketStream({
      type: 'TCPS',
      connection: { stream, localAddress: '', localPort: 1, remoteAddress: '', remotePort: 2 },
      info: () => '',
      pool: new PacketPool(settings, 8),
      clock,
      iface: 'wlan',
      writeTimeoutMs: () => 1,
    });
    early.watch(() => {});
    expect(Buffer.from(early.read(99)).toString()).toBe('early');
  });
});

describe('PacketPool', () => {
  // MOD-VAR-network.buffer.rxtx_ratio, MOD-VAR-network.buffer.usage
  const splits: readonly (readonly [number, number, number])[] = [
    [50, 1_600, 1_600],
    [85, 2_725, 482],
    [1, 33, 3_174],
    [99, 3_173, 34],
  ];
  test.each(splits)('of 4,096 bytes with %i percent for receiving one stream gets %i and %i', (percent, rx, tx) => {
    const { receiving, sending } = new PacketPool({ bytes: 4096, receivePercent: percent }, 8);
    expect([receiving.free(0), sending.free(0)]).toEqual([rx, tx]);
  });

  test('eight streams together never hold more than the pool', () => {
    const pool = new PacketPool(settings, 8);
    const queues = Array.from({ length: 8 }, () => new ReceiveQueue(pool));
    for (const queue of queues) while (queue.room > 0) queue.push(new Uint8Array(Math.min(100, queue.room)));
    expect(queues.reduce((sum, queue) => sum + queue.length, 0)).toBe(2_048);
    expect(pool.usage).toBe('rx:100,tx:0');
    for (const queue of queues) queue.close();
    expect(pool.usage).toBe('rx:0,tx:0');
    expect(queues[0]?.room).toBe(1_600);
  });
});
