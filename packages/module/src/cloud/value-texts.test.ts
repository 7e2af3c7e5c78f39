import { unwrap } from '@moorage/base';
import { type Datum, datumBytes, suitedValue } from '@moorage/device/data/values';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, tokenise } from '../interpreter/tokeniser.ts';
import { parseWrite, timedText, valueText } from './value-texts.ts';

/** The words behind `cloud_write`, as its command gets them. */
function wordsOf(line: string): readonly string[] {
  const tokens = tokenise(line);
  if (!tokens.ok) throw new Error(tokens.error);
  return tokens.value.map(({ text, typed = text }) => typed);
}

const value = (name: string, text: string, t = 0) => ({ name, text, t });

/** Spec: MOD-OPT-cloud_write-one, MOD-OPT-cloud_write-many. */
describe('parseWrite', () => {
  test.each([
    ['temp 21.5', [value('temp', '21.5')]],
    ['temp 21.5 1700000000', [value('temp', '21.5', 1_700_000_000)]],
    ['temp -3 0', [value('temp', '-3')]],
    ['status "a word"', [value('status', 'a word')]],
    ['status a,b', [value('status', 'a,b')]],
    ['status ""', [value('status', '')]],
    ['temp,21.5', [value('temp', '21.5')]],
    ['temp,21.5,1700000000', [value('temp', '21.5', 1_700_000_000)]],
    ['temp,1|temp,2,5|led1,0', [value('temp', '1'), value('temp', '2', 5), value('led1', '0')]],
    ['status,"a, b | c",7|temp,1', [value('status', 'a, b | c', 7), value('temp', '1')]],
    ['status,', [value('status', '')]],
    ['status,"x"y', [value('status', '"x"y')]],
    ['status,"x ""y"", z"', [value('status', 'x "y", z')]],
    ['status he"ll"o', [value('status', 'he"ll"o')]],
    ['temp 1 4294967295', [value('temp', '1', 4_294_967_295)]],
  ])('reads %s', (line, values) => {
    expect(parseWrite(wordsOf(line), textOf)).toEqual({ ok: true, value: values });
  });

  test.each([
    ['temp', 'too-few'],
    ['temp 1 2 3', 'too-many'],
    ['temp,1 2', 'too-many'],
    ['temp,1, 2', 'too-many'],
    ['Temp 1', 'invalid'],
    ['te.mp 1', 'invalid'],
    ['"" 1', 'invalid'],
    ['temp 1 x', 'invalid'],
    ['temp 1 -1', 'invalid'],
    ['temp 1 4294967296', 'invalid'],
    ['temp 1 1.5', 'invalid'],
    ['temp,1,2,3', 'invalid'],
    ['temp,1|', 'invalid'],
    ['|temp,1', 'invalid'],
    ['temp,1||temp,2', 'invalid'],
    [',1', 'invalid'],
    [`${'n'.repeat(25)} 1`, 'invalid'],
  ])('refuses %s as %s', (line, error) => {
    expect(parseWrite(wordsOf(line), textOf)).toEqual({ ok: false, error });
  });

  const names = fc.stringMatching(/^[a-z0-9_-]{1,24}$/);
  const texts = fc.string({ maxLength: 40 });
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const times = fc.integer({ min: 0, max: 4_294_967_295 });
  const written = fc.record({ name: names, text: texts, t: times });

  test('reads back whatever is written in either form', () => {
    fc.assert(
      fc.property(fc.array(written, { minLength: 1, maxLength: 8 }), (values) => {
        const list = values.map(({ name, text, t }) => `${name},${quoted(text)},${t}`).join('|');
        expect(parseWrite(wordsOf(list), textOf)).toEqual({ ok: true, value: values });
        for (const { name, text, t } of values) {
          const parsed = parseWrite(wordsOf(`${name} ${quoted(text)} ${t}`), textOf);
          expect(parsed).toEqual({ ok: true, value: [{ name, text, t }] });
        }
      }),
    );
  });

  test('never fails on anything, and takes only names, values and times', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(...'a1,|" .-_') }), { maxLength: 4 }), (words) => {
        const parsed = parseWrite(words, textOf);
        if (!parsed.ok) return;
        for (const { name, t } of parsed.value) {
          expect(name).toMatch(/^[a-z0-9_-]{1,24}$/);
          expect(t).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});

describe('values', () => {
  const number = { type: 'number', min: -40, max: 125 } as const;

  test.each([
    ['21.5', 21.5],
    ['-3', -3],
    ['+3.', 3],
    ['.5', 0.5],
    ['1e2', 100],
    ['125', 125],
    ['125.1', undefined],
    ['-41', undefined],
    ['', undefined],
    ['warm', undefined],
    ['0x10', undefined],
    ['Infinity', undefined],
    ['1e999', undefined],
    ['1 2', undefined],
  ])('%s is the number %s', (text, wanted) => {
    expect(suitedValue(text, number)).toBe(wanted);
  });

  test('a text has up to 128 characters', () => {
    expect(suitedValue('x'.repeat(128), { type: 'string' })).toBe('x'.repeat(128));
    expect(suitedValue('x'.repeat(129), { type: 'string' })).toBeUndefined();
    expect(suitedValue('21', { type: 'string' })).toBe('21');
    expect(suitedValue('a\0', { type: 'string' })).toBeUndefined();
    expect(suitedValue('\udcff', { type: 'string' })).toBeUndefined();
  });

  /** Spec: MOD-OPT-cloud_read-timestamp. */
  test('a time shows only when there is one, and quotes only where they are needed', () => {
    expect(timedText({ v: 21.5, t: 0 })).toBe('21.5');
    expect(timedText({ v: 21.5, t: 7 })).toBe('21.5,7');
    expect(valueText('a,b')).toBe('"a,b"');
    expect(timedText({ v: 'a|b', t: 7 })).toBe('"a|b",7');
  });

  test('what is printed is read again', () => {
    const texts = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(texts, fc.double({ min: -1e300, max: 1e300, noNaN: true })), (v) => {
        const capability = { type: typeof v as 'number' | 'string' };
        const [entry] = unwrap(parseWrite([`n,${valueText(v)}`], textOf));
        expect(suitedValue(entry?.text ?? '', capability)).toBe(Object.is(v, -0) ? 0 : v);
      }),
    );
  });

  test('a sample takes as many bytes as its text', () => {
    const sample: Datum = { n: 'status', v: 'caf\u00e9', t: 7 };
    expect(datumBytes(sample)).toBe(Buffer.byteLength('status,caf\u00e9,7|'));
  });
});
