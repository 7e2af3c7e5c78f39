import { expect, it } from 'vitest';
import { shellWord } from './shell.ts';

it.each([
  ['/home/a/data/serial', '/home/a/data/serial'],
  ['/home/a b/serial', "'/home/a b/serial'"],
  ["/it's", "'/it'\\''s'"],
  ['/a$b;c', "'/a$b;c'"],
  ['', "''"],
])('the path %j is printed in a command as %s', (path, word) => {
  expect(shellWord(path)).toBe(word);
});
