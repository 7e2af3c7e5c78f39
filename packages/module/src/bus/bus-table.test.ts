import { transition } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { type BusState, busStates, busTable, busTriggers } from './bus-table.ts';

/** Written down a second time, as a picture: rows are states, columns are the triggers in their order. */
const picture: Readonly<Record<BusState, string>> = {
  //           boot-command boot-stream sequence pin-asserted pin-released exit
  command: '   command      stream      -        -            -            -',
  stream: '    command      stream      broken-in forced      -            -',
  'broken-in': 'command     stream      -        forced       -            stream',
  forced: '    command      stream      -        -            stream       -',
};

// MOD-STATE-1, MOD-STATE-2
describe('bus table', () => {
  const cells = busStates.flatMap((state) =>
    busTriggers.map((trigger, column) => ({ state, trigger, to: picture[state].trim().split(/\s+/)[column] ?? '?' })),
  );

  test.each(cells)('$trigger in state $state leads to $to', ({ state, trigger, to }) => {
    expect(transition(busTable, state, trigger) ?? '-').toBe(to);
  });
});
