import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/client.ts';
import { errorsOfFields, needed } from './field-errors.ts';

const wrong = (...fields: string[]) =>
  new ApiError(400, 'INVALID_REQUEST', 'Field "code" of the body does not have the form it needs', fields);

describe('errors of fields', () => {
  it('stand at the fields that the service names', () => {
    expect(errorsOfFields(wrong('code'), { code: '', title: '' })).toEqual({
      code: '"Code" does not have the form it needs',
    });
  });

  it('stand at fields of fields', () => {
    const values = { opts: { url: '', headers: [{ name: 'a', value: '' }] } };
    expect(Object.keys(errorsOfFields(wrong('opts.url', 'opts.headers'), values) ?? {})).toEqual([
      'opts.url',
      'opts.headers',
    ]);
    expect(errorsOfFields(wrong('opts.headers.a'), values)).toBeUndefined();
  });

  it.each([
    ['a field that the form does not have', wrong('code', 'owner')],
    ['nothing in particular', wrong()],
    ['no refusal of the service', new Error('Gone')],
  ])('are none for %s', (_, error) => {
    expect(errorsOfFields(error, { code: '', title: '' })).toBeUndefined();
  });

  it('ask for what is needed', () => {
    expect([needed(' '), needed(null), needed('a')]).toEqual(['This is needed', 'This is needed', null]);
  });
});
