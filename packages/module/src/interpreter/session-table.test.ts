import { transition } from '@moorage/base';
import { describe, expect, test } from 'vitest';
import {
  type FlowState,
  flowStates,
  flowTable,
  flowTriggers,
  type SessionState,
  sessionStates,
  sessionTable,
  sessionTriggers,
} from './session-table.ts';

/** Written down a second time, as a picture: rows are states, columns are the triggers in their order. */
const sessionPicture: Readonly<Record<SessionState, string>> = {
  //         run     done    ask    answer  request-data store   stored    complete-data abandon-data reset   end   close
  reading:
    ' running -       -      -       -            -       -         -             -            -       ended closed',
  running:
    ' -       reading asking -       receiving    -       -         -             -            reading -     closed',
  asking: '  -       -       -      running -            -       -         -             -            -       -     -',
  receiving: '-      -       -      -       -            storing -         running       reading      -       -     -',
  storing: ' -       -       -      -       -            -       receiving -             reading      -       -     -',
  ended:
    '   -       -       -      -       -            -       -         -             -            -       -     closed',
  closed: '  -       -       -      -       -            -       -         -             -            -       -     -',
};

const flowPicture: Readonly<Record<FlowState, string>> = {
  //                 begin           finish  pause  resume
  flowing: '         flowing-working -       paused -',
  'flowing-working': '-              flowing -      -',
  paused: '          paused-working  -       -      flowing',
  'paused-working': '-               paused  -      -',
};

/** Every pair of a state and a trigger, with where the picture says that it leads. */
const cellsOf = <State extends string, Trigger extends string>(
  states: readonly State[],
  triggers: readonly Trigger[],
  picture: Readonly<Record<State, string>>,
) =>
  states.flatMap((state) => {
    const row = picture[state].trim().split(/\s+/);
    if (row.length !== triggers.length) throw new Error(`The picture of ${state} has ${row.length} columns`);
    return triggers.map((trigger, column) => ({ state, trigger, to: row[column] }));
  });

// MOD-RULE-serial
describe('session table', () => {
  test.each(cellsOf(sessionStates, sessionTriggers, sessionPicture))(
    '$trigger in state $state leads to $to',
    ({ state, trigger, to }) => {
      expect(transition(sessionTable, state, trigger) ?? '-').toBe(to);
    },
  );
});

describe('flow table', () => {
  test.each(cellsOf(flowStates, flowTriggers, flowPicture))(
    '$trigger in state $state leads to $to',
    ({ state, trigger, to }) => {
      expect(transition(flowTable, state, trigger) ?? '-').toBe(to);
    },
  );
});
