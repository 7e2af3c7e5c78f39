import { VirtualClock } from '@moorage/base';
import { MemoryStore } from '@moorage/base/store/memory';
import { MemoryNetwork } from '@moorage/net/memory';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createModule } from '../src/module.ts';
import { wires } from './transcript.ts';
import { openWire } from './wires.ts';

/** Real milliseconds in which the module has to answer. */
const answerTimeoutMs = 5_000;

/** Turns of the event loop that bytes have to arrive and to be answered. */
const turnsPerTry = 200;

/** Longer than a module waits for data. */
const silenceMs = 30_000;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const pieces = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('file_create a 9\r', 'read 0 5\n', 'get all\r\n', '\x1b[A\t\t', '"', 'x'.repeat(300), 'ls -v\n\r')
      .map(Buffer.from),
  ),
  { maxLength: 20 },
);

// MOD-RULE-serial: whatever comes, the next command is answered.
test.each(wires)('a session over %s survives random bytes', async (name) => {
  await fc.assert(
    fc.asyncProperty(pieces, async (all) => {
      const clock = new VirtualClock();
      const net = new MemoryNetwork(clock).attach('module', '10.5.6.108');
      const module = await createModule({ clock, store: new MemoryStore(), net, seed: 'bytes' });
      await module.boot();
      const wire = await openWire[name](module);
      let received = '';
      wire.stream.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
      });
      for (const piece of all) wire.stream.write(piece);
      // The line ends what the bytes have begun; when it was taken for data, time gives that up and it comes again.
      const answer = 'get marker\r\nUnknown variable\r\n> ';
      const deadline = performance.now() + answerTimeoutMs;
      for (let turns = 0; !received.endsWith(answer) && performance.now() < deadline; turns++) {
        if (turns % turnsPerTry === 0) wire.stream.write('\r\nget marker\r\n');
        await turn();
        await clock.advance(silenceMs);
      }
      expect(received.slice(-answer.length)).toBe(answer);
      await wire.close();
      await module.close();
    }),
    { numRuns: name === 'memory' ? 100 : 25 },
  );
});
