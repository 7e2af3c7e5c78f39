import { describe, expect, test } from 'vitest';
import { formOf, settle } from './language.ts';

describe('the language of the console', () => {
  test.each([
    ['of a browser that has it', null, ['de-CH', 'en'], { language: 'de', locale: 'de-CH' }],
    ['the first of several that it has', null, ['fr-FR', 'de', 'en-GB'], { language: 'de', locale: 'de' }],
    ['English where it has none', null, ['fr-FR', 'it'], { language: 'en', locale: 'en' }],
    ['English of the browser, with its dates', null, ['en-GB', 'en'], { language: 'en', locale: 'en-GB' }],
    ['the chosen one, with dates of its own', 'de', ['en-US'], { language: 'de', locale: 'de' }],
    ['the chosen one, with the dates of the browser', 'en', ['de', 'en-AU'], { language: 'en', locale: 'en-AU' }],
    ['that of the browser when another version kept one', 'toString', ['de'], { language: 'de', locale: 'de' }],
  ])('%s', (_, chosen, ofBrowser, settled) => {
    expect(settle(chosen, ofBrowser)).toEqual(settled);
  });

  test('a number asks for a form', () => {
    expect([0, 1, 2].map((count) => formOf(count, { one: 'one', other: 'other' }))).toEqual(['other', 'one', 'other']);
  });
});
