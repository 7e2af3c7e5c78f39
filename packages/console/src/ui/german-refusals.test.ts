import { errors, patternWords, refusal, sayProblem } from '@moorage/api';
import { expect, test } from 'vitest';
import { messagesInGerman } from '../texts/refusals-de.ts';
import { inGerman, problemInGerman } from './german-refusals.ts';

test.each(Object.entries(messagesInGerman))('the German text of %s has blanks of the English one', (code, german) => {
  const blanksOf = (text: string) => text.match(/\{\w+\}/g) ?? [];
  // Safe: the table has no other codes.
  const { message } = errors[code as keyof typeof errors];
  expect(blanksOf(message)).toEqual(expect.arrayContaining(blanksOf(german)));
});

test('what the service has said of a case stays in the German text', () => {
  const { message } = refusal('DUPLICATE', { what: 'Name', value: 'acme (1)' });
  expect(inGerman('DUPLICATE', message)).toBe('„acme (1)“ gibt es schon (Name)');
  const { message: gone } = refusal('NOT_FOUND', { what: 'Product "acme"' });
  expect(inGerman('NOT_FOUND', gone)).toBe('Produkt „acme“ nicht gefunden');
  expect(inGerman('BODY_TOO_LARGE', 'The body is over the limit of 12 bytes')).toBe(
    'Der Inhalt ist größer als 12 Bytes',
  );
});

test('a message that is not the text of its code, and one without a German text, stay as they are', () => {
  expect(inGerman('DUPLICATE', 'Taken')).toBe('Taken');
  expect(inGerman('UNHEARD_OF', 'Odd')).toBe('Odd');
});

test.each([
  ...Object.values(patternWords),
  sayProblem('required', {}),
  sayProblem('type', { type: ['integer', 'null'] }),
  ...['string', 'number', 'boolean', 'object', 'array', 'null'].map((type) => sayProblem('type', { type })),
  sayProblem('enum', { allowedValues: ['a', 'b'] }),
  sayProblem('const', { allowedValue: 'a' }),
  sayProblem('format', { format: 'uuid' }),
  sayProblem('pattern', { pattern: 'unheard of' }),
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) =>
    sayProblem(keyword, { limit: 2 }),
  ),
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) => sayProblem(keyword, { limit: 2 })),
  sayProblem('minLength', { limit: 1 }),
  sayProblem('uniqueItems', {}),
  sayProblem('additionalProperties', {}),
  sayProblem('unheard of', {}),
])('what is wrong with a value has a German text: %s', (problem) => {
  const english = / (be|has|may|needs|takes|than|with|without|and|of) /;
  expect(problemInGerman(problem)).not.toBe(problem);
  expect(problemInGerman(problem)).not.toMatch(english);
});
