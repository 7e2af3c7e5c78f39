import { transition } from '@moorage/base';
import { expect, test } from 'vitest';
import { type ChannelState, type ChannelTrigger, channelTransitions, reasonOf, waits } from './table.ts';

const states: readonly ChannelState[] = ['waiting', 'dialling', 'open', 'stopped'];
const triggers: readonly ChannelTrigger[] = ['due', 'opened', 'ended', 'stop'];

test('the channel goes from state to state as its table says, and nowhere else', () => {
  const table = states.map((from) => [
    from,
    ...triggers.map((trigger) => transition(channelTransitions, from, trigger) ?? '-'),
  ]);
  expect(table).toEqual([
    ['waiting', 'dialling', '-', '-', 'stopped'],
    ['dialling', '-', 'open', 'waiting', 'stopped'],
    ['open', '-', '-', 'waiting', 'stopped'],
    ['stopped', '-', '-', '-', '-'],
  ]);
});

test.each([
  [{ kind: 'closed', code: 1000 }, 'lost'],
  [{ kind: 'closed', code: 1006 }, 'lost'],
  [{ kind: 'closed', code: 1012 }, 'restarting'],
  [{ kind: 'closed', code: 4001 }, 'replaced'],
  [{ kind: 'closed', code: 4003 }, 'refused'],
  [{ kind: 'refused', status: 400 }, 'refused'],
  [{ kind: 'refused', status: 403 }, 'refused'],
  [{ kind: 'refused', status: 404 }, 'refused'],
  [{ kind: 'refused', status: 429 }, 'lost'],
  [{ kind: 'refused', status: 503 }, 'lost'],
] as const)('%j is %s', (end, reason) => {
  expect(reasonOf(end)).toBe(reason);
});

test('waits grow, and the longest is not shorter than the first', () => {
  for (const { firstMs, longestMs } of Object.values(waits)) expect(longestMs).toBeGreaterThan(firstMs);
});
