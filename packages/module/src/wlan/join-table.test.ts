import { transition } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import { type JoinState, joinStates, joinTable, joinTriggers } from './join-table.ts';

/** Written down a second time, as a picture: rows are states, columns are the triggers in their order. */
const picture: Readonly<Record<JoinState, string>> = {
  //             join join-known found refuse miss associated addressed again again-known give-up leave lose
  idle: '        probing associating - - - - - - - - - -',
  probing: '     - - associating idle retrying - - - - - idle -',
  associating: ' - - - - retrying addressing - - - - idle -',
  addressing: '  - - - - retrying - up - - - idle -',
  retrying: '    - - - - - - - probing associating idle idle -',
  up: '          - - - - - - - - - - idle idle',
};

describe('join table', () => {
  const cells = joinStates.flatMap((state) =>
    joinTriggers.map((trigger, column) => ({ state, trigger, to: picture[state].trim().split(/\s+/)[column] ?? '?' })),
  );

  test.each(cells)('$trigger in state $state leads to $to', ({ state, trigger, to }) => {
    expect(transition(joinTable, state, trigger) ?? '-').toBe(to);
  });
});
