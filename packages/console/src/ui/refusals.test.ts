import { errors, refusal } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../api/client.ts';
import { adviceFor, sayError } from './refusals.ts';

const invalid = (detail: string): ApiError => new ApiError(400, 'INVALID_REQUEST', detail);

describe('what went wrong is said in words', () => {
  test.each([
    ['Field "part_id" of the body takes 8 hexadecimal digits', '"Part id" takes 8 hexadecimal digits'],
    ['Field "uses" of the body has to be 1 or more', '"Devices that can be claimed with it" has to be 1 or more'],
    [
      'Field "opts.headers.a b" of the body has a name that is not allowed',
      '"Headers.a b" has a name that is not allowed',
    ],
    [
      'Field "title" of the body is missing; Field "code" of the body is missing',
      '"Title" is missing; "Code" is missing',
    ],
    ['Field "sort" of the query has to be one of "a", "b"', '"Sort" has to be one of "a", "b"'],
    ['Field "product_id" of the params has to be an id (a UUID)', 'This address names nothing that exists'],
    ['The description is not text', 'The description is not text'],
  ])('%s', (detail, said) => {
    expect(sayError(invalid(detail))).toMatch(new RegExp(`^${said.replace(/[.]/g, '\\.')}`));
  });

  test('other refusals keep their text', () => {
    expect(sayError(new ApiError(409, 'DUPLICATE', 'Name "acme" exists already'))).toBe('Name "acme" exists already');
    expect(sayError(new Error('odd'))).toBe('odd');
  });
});

test.each(Object.entries(errors))('refusal %s comes with what to do, and shows no pattern', (code, { status }) => {
  const { message } = refusal('INTERNAL');
  const error = new ApiError(status, code, message);
  expect(adviceFor(error)).toMatch(/^[A-Z].*\.$/);
  expect(sayError(error)).not.toMatch(/[\^$]/);
});
