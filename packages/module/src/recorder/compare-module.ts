import { Duplex } from 'node:stream';
import { type Bench, type BenchOptions, openBench } from '../bench/bench.ts';
import { attachSession } from '../bus/attach-session.ts';
import type { Board } from '../commands/board.ts';
import { type Answered, type Difference, differencesOf } from './compare.ts';
import type { Exchange } from './recording.ts';

/** Longest time that the virtual module has for one answer beyond what the real one took, in ms. */
const extraMs = 10_000;

/** How the virtual module's time goes on while its answer is waited for, in ms. */
const stepMs = 10;

/** Asks a virtual module what a recording has asked a real one, in virtual time. */
export async function compareWithModule(
  exchanges: readonly Exchange[],
  options: BenchOptions,
): Promise<readonly Difference[]> {
  const bench = await openBench(options);
  try {
    return await compareOn(bench, exchanges);
  } finally {
    await bench.close();
  }
}

async function compareOn(bench: Bench, exchanges: readonly Exchange[]): Promise<readonly Difference[]> {
  let came = '';
  const line = new Duplex({
    read: () => {},
    write(bytes: Buffer, _encoding, done) {
      came += bytes.toString('latin1');
      done();
    },
  });
  attachSession<Board>(bench.module, 'serial', line);
  const differences: Difference[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    came = '';
    const startMs = bench.clock.monotonic();
    line.push(Buffer.from(exchange.host, 'latin1'));
    let firstMs: number | undefined;
    const endMs = startMs + exchange.lastsMs;
    for (let waitMs = 0; ; waitMs = stepMs) {
      await bench.wait(waitMs);
      const nowMs = bench.clock.monotonic();
      if (came !== '') firstMs ??= nowMs;
      if (came.length >= exchange.module.length || nowMs >= endMs + extraMs) break;
    }
    // What it says of its own accord comes when it did.
    await bench.wait(Math.max(0, endMs - bench.clock.monotonic()));
    const answered: Answered = { module: came, waitMs: firstMs === undefined ? undefined : firstMs - startMs };
    differences.push(...differencesOf(exchange, index + 1, answered));
  }
  line.destroy();
  return differences;
}
