import { expect, it } from 'vitest';
import { shellWord } from './shell.ts';

it.each([
  ['/srv/a/data/serial', '/srv/a/data/serial'],
  ['/srv/a b/serial', "'/srv/a b/serial'"],
  ["/it's", "'/it'\\''s'"],
  ['/a$b;c', "'/a$b;c'"],
  ['', "''"],
])('the path %j is printed in a command as %s', (path, word) => {
  expect(shellWord(path)).toBe(word);
});
