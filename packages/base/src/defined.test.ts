import { expect, test } from 'vitest';
import { defined } from './defined.ts';

const given = (text?: string): { readonly kept: number; readonly text?: string } => defined({ kept: 0, text });

test('defined leaves out what is undefined, and nothing else', () => {
  expect(given('x')).toStrictEqual({ kept: 0, text: 'x' });
  expect(given('')).toStrictEqual({ kept: 0, text: '' });
  expect(given()).toStrictEqual({ kept: 0 });
  expect(defined({ none: null, no: false, gap: undefined })).toStrictEqual({ none: null, no: false });
});
