import { expect, test } from 'vitest';
import { failure, success, unwrap } from './result.ts';
import { type Transition, transition } from './transition.ts';

type State = 'open' | 'closed';
type Trigger = 'push' | 'pull';
const door: readonly Transition<State, Trigger>[] = [
  { from: 'closed', trigger: 'push', to: 'open' },
  { from: 'open', trigger: 'pull', to: 'closed' },
];

test.each([
  ['closed', 'push', 'open'],
  ['open', 'pull', 'closed'],
  ['closed', 'pull', undefined],
  ['open', 'push', undefined],
] as const)('transition from %s by %s leads to %s', (from, trigger, to) => {
  expect(transition(door, from, trigger)).toBe(to);
});

test('unwrap gives the value, and throws with the error as its cause', () => {
  expect(unwrap(success(3))).toBe(3);
  expect(() => unwrap(failure('broken'))).toThrow('broken');
});
