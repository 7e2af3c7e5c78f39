import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Timer, TimerHeap } from './timer-heap.ts';

const actions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('add' as const), atMs: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ kind: fc.constant('remove' as const), which: fc.nat() }),
    fc.record({ kind: fc.constant('take' as const) }),
  ),
  { maxLength: 200 },
);

test('TimerHeap always has the earliest timer on top, and of equals the one set first', () => {
  fc.assert(
    fc.property(actions, (all) => {
      const heap = new TimerHeap();
      const model: Timer[] = [];
      for (const action of all) {
        if (action.kind === 'add') model.push(heap.add(action.atMs, () => {}));
        else {
          const timer = action.kind === 'take' ? heap.first : model[action.which % Math.max(1, model.length)];
          if (!timer) continue;
          heap.remove(timer);
          heap.remove(timer);
          model.splice(model.indexOf(timer), 1);
        }
        // Sorting is stable, and the model is in the order of setting.
        expect(heap.first).toBe(model.toSorted((a, b) => a.atMs - b.atMs)[0]);
        expect(heap.size).toBe(model.length);
      }
    }),
  );
});
