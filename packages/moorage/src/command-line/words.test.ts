import { expect, test } from 'vitest';
import { UserError } from './define.ts';
import { checkCount, wordOf, wordsOf } from './words.ts';

const words = ['red', 'green'] as const;

test('a word is one of the list, or none is given', () => {
  expect(wordOf(words, 'green', 'Option --lamp')).toBe('green');
  expect(wordOf(words, undefined, 'Option --lamp')).toBe(undefined);
  expect(() => wordOf(words, 'Red', 'Option --lamp')).toThrow('Option --lamp is "Red", not one of red, green');
});

test('words are some of the list, each once', () => {
  expect(wordsOf(words, 'green,red', 'Option --lamps')).toEqual(['red', 'green']);
  for (const wrong of ['', 'red,', 'red,blue', 'red,red', 'red, green'])
    expect(() => wordsOf(words, wrong, 'Option --lamps')).toThrow(
      `Option --lamps is "${wrong}", not some of red, green`,
    );
});

test('a count is from 1 to the most', () => {
  for (const fine of [undefined, 1, 30]) checkCount('days', fine, 30);
  for (const wrong of [0, 31])
    expect(() => checkCount('days', wrong, 30)).toThrow(
      new UserError(`Option --days is ${wrong}, not a number of 1 to 30`, 2),
    );
});
