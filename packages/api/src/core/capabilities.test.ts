import { describe, expect, it } from 'vitest';
import { capabilitiesProblem, type DataCapability, valueProblem } from './capabilities.ts';

const number: DataCapability = { type: 'number', min: -5, max: 5 };

describe('valueProblem', () => {
  it.each<[number | string, DataCapability, string | undefined]>([
    [5, number, undefined],
    [5.1, number, 'is over 5'],
    [-6, number, 'is under -5'],
    ['5', number, 'is not a number'],
    [5, { type: 'string' }, 'is not a string'],
    ['', { type: 'string' }, undefined],
    [1e300, { type: 'number' }, undefined],
    // JSON has these, and could not write them again.
    [JSON.parse('1e400'), { type: 'number' }, 'is too large'],
    [JSON.parse('-1e400'), { type: 'number' }, 'is too large'],
    [1e301, { type: 'number' }, 'is too large'],
  ])('says of %s whether %o takes it', (value, capability, problem) => {
    expect(valueProblem(value, capability)).toBe(problem);
  });
});

// API-DATA-capabilities
describe('capabilitiesProblem', () => {
  const of = (streams: Record<string, DataCapability>, controls = {}) =>
    capabilitiesProblem({ name: 'a', version: '1', streams, controls });

  it('finds what breaks the rules beyond the shape', () => {
    expect(of({ a: number }, { b: number })).toBeUndefined();
    expect(of({ a: number }, { a: number })).toBe('"a" is both a stream and a control');
    expect(of({ a: { type: 'number', min: 2, max: 1 } })).toBe('The range of "a" is empty');
    expect(of({ a: { type: 'number', max: JSON.parse('1e400') } })).toBe('The range of "a" is too large');
    expect(of({}, { a: { ...number, default: 6 } })).toBe('The default of "a" is over 5');
  });
});
