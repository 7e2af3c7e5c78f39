import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rigCapabilities } from '../testing/capabilities.ts';
import {
  type DataState,
  emptyState,
  hasUnpushed,
  sampleCacheBytes,
  usedBytes,
  withBatch,
  withoutBatch,
  withPulled,
  withSamples,
  withWrites,
} from './state.ts';
import { datumBytes } from './values.ts';

const epoch = '0123456789abcdef';
const all = { samples: true, controls: true };
const temp = (t: number) => ({ n: 'temp', v: 1, t });
const led = (v: number, t = 0) => ({ n: 'led1', v, t });

/** Spec: MOD-DATA-once. */
describe('batches', () => {
  test('have ids that never come back, and keep what they had until they are answered', () => {
    let state = withSamples(emptyState(epoch), [temp(1)]);
    state = withBatch(state, all);
    const first = state.batch;
    expect(first).toMatchObject({ id: `${epoch}00000001`, samples: [temp(1)] });
    state = withSamples(state, [temp(2)]);
    expect(withBatch(state, all)).toBe(state);
    state = withBatch(withoutBatch(state, first?.id ?? ''), all);
    expect(state.batch).toMatchObject({ id: `${epoch}00000002`, samples: [temp(2)] });
    expect(withoutBatch(state, first?.id ?? '')).toBe(state);
  });

  test('take only what is pushed', () => {
    const state = withWrites(withSamples(emptyState(epoch), [temp(1)]), [led(1)]);
    expect(withBatch(state, { samples: true, controls: false }).batch).toMatchObject({
      samples: [temp(1)],
      controls: [],
    });
    expect(withBatch(state, { samples: false, controls: true })).toMatchObject({
      samples: [temp(1)],
      batch: { samples: [], controls: [led(1)] },
    });
    expect(hasUnpushed(emptyState(epoch), all)).toBe(false);
  });

  test('a control that is written again while its batch is on its way is still to be pushed', () => {
    let state = withBatch(withWrites(emptyState(epoch), [led(1)]), all);
    state = withWrites(state, [led(0)]);
    state = withoutBatch(state, state.batch?.id ?? '');
    expect(hasUnpushed(state, all)).toBe(true);
    state = withBatch(state, all);
    expect(state.batch?.controls).toEqual([led(0)]);
    expect(hasUnpushed(withoutBatch(state, state.batch?.id ?? ''), all)).toBe(false);
  });
});

/** Spec: MOD-DATA-pull. */
describe('pulled controls', () => {
  const pull = (state: DataState, v: number, t: number) => withPulled(state, [led(v, t)], rigCapabilities).controls;
  const acknowledged = (v: number, t: number) => {
    const state = withBatch(withWrites(emptyState(epoch), [led(v, t)]), all);
    return withoutBatch(state, state.batch?.id ?? '');
  };

  test.each([
    ['older', 4, 1],
    ['equal', 5, 0],
    ['newer', 6, 0],
  ])('that are %s', (_, t, wins) => {
    expect(pull(acknowledged(1, 5), 0, t)).toEqual({ led1: wins === 1 ? { v: 1, t: 5 } : { v: 0, t } });
  });

  test('never replace one that is to be pushed, and bring no unknown names', () => {
    const state = withWrites(emptyState(epoch), [led(1, 5)]);
    expect(pull(state, 0, 9)).toBe(state.controls);
    const strange = [{ n: '__proto__', v: 1, t: 1 }, temp(1)];
    expect(withPulled(state, strange, rigCapabilities)).toBe(state);
  });
});

test('the cache never holds more than its size, and drops the oldest first', () => {
  const action = fc.oneof(
    fc.record({
      kind: fc.constant('add' as const),
      sizes: fc.array(fc.integer({ min: 1, max: 128 }), { maxLength: 4 }),
    }),
    fc.record({ kind: fc.constantFrom('push' as const, 'answer' as const) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      let state = emptyState(epoch);
      let next = 1;
      for (const step of actions) {
        if ('sizes' in step) {
          const added = step.sizes.map((size) => ({ n: 's', v: 'x'.repeat(size), t: next++ }));
          state = withSamples(state, added);
        } else state = step.kind === 'push' ? withBatch(state, all) : withoutBatch(state, state.batch?.id ?? '');
        expect(usedBytes(state)).toBeLessThanOrEqual(sampleCacheBytes);
        const times = [...(state.batch?.samples ?? []), ...state.samples].map(({ t }) => t);
        // What is left is the newest, in order, without a gap.
        expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index));
        if (times.length > 0) expect(times.at(-1)).toBe(next - 1);
      }
    }),
  );
  expect(datumBytes(temp(1))).toBe(9);
});
