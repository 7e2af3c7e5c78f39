import { VirtualClock } from '@moorage/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BreakSequence, breakSilenceMs } from './break-sequence.ts';

/** Feeds pieces with pauses before them; what came through, and what stood behind a sequence. */
async function fed(pieces: readonly (readonly [pauseMs: number, text: string])[]) {
  const clock = new VirtualClock();
  let data = '';
  const add = (bytes: Uint8Array): void => {
    data += Buffer.from(bytes).toString('latin1');
  };
  const sequence = new BreakSequence({ clock, sequence: () => '$$$', release: add });
  for (const [pauseMs, text] of pieces) {
    await clock.advance(pauseMs);
    const step = sequence.read(Buffer.from(text));
    step.data.forEach(add);
    if (step.after) return { data, after: Buffer.from(step.after).toString('latin1') };
  }
  await clock.advance(breakSilenceMs);
  return { data, after: undefined };
}

// MOD-BUS-silence, MOD-BUS-held
test.each([
  [[[3000, '$$$']], '', ''],
  [[[3000, '$$$x']], '', 'x'],
  [
    [
      [3000, '$'],
      [0, '$'],
      [2999, '$y'],
    ],
    '',
    'y',
  ],
  [[[2999, '$$$']], '$$$', undefined],
  [[[3000, '$$$$']], '', '$'],
  [
    [
      [3000, '$$'],
      [3000, '$'],
    ],
    '$$$',
    undefined,
  ],
  [
    [
      [3000, '$$'],
      [10, 'a$$$'],
    ],
    '$$a$$$',
    undefined,
  ],
  [
    [
      [3000, 'a$$$'],
      [3000, '$$$'],
    ],
    'a$$$',
    '',
  ],
] as const)('%j leaves %j as data, and %j behind a sequence', async (pieces, data, after) => {
  expect(await fed(pieces)).toEqual({ data, after });
});

test('whatever comes, every byte is data or part of a sequence, in its order', async () => {
  const piece = fc.tuple(
    fc.constantFrom(0, 1, 2999, 3000),
    fc.string({ unit: fc.constantFrom('$', 'a'), maxLength: 5 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const { data, after } = await fed(pieces);
      const all = pieces.map(([, text]) => text).join('');
      const seen = after === undefined ? data : `${data}$$$${after}`;
      expect(all.startsWith(seen)).toBe(true);
      if (after === undefined) expect(data).toBe(all);
    }),
  );
});
