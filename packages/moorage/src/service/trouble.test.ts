import { UnusableError } from '@moorage/service/engine/stores/health';
import { expect, test } from 'vitest';
import { UserError } from '../command-line/define.ts';
import { storageTrouble } from './trouble.ts';

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });

const messageOf = (error: unknown): string | undefined => (error instanceof UserError ? error.message : undefined);

test.each([
  ['a full disk', coded('ENOSPC: no space left', 'ENOSPC'), 'The storage cannot be used: ENOSPC: no space left'],
  ['a folder that is read-only', coded('EROFS: mkdir', 'EROFS'), 'The storage cannot be used: EROFS: mkdir'],
  [
    'a setting',
    new UnusableError('The bucket (--blobs) is gone', { cause: coded('away', 'ECONNREFUSED') }),
    'The bucket (--blobs) is gone',
  ],
  [
    'a database file that is full',
    coded('database or disk is full', 'ERR_SQLITE_ERROR'),
    'The database postgres://ada:***@h/x cannot be used: database or disk is full',
  ],
  [
    'a wrong password, under what it prevented',
    new Error('not brought up to date', { cause: coded('password authentication failed', '28P01') }),
    'The database postgres://ada:***@h/x cannot be used: password authentication failed',
  ],
  [
    'a host with two addresses that both refuse',
    new Error('not brought up to date', {
      cause: Object.assign(new AggregateError([new Error('refused ::1'), new Error('refused 127.0.0.1')]), {
        code: 'ECONNREFUSED',
      }),
    }),
    'The database postgres://ada:***@h/x cannot be used: refused ::1, refused 127.0.0.1',
  ],
])('trouble from outside is reported in one line: %s', (_name, error, message) => {
  expect(messageOf(storageTrouble(error, 'postgres://ada:secret@h/x'))).toBe(message);
});

test('a mistake of the program keeps its stack, and an error for the user stays as it is', () => {
  const mistakes = [new TypeError('x is undefined'), coded('taken', 'ERR_INVALID_ARG_TYPE'), new UserError('reported')];
  for (const error of mistakes) expect(storageTrouble(error, 'sqlite:x')).toBe(error);
});
