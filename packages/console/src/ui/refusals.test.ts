import { connectorOptions, contract, errors, refusal } from '@moorage/api';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../api/client.ts';
import { adviceFor, patterns, sayError } from './refusals.ts';

const invalid = (detail: string): ApiError => new ApiError(400, 'INVALID_REQUEST', detail);

describe('what went wrong is said in words', () => {
  test.each([
    ['Field "code" of the body must match pattern "^[A-Za-z0-9_.-]{1,32}$"', '"Code" takes letters, digits'],
    ['Field "part_id" of the body must match pattern "^[0-9A-Fa-f]{8}$"', '"Part id" takes 8 hexadecimal digits'],
    ['Field "opts.url" of the body must match pattern "^https?://[^\\s@]+$"', '"URL" takes an address that begins'],
    ['Field "email" of the body must match pattern "^a{3}$"', '"Email" does not have the form it needs'],
    ['Field "title" of the body must NOT have more than 128 characters', '"Title" takes up to 128 characters'],
    ['Field "uses" of the body must be >= 1', '"Devices that can be claimed with it" has to be 1 or more'],
    ['Field "sort" of the query must be equal to one of the allowed values', '"Sort" is none of the values'],
    ['Field "opts.headers.a b" of the body schema is false', '"Headers.a b" has a name that is not allowed'],
    ['Field "code" of the body is new to everybody', '"Code" is new to everybody'],
    ['Field "product_id" of the params must match format "uuid"', 'This address names nothing that exists'],
    ['The description is not text', 'The description is not text'],
  ])('%s', (detail, said) => {
    expect(sayError(invalid(detail))).toMatch(new RegExp(`^${said.replace(/[.]/g, '\\.')}`));
  });

  test('other refusals keep their text', () => {
    expect(sayError(new ApiError(409, 'DUPLICATE', 'Name "acme" exists already'))).toBe('Name "acme" exists already');
    expect(sayError(new Error('odd'))).toBe('odd');
  });
});

const schemas = JSON.stringify([contract, connectorOptions]);
test.each(Object.keys(patterns))('%s is a pattern of the contract', (pattern) => {
  expect(schemas.includes(JSON.stringify(pattern))).toBe(true);
});

test.each(Object.entries(errors))('refusal %s comes with what to do, and shows no pattern', (code, { status }) => {
  const { message } = refusal('INTERNAL');
  const error = new ApiError(status, code, message);
  expect(adviceFor(error)).toMatch(/^[A-Z].*\.$/);
  expect(sayError(error)).not.toMatch(/[\^$]/);
});
