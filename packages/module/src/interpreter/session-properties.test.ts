import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blocksOf } from '../testing/blocks.ts';
import { sessionRig as rig } from '../testing/session-rig.ts';

/** Cuts a text at random places. */
const inPieces = (text: fc.Arbitrary<string>): fc.Arbitrary<readonly string[]> =>
  fc.tuple(text, fc.infiniteStream(fc.integer({ min: 1, max: 40 }))).map(([whole, sizes]) => {
    const pieces: string[] = [];
    for (let at = 0; at < whole.length; ) {
      const size = sizes.next().value ?? 1;
      pieces.push(whole.slice(at, at + size));
      at += size;
    }
    return pieces;
  });

const randomBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const commandWords = [
  'get',
  'set',
  'help',
  'ls',
  '-v',
  'fcr',
  'fde',
  'fop',
  'fst',
  'read',
  'write',
  'list',
  'poll',
  'close',
  'all',
  'data',
  'table',
  'badd',
  '-o',
  'a',
  '"',
  '""',
  '0',
  '3',
  '99999999999',
  'wlan.ssid',
  'gp',
  'system.cmd.echo',
  'uart.baud',
];
const randomLines = fc
  .array(
    fc.tuple(fc.array(fc.constantFrom(...commandWords), { maxLength: 5 }), fc.constantFrom('\r', '\n', '\r\n', '\n\r')),
  )
  .map((all) => all.map(([words, end]) => words.join(' ') + end).join(''));

test('Session keeps its framing and stays alive, whatever bytes come in whatever pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      inPieces(
        fc.oneof(
          randomBytes,
          randomLines,
          fc.tuple(randomLines, randomBytes).map((both) => both.join('')),
        ),
      ),
      async (pieces) => {
        const { module, clock, send, printed, settle, mistakes } = await rig();
        await module.execute('set system.print_level all');
        let output = '';
        for (const piece of pieces) {
          send(piece);
          await settle();
        }
        // Whatever data may still be awaited is given up; then the session has to answer.
        send('\r\n');
        await clock.advance(30_000);
        send('\r\nset system.cmd.mode machine\n');
        await clock.advance(30_000);
        printed();
        send('get system.safemode\r\n');
        await settle();
        output = printed();
        expect(output).toBe('R000003\r\n0\r\n');
        // Only the sink that throws on purpose may have reported.
        for (const mistake of mistakes) expect(mistake).toEqual(new Error('sink'));
        await module.close();
      },
    ),
    { numRuns: 120 },
  );
});

test('Session announces the right length for every block', async () => {
  const settingsKept = randomLines.filter((text) => !/set .*system/.test(text));
  await fc.assert(
    fc.asyncProperty(inPieces(settingsKept), async (pieces) => {
      const { module, clock, send, printed, settle } = await rig();
      await module.execute('set system.print_level all');
      for (const piece of pieces) {
        send(piece);
        await settle();
      }
      await clock.advance(30_000);
      expect(() => blocksOf(printed())).not.toThrow();
      await module.close();
    }),
    { numRuns: 120 },
  );
});

test('Session prints the same for whole lines as for single bytes', async () => {
  await fc.assert(
    fc.asyncProperty(randomLines, fc.boolean(), async (text, machine) => {
      const outputs: string[] = [];
      for (const pieces of [[text], [...text]]) {
        const { module, clock, send, printed, settle } = await rig({ machine });
        for (const piece of pieces) {
          send(piece);
          await settle();
        }
        await clock.advance(60_000);
        outputs.push(printed());
        await module.close();
      }
      expect(outputs[1]).toBe(outputs[0]);
    }),
    { numRuns: 40 },
  );
});
